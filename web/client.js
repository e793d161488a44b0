// Sends requests to the daemon. Says when it is away, asks for a key when it wants one, and announces when requests may be sent again.

let key = "";
let away = false, attempt = 0, timer = 0;
const events = new EventTarget();

export const onReady = (listener, signal) => events.addEventListener("ready", listener, {signal});

// An answer of the daemon that is an error, or no answer (status 0).
export class Problem extends Error {
	constructor(status, problem) {
		super(problem.detail || problem.title || `the daemon answered ${status}`);
		this.status = status;
		this.title = problem.title || "";
		this.type = problem.type || "";
		this.faults = Array.isArray(problem.errors) ? problem.errors : [];
	}
}

const notice = () => document.getElementById("notice");

export function say(text, kind = "") {
	notice().className = text ? `notice ${kind}` : "";
	notice().textContent = text;
}

function wait() {
	const seconds = Math.min(15, 2 ** Math.min(attempt, 4));
	say(`The daemon does not answer. What you typed is kept. The page tries again in ${seconds} s.`, "bad");
	clearTimeout(timer);
	timer = setTimeout(async () => {
		attempt++;
		try {
			const answer = await fetch("/readyz", {cache: "no-store"});
			if (!answer.ok)
				throw new Error();
			away = false;
			attempt = 0;
			say("The daemon answers again.");
			events.dispatchEvent(new Event("ready"));
		} catch {
			wait();
		}
	}, 1000 * seconds);
}

function isAway() {
	if (!away) {
		away = true;
		wait();
	}
}

function askForKey(refused) {
	const form = document.getElementById("key");
	if (refused)
		say(refused, "bad");
	if (form.hidden) {
		form.hidden = false;
		document.getElementById("key-text").focus();
	}
}

export function bindKeyForm() {
	document.getElementById("key").addEventListener("submit", (event) => {
		event.preventDefault();
		key = document.getElementById("key-text").value.trim();
		document.getElementById("key-text").value = "";
		event.target.hidden = true;
		say("");
		events.dispatchEvent(new Event("ready"));
	});
}

// Returns {data, headers, status}. Throws Problem, or AbortError where `signal` aborts it.
export async function send(method, path, {body, signal, headers, text} = {}) {
	const all = {...headers};
	const used = key;
	let answer, content;
	if (used)
		all.Authorization = `Bearer ${used}`;
	if (body !== undefined)
		all["Content-Type"] = "application/json";
	try {
		answer = await fetch(path, {method, signal, headers: all, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store"});
		content = await answer.text();
	} catch (error) {
		if (error.name === "AbortError")
			throw error;
		isAway();
		throw new Problem(0, {title: "No answer", detail: "The daemon does not answer."});
	}
	if (answer.ok && away) {
		away = false;
		attempt = 0;
		clearTimeout(timer);
		say("");
	}
	if (answer.ok && text)
		return {data: content, headers: answer.headers, status: answer.status};
	let data = null;
	try {
		data = content ? JSON.parse(content) : null;
	} catch {
		data = {title: "Not an answer of this daemon", detail: `${path} answered ${answer.status} and no JSON. A proxy may stand between.`};
		if (answer.ok)
			throw new Problem(answer.status, data);
	}
	if (!answer.ok) {
		if (answer.status === 401 && used === key) // else a newer key has been given meanwhile
			askForKey(used ? "The daemon does not accept this key. It may have been revoked." : "");
		throw new Problem(answer.status, data || {});
	}
	return {data, headers: answer.headers, status: answer.status};
}

export const get = async (path, options) => (await send("GET", path, options)).data;

// All rows of a list, up to a number of pages.
export async function pages(path, pagesMax = 10) {
	const rows = [];
	let cursor = "";
	for (let page = 0; page < pagesMax; page++) {
		const answer = await get(`${path}${path.includes("?") ? "&" : "?"}limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
		rows.push(...answer.items);
		cursor = answer.next_cursor;
		if (!cursor)
			break;
	}
	return rows;
}

// A key by which the daemon recognizes a request that is sent twice. crypto.randomUUID does not exist on plain http.
export function idempotencyKey() {
	return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Offers a text as a file.
export function download(name, text, media) {
	const url = URL.createObjectURL(new Blob([text], {type: media}));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

// Benchmarks: devices, and the queue with its states. Reads the queue again every two seconds while something is not finished.
import {get, onReady, send} from "./client.js";
import {digits, make, moment, quantity, table, words} from "./elements.js";

const POLL_MS = 2000;
const UNFINISHED = new Set(["queued", "running"]);

function progress(row) {
	const {i, n, test} = row.progress || {};
	if (row.state !== "running" || !(n > 0))
		return row.state_reason || "";
	return [make("progress", {value: i, max: n, "aria-label": "progress"}), ` ${i} of ${n}${test ? `, ${words(test)}` : ""}`];
}

// What the verification of a plan found.
function result(row) {
	const verification = row.result?.verification;
	return verification ? `${words(verification.verdict || "")} (${digits(verification.ratio)} of the prediction)` : row.state === "succeeded" ? "measured" : "–";
}

export function view() {
	const ending = new AbortController();
	const devices = make("div"), queue = make("div", {"aria-live": "polite"}), said = make("p", {role: "status", "aria-live": "polite"});
	let timer = 0, last = "";

	const act = async (method, path, body, done) => {
		try {
			await send(method, path, {body});
			said.textContent = done;
		} catch (error) {
			said.textContent = error.message;
		}
		load();
	};

	async function load() {
		clearTimeout(timer);
		try {
			const [attached, jobs] = await Promise.all([get("/v1/devices?limit=200", {signal: ending.signal}), get("/v1/benchmarks?limit=50", {signal: ending.signal})]);
			const text = JSON.stringify([attached, jobs]);
			if (text !== last) { // what has the focus stays unless something changed
				last = text;
				devices.replaceChildren(attached.items.length ? table("Devices", ["Device", "Node", "Kind", "Memory", "State", "Seen", ""], attached.items.map((row) => [row.name, row.node, `${row.backend}, ${row.accelerator}`, quantity("bytes", row.memory_bytes), words(row.state), moment(row.seen_at),
					make("button", {type: "button", "aria-label": `benchmark ${row.name} on ${row.node}`, click: () => act("POST", "/v1/benchmarks", {device: row.id, suite: "quick"}, "A benchmark is queued.")}, "Benchmark")])) :
					make("p", {}, attached.looking ? "The daemon is still looking for devices." : "No device is attached to this daemon or to an agent."));
				queue.replaceChildren(jobs.items.length ? table("Benchmarks, the newest first", ["Benchmark", "State", "Device", "Suite", "Created", "Progress", "Result", ""], jobs.items.map((row) => [make("code", {title: row.id}, row.id.slice(0, 13)), words(row.state), row.running_device || row.device || row.accelerator || "any",
					Array.isArray(row.suite) ? row.suite.join(", ") : row.suite, moment(row.created_at), progress(row), result(row),
					UNFINISHED.has(row.state) && !row.cancel_requested ? make("button", {type: "button", "aria-label": `cancel ${row.id}`, click: () => act("DELETE", `/v1/benchmarks/${row.id}`, undefined, "The benchmark is cancelled.")}, "Cancel") : ""])) :
					make("p", {}, "No benchmark has been queued yet."));
			}
			if (!ending.signal.aborted && (attached.looking || jobs.items.some((row) => UNFINISHED.has(row.state))))
				timer = setTimeout(load, POLL_MS);
		} catch (error) {
			if (error.name !== "AbortError")
				said.textContent = error.message;
		}
	}

	load();
	onReady(load, ending.signal);
	return {
		title: "Benchmarks",
		element: make("section", {}, make("h1", {}, "Benchmarks"), said, devices, queue),
		close() {
			ending.abort();
			clearTimeout(timer);
		},
	};
}

// Ask: a form that plans while one types. The permalink holds the form.
import {renderAnswer} from "./answer.js";
import {idempotencyKey, onReady, pages, Problem, send} from "./client.js";
import {make, quantity, words} from "./elements.js";

const DEBOUNCE_MS = 350;
const EXPAND = "front,confidence,details,advice,autoscaling";

// A row is a field: its path in the request, its label and a hint. `kind` says how text becomes a value and what is wrong without
// asking the daemon. `only`: the kind of request; `more`: behind "More".
const FIELDS = [
	{path: "tokens", only: "training", label: "Tokens", hint: "15T, 300B", kind: "count", value: "1T", needed: true},
	{path: "deadline_hours", only: "training", label: "Deadline", hint: "30d, 18h", kind: "hours", value: "30d", slider: {min: 1, max: 180, suffix: "d", name: "Deadline in days"}},
	{path: "queries_per_minute", only: "inference", label: "Queries a minute", hint: "600", kind: "count", value: "600", needed: true, slider: {min: 10, max: 6000, suffix: "", name: "Queries a minute"}},
	{path: "prompt_tokens", only: "inference", label: "Prompt tokens", hint: "1000", kind: "count", value: "1000", needed: true},
	{path: "output_tokens", only: "inference", label: "Output tokens", hint: "300", kind: "count", value: "300", needed: true},
	{path: "slo.ttft_ms", only: "inference", label: "First token within", hint: "1s, 500ms", kind: "ms", value: "1s"},
	{path: "slo.tpot_ms", only: "inference", label: "Each next token within", hint: "50ms", kind: "ms", value: "50ms"},
	{path: "accelerator", label: "Accelerators", hint: "any; or h100, b200", kind: "list", list: "accelerators", plural: "accelerators"},
	{path: "objective", label: "Objective", kind: "choice", choices: ["cost", "time", "energy", "carbon", "gpus"]},
	{path: "gpu_count", label: "Number of accelerators", hint: "chosen", kind: "whole", more: true},
	{path: "precision", only: "training", label: "Precision", kind: "choice", choices: ["bf16", "fp8", "mxfp8", "nvfp4", "fp16", "tf32", "fp32"], more: true},
	{path: "precision", only: "inference", label: "Weights", kind: "choice", choices: ["bf16", "fp8", "mxfp8", "nvfp4", "mxfp4", "int8", "int4", "fp16"], more: true},
	{path: "stack", only: "training", label: "Software", kind: "choice", choices: ["generic", "megatron_lm", "megatron_deepspeed", "megatron_core", "fsdp", "torchtitan", "internevo", "maxtext"], more: true},
	{path: "engine", only: "inference", label: "Engine", kind: "choice", choices: ["generic", "vllm", "tensorrt_llm", "sglang"], more: true},
	{path: "budget_usd", only: "training", label: "Budget, USD", hint: "none", kind: "count", more: true},
	{path: "carbon_cap_kgco2e", label: "Carbon cap, kg CO2e", hint: "none", kind: "count", more: true},
	{path: "sequence_length", only: "training", label: "Tokens per sequence", hint: "4096", kind: "whole", more: true},
	{path: "redundancy", only: "inference", label: "Spare replicas", kind: "choice", choices: ["none", "n_plus_1", "n_plus_2"], more: true},
	{path: "site.provider", label: "Provider", hint: "any", kind: "text", list: "providers", more: true},
	{path: "site.region", label: "Its region", hint: "any", kind: "text", list: "regions", more: true},
	{path: "site.country", label: "or country", hint: "FR, DE, US-CA", kind: "text", more: true},
	{path: "pricing.usd_per_gpu_hour", label: "USD per GPU-hour", hint: "catalogue", kind: "count", more: true},
	{path: "confidence", label: "Probability to hold limits", hint: "0.8", kind: "count", more: true},
	{path: "daily_profile", only: "inference", label: "Load by the hour", hint: "24 or 168 numbers", kind: "numbers", more: true, wide: true},
];

// What a value must look like, and what to say otherwise. The daemon checks ranges and names.
const KINDS = {
	count: [/^\d[\d,_]*(\.\d+)?(e[+-]?\d+)?\s*[KMBGTPE]?$|^\.\d+$/i, "a number such as 600, 1.5e12 or 15.6T"],
	whole: [/^\d+$/, "a whole number"],
	hours: [/^\d+(\.\d+)?(e[+-]?\d+)?\s*(s|m|min|h|d|w)?$/i, "a time such as 18h, 30d or 720 (hours)"],
	ms: [/^\d+(\.\d+)?\s*(ms|s)?$/i, "a time such as 500ms, 1s or 500 (ms)"],
	numbers: [/^[\d.\s,;]+$/, "24 or 168 numbers, with spaces or commas between them"],
};

const state = {kind: "training", source: "name", model: "llama-3.1-8b", config: "", values: new Map()};
const fieldKey = (field) => `${field.only || ""}:${field.path}`;
for (const field of FIELDS)
	state.values.set(fieldKey(field), field.value || "");
let catalogue = null; // ids for the lists of suggestions

function put(request, path, value) {
	const names = path.split("."), last = names.pop();
	let target = request;
	for (const name of names)
		target = target[name] ||= {};
	target[last] = value;
}

function valueOf(field, text) {
	if (field.kind === "list") {
		const items = text.split(",").map((item) => item.trim()).filter(Boolean);
		return items.length > 1 ? items : items[0];
	}
	if (field.kind === "numbers")
		return text.split(/[\s,;]+/).filter(Boolean).map(Number);
	const bare = text.replaceAll(/[,_](?=\d)/g, "");
	return field.kind !== "text" && field.kind !== "choice" && /^[\d.]+(e[+-]?\d+)?$/i.test(bare) ? Number(bare) : field.kind === "text" || field.kind === "choice" ? text : bare.replaceAll(" ", "");
}

// Returns {request, faults}: what can be known to be wrong here is not sent.
function readForm() {
	const request = {}, faults = [];
	if (state.source === "name") {
		if (state.model.trim())
			request.model = state.model.trim();
		else
			faults.push({pointer: "/model", detail: "give the name of a model"});
	} else if (!state.config.trim()) {
		faults.push({pointer: "/model/config", detail: "paste the config.json of the model"});
	} else {
		try {
			request.model = {config: JSON.parse(state.config)};
		} catch (error) {
			faults.push({pointer: "/model/config", detail: `is not JSON: ${error.message}`});
		}
	}
	for (const field of FIELDS.filter((row) => !row.only || row.only === state.kind)) {
		const text = state.values.get(fieldKey(field)).trim(), rule = KINDS[field.kind];
		const pointer = `/${field.path.replaceAll(".", "/")}`;
		if (!text) {
			if (field.needed)
				faults.push({pointer, detail: "is needed"});
			continue;
		}
		if (rule && !rule[0].test(text)) {
			faults.push({pointer, detail: `should be ${rule[1]}`});
			continue;
		}
		const value = valueOf(field, text);
		if (field.kind === "numbers" && value.length !== 24 && value.length !== 168)
			faults.push({pointer, detail: `should be 24 or 168 numbers, are ${value.length}`});
		else if (field.plural && Array.isArray(value))
			request[field.plural] = value;
		else if (value !== undefined)
			put(request, field.path, value);
	}
	return {request, faults};
}

// The form as text of the permalink, and back.
function toQuery() {
	const query = new URLSearchParams({kind: state.kind});
	if (state.source === "config")
		query.set("config", state.config);
	else
		query.set("model", state.model);
	for (const field of FIELDS.filter((row) => !row.only || row.only === state.kind)) {
		const text = state.values.get(fieldKey(field)).trim();
		if (text || field.value)
			query.set(field.path, text);
	}
	return query;
}

function fromQuery(query) {
	if (!query.has("kind") && !query.has("model") && !query.has("config"))
		return;
	state.kind = query.get("kind") === "inference" ? "inference" : "training";
	state.source = query.has("config") ? "config" : "name";
	state.model = query.get("model") ?? state.model;
	state.config = query.get("config") ?? state.config;
	for (const field of FIELDS.filter((row) => !row.only || row.only === state.kind))
		state.values.set(fieldKey(field), query.get(field.path) ?? "");
}

// The permalink of a form with the fields of a stored plan. Fields that the form lacks are left out.
export function linkToRequest(kind, request) {
	const query = new URLSearchParams({kind});
	if (typeof request.model === "string")
		query.set("model", request.model);
	else if (request.model?.config)
		query.set("config", JSON.stringify(request.model.config));
	for (const field of FIELDS.filter((row) => !row.only || row.only === kind)) {
		const value = field.path.split(".").reduce((node, name) => node?.[name], request) ?? (field.plural && request[field.plural]);
		if (value !== undefined && value !== null && (typeof value !== "object" || (Array.isArray(value) && value.every((item) => typeof item !== "object"))))
			query.set(field.path, Array.isArray(value) ? value.join(", ") : String(value));
	}
	return `#/ask?${query}`;
}

async function suggestions() {
	if (!catalogue) {
		const [models, accelerators, regions] = await Promise.all(["/v1/models", "/v1/accelerators", "/v1/regions"].map((path) => pages(path)));
		catalogue = {
			models: models.map((row) => [row.id, row.params_total ? `${quantity("count", row.params_total)} parameters` : ""]),
			accelerators: accelerators.map((row) => [row.id, row.name]),
			providers: [...new Set(regions.map((row) => row.provider))].map((id) => [id, ""]),
			regions: regions.map((row) => [row.region_id, `${row.provider}, ${row.location || row.country_zone || ""}`]),
		};
	}
	return catalogue;
}

export function view(query) {
	const ending = new AbortController();
	const form = make("form", {class: "ask", "aria-label": "What to plan", novalidate: true});
	const general = make("div", {class: "faults", role: "alert"});
	const status = make("p", {class: "status", role: "status", "aria-live": "polite", tabindex: -1});
	const answer = make("div", {class: "answer"});
	const save = make("button", {type: "button", disabled: true}, "Store as a plan");
	const name = make("input", {id: "plan-name", placeholder: "name of the plan", maxlength: 200, autocomplete: "off"});
	const stored = make("p", {role: "status", "aria-live": "polite"});
	const lists = make("div", {hidden: true});
	let running = null, timer = 0, planned = null, storing = null;
	const boxes = new Map(); // JSON pointer -> {input, fault}

	fromQuery(query);

	function box(pointer, label, input, extra) {
		const id = `field${pointer.replaceAll(/[/_]/g, "-")}`;
		const fault = make("p", {class: "fault", id: `${id}-fault`, hidden: true});
		input.id = id;
		input.setAttribute("aria-describedby", fault.id);
		boxes.set(pointer, {input, fault});
		return make("div", {class: "field"}, make("label", {for: id}, label), input, extra, fault);
	}

	function inputOf(field) {
		const key = fieldKey(field), pointer = `/${field.path.replaceAll(".", "/")}`;
		let input, slider = null;
		const typed = (event) => {
			state.values.set(key, event.target.value);
			if (slider)
				slide();
			changed();
		};
		function slide() {
			const number = Number.parseFloat(state.values.get(key));
			if (number > 0)
				slider.value = Math.log(number);
		}
		if (field.kind === "choice") {
			input = make("select", {change: typed}, make("option", {value: ""}, "default"), field.choices.map((choice) => make("option", {value: choice}, words(choice))));
		} else {
			input = make("input", {type: "text", input: typed, placeholder: field.hint, list: field.list && `list-${field.list}`, autocomplete: "off", spellcheck: "false", autocapitalize: "off"});
		}
		input.value = state.values.get(key);
		if (field.slider) {
			const {min, max, suffix, name: label} = field.slider;
			slider = make("input", {type: "range", min: Math.log(min), max: Math.log(max), step: "any", "aria-label": label, input: () => {
				const number = Math.exp(Number(slider.value));
				input.value = `${Number(number.toPrecision(number < 10 ? 1 : 2))}${suffix}`;
				state.values.set(key, input.value);
				changed();
			}, keydown: (event) => {
				const step = {ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1}[event.key];
				if (step) {
					event.preventDefault();
					slider.value = Number(slider.value) + step * (Math.log(max / min) / 40);
					slider.dispatchEvent(new Event("input"));
				}
			}});
			slide();
		}
		return make("div", {class: field.wide ? "wide" : ""}, box(pointer, field.label, input, slider));
	}

	function build() {
		const rows = FIELDS.filter((row) => !row.only || row.only === state.kind), more = rows.filter((row) => row.more);
		boxes.clear();
		const model = state.source === "name" ?
			box("/model", "Model", make("input", {type: "text", list: "list-models", value: state.model, placeholder: "llama-3.1-8b", autocomplete: "off", spellcheck: "false", autocapitalize: "off", input: (event) => {
				state.model = event.target.value;
				changed();
			}})) :
			box("/model/config", "config.json of the model", make("textarea", {rows: 6, spellcheck: "false", input: (event) => {
				state.config = event.target.value;
				changed();
			}}, state.config));
		const radio = (group, value, label) => make("label", {class: "choice"}, make("input", {type: "radio", name: group, value, checked: state[group] === value, change: () => {
			state[group] = value;
			build();
			form.querySelector(`input[name=${group}][value=${value}]`).focus();
			changed();
		}}), label);
		form.replaceChildren(
			make("fieldset", {class: "row"}, make("legend", {}, "Plan"), radio("kind", "training", "a training"), radio("kind", "inference", "a service")),
			make("fieldset", {class: "row"}, make("legend", {}, "Model by"), radio("source", "name", "name"), radio("source", "config", "config.json")),
			model,
			make("div", {class: "grid"}, rows.filter((row) => !row.more).map(inputOf)),
			make("details", {open: more.some((row) => state.values.get(fieldKey(row)))}, make("summary", {}, "More: number, place, price, software"), make("div", {class: "grid"}, more.map(inputOf))),
			make("div", {class: "row save"}, make("label", {for: "plan-name", class: "hidden"}, "Name of the plan"), name, save), stored);
	}

	function clear() {
		general.replaceChildren();
		for (const {input, fault} of boxes.values()) {
			input.removeAttribute("aria-invalid");
			fault.hidden = true;
			fault.textContent = "";
		}
	}

	const last = () => (answer.hasChildNodes() ? " Below is the last answer." : "");

	// Shows each fault at its field: the box whose pointer is the longest beginning of the fault's. Others are shown above the answer.
	function show(faults, detail) {
		const rest = [];
		clear();
		for (const fault of faults) {
			const pointer = fault.pointer.replace(/^\/accelerators(\/\d+)?/, "/accelerator").replace(/^\/site$/, "/site/provider");
			const found = [...boxes.keys()].filter((key) => pointer === key || pointer.startsWith(`${key}/`)).sort((a, b) => b.length - a.length)[0] ||
				(pointer.startsWith("/model") && [...boxes.keys()].find((key) => key.startsWith("/model")));
			if (!found) {
				rest.push(`${fault.pointer} ${fault.detail}`);
				continue;
			}
			const {input, fault: place} = boxes.get(found);
			input.setAttribute("aria-invalid", "true");
			input.closest("details")?.setAttribute("open", "");
			place.hidden = false;
			place.textContent += `${place.textContent && "; "}${pointer.slice(found.length + 1)} ${fault.detail}`.trim();
		}
		if (detail || rest.length)
			general.replaceChildren(...[detail, ...rest].filter(Boolean).map((text) => make("p", {class: "fault"}, text)));
	}

	function changed() {
		clearTimeout(timer);
		running?.abort();
		running = null;
		save.disabled = true;
		storing = null;
		stored.replaceChildren();
		answer.classList.add("old");
		history.replaceState(null, "", `#/ask?${toQuery()}`);
		const {faults} = readForm();
		if (faults.length) {
			show(faults);
			status.textContent = `Not planned yet: a field needs something.${last()}`;
			return;
		}
		timer = setTimeout(plan, DEBOUNCE_MS);
	}

	async function plan() {
		const {request, faults} = readForm(), kind = state.kind, mine = new AbortController();
		if (faults.length)
			return show(faults);
		running?.abort();
		running = mine;
		status.textContent = "Planning …";
		answer.classList.add("old");
		try {
			const begun = performance.now();
			const {data} = await send("POST", `/v1/estimates/${kind}?expand=${EXPAND}`, {body: request, signal: mine.signal});
			if (running !== mine)
				return;
			clear();
			planned = {request, kind};
			const opened = openParts();
			answer.replaceChildren(renderAnswer(data, {
				pick: (option) => choose(option),
				sensitivity: (signal) => send("POST", `/v1/estimates/${kind}?expand=sensitivity`, {body: request, signal: AbortSignal.any ? AbortSignal.any([signal, mine.signal]) : signal}).then((reply) => reply.data.result.sensitivity),
			}));
			answer.classList.remove("old");
			openParts(opened);
			status.textContent = `Planned in ${quantity("seconds", (performance.now() - begun) / 1000)}, with catalogue revision ${data.catalogue_revision} and calibration revision ${data.calibration_revision}.`;
			save.disabled = false;
		} catch (error) {
			if (error.name === "AbortError" || running !== mine)
				return;
			if (!(error instanceof Problem))
				throw error;
			status.textContent = error.status === 0 ? "Waiting for the daemon." : error.status === 401 ? "Waiting for a key." : error.status === 503 || error.status === 429 ? "The daemon is busy. The page tries again in 3 s." : `No plan for this request.${last()}`;
			if (error.status === 503 || error.status === 429)
				timer = setTimeout(plan, 3000);
			else if (error.status)
				show(error.faults, error.faults.length ? "" : error.message);
		}
	}

	// The first words of the parts of the answer that are open; opens those of `names`.
	function openParts(names = []) {
		const parts = [...answer.querySelectorAll("details")], wordOf = (part) => part.querySelector("summary").textContent.split(" ")[0];
		for (const part of parts.filter((one) => names.includes(wordOf(one))))
			part.open = true;
		return parts.filter((part) => part.open).map(wordOf);
	}

	function choose(option) {
		const set = (path, value) => state.values.set(fieldKey(FIELDS.find((row) => row.path === path)), value === undefined ? "" : String(value));
		set("accelerator", option.accelerator);
		set("gpu_count", option.gpu_count);
		if (option.offer) {
			set("site.provider", option.offer.provider);
			set("site.region", option.offer.region);
			set("site.country", "");
		}
		build();
		changed();
		status.focus(); // the point that had the focus is about to be replaced
	}

	save.addEventListener("click", async () => {
		const {request, kind} = planned;
		storing ||= idempotencyKey();
		save.disabled = true;
		stored.textContent = "Storing …";
		try {
			const {data} = await send("POST", `/v1/plans/${kind}?expand=none`, {body: name.value.trim() ? {...request, name: name.value.trim()} : request, headers: {"Idempotency-Key": storing}});
			stored.replaceChildren("Stored: ", make("a", {href: `#/plans/${data.id}`}, data.name || data.id));
			storing = null;
		} catch (error) {
			stored.textContent = `Not stored: ${error.message} The form is kept; store it again.`;
			save.disabled = false;
		}
	});

	name.addEventListener("input", () => {
		storing = null;
	});
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		clearTimeout(timer);
		plan();
	});
	const suggest = () => suggestions().then((all) => lists.replaceChildren(...Object.entries(all).map(([list, rows]) =>
		make("datalist", {id: `list-${list}`}, rows.map(([value, label]) => make("option", {value, label: label || undefined})))))).catch(() => undefined);

	build();
	suggest();
	onReady(() => {
		suggest();
		changed();
	}, ending.signal);
	changed();
	return {
		title: "Ask",
		element: make("div", {class: "two"}, make("section", {}, make("h1", {}, "What hardware does this need?"), form, lists), make("section", {"aria-label": "Answer"}, status, general, answer)),
		close() {
			ending.abort();
			clearTimeout(timer);
			running?.abort();
		},
	};
}

// Draws an estimate or a plan: the sentence, figures with ranges, alternatives, plots, warnings and assumptions.
import {fan, hours, parts, scatter, tornado} from "./charts.js";
import {change, digits, make, percent, quantity, span, table, words} from "./elements.js";

const FIGURES = [
	["wall_clock_hours", "Duration", "hours"], ["total_usd", "Cost", "usd"], ["usd_per_month", "Cost a month", "usd"],
	["total_kwh", "Energy", "kwh"], ["total_kgco2e", "Carbon", "kgco2e"],
];
const INTERVALS = [
	["wall_clock_hours", "Duration", "hours"], ["gpu_hours", "Accelerator-hours", "count"], ["step_time_s", "Step", "seconds"], ["total_usd", "Cost", "usd"],
	["usd_per_month", "Cost a month", "usd"], ["total_kwh", "Energy", "kwh"], ["kwh_per_month", "Energy a month", "kwh"], ["total_kgco2e", "Carbon", "kgco2e"],
	["kgco2e_per_month", "Carbon a month", "kgco2e"], ["ttft_ms", "First token", "ms"], ["tpot_ms", "Each next token", "ms"], ["output_tokens_per_s", "Output tokens a second", "count"],
	["gpu_count", "Accelerators", "count"],
];
const MEMORY = ["weights", "gradients", "optimizer", "kv_cache", "activations", "overhead"];

const known = (value) => value !== undefined && value !== null;

function place(offer) {
	return offer ? [offer.provider, offer.region, words(offer.term || "")].filter(Boolean).join(", ") : "";
}

function figures(summary, option) {
	const counts = [["Accelerators", `${digits(summary.gpu_count, 9)} × ${summary.accelerator}`], ["Replicas", known(summary.replicas) ? digits(summary.replicas, 9) : null], ["From", place(option.cost?.offer) || null]];
	return make("dl", {class: "figures"},
		counts.filter(([, value]) => value).map(([label, value]) => make("div", {}, make("dt", {}, label), make("dd", {}, value))),
		FIGURES.filter(([key]) => known(summary[key]?.value)).map(([key, label, unit]) => make("div", {}, make("dt", {}, label, key.startsWith("total_k") && known(summary.usd_per_month) ? " a month" : ""),
			make("dd", {}, make("strong", {}, quantity(unit, summary[key].value)), make("small", {}, ` 8 in 10: ${span(unit, summary[key].low, summary[key].high)}`)))));
}

function promises(option) {
	const units = {deadline: "hours", budget: "usd", energy_cap: "kwh", carbon_cap: "kgco2e", slo: "ms"};
	const names = {ttft_ms: "first token", tpot_ms: "each next token", e2e_ms: "whole request"};
	const limit = (row) => (row.what === "load" ? `up to ${digits(row.limit)} requests/s` : `at most ${quantity(units[row.what] || "plain", row.limit)}`);
	const odds = (share) => (share > 0.99 ? "more than 99 %" : share < 0.01 ? "less than 1 %" : percent(share));
	const list = option.promises || [];
	return list.length ? make("ul", {class: "promises"}, list.map((row) => make("li", {}, `${names[row.member] || words(row.member || row.what)}, ${limit(row)}: held with a probability of ${odds(row.probability)}`))) : null;
}

function alternatives(result) {
	const serving = known(result.summary?.replicas);
	const list = (result.alternatives || []).filter((row) => row.reason);
	return list.length ? table("Alternatives", ["Instead", serving ? "Replicas" : "Duration", serving ? "Cost a month" : "Cost", "Energy", "Carbon", "Why"], list.map((row) => [
		`${digits(row.gpu_count, 9)} × ${row.accelerator}`, serving ? digits(row.replicas, 9) : quantity("hours", row.wall_clock_hours), quantity("usd", serving ? row.usd_per_month : row.total_usd),
		quantity("kwh", row.total_kwh), quantity("kgco2e", row.total_kgco2e), row.reason]), {class: "told"}) : null;
}

function front(result, pick) {
	const list = result.front || [], serving = known(result.summary?.replicas), best = result.recommended;
	const isBest = (row) => row.accelerator === best.accelerator && row.gpu_count === best.gpu_count && row.offer?.provider === best.cost?.offer?.provider && row.offer?.region === best.cost?.offer?.region;
	return scatter(serving ? "Latency, cost and carbon of the options that no other option beats" : "Duration, cost and carbon of the options that no other option beats",
		serving ? {x: "ms", y: "usd", z: "kgco2e", xName: "time of a whole request", yName: "USD a month"} : {x: "hours", y: "usd", z: "kgco2e", xName: "duration", yName: "USD"},
		list.map((row) => ({x: serving ? row.e2e_ms : row.hours, y: serving ? row.usd_per_month : row.usd, z: serving ? row.kgco2e_per_month : row.kgco2e,
			label: `${row.gpu_count} × ${row.accelerator}${row.offer ? ` (${place(row.offer)})` : ""}`, chosen: isBest(row)})), pick && ((i) => pick(list[i])));
}

function step(option) {
	const list = Object.entries(option.step || {}).filter(([key]) => key !== "time_s" && key.endsWith("_s"));
	if (list.length)
		return parts(`A step: ${quantity("seconds", option.step.time_s)}, MFU ${percent(option.mfu)}, limited by ${words(option.bottleneck?.kind || "")}`, "seconds", list.map(([key, value]) => [words(key.slice(0, -2)), value]));
	const shares = Object.entries(option.bottleneck?.shares || {});
	return shares.length ? make("p", {}, `Limited by ${words(option.bottleneck.kind)}: `, shares.map(([key, value]) => `${words(key)} ${percent(value)}`).join(", "), ".") : null;
}

function memory(option) {
	const list = MEMORY.filter((key) => option.memory?.[`${key}_bytes`] > 0).map((key) => [words(key), option.memory[`${key}_bytes`]]);
	return list.length ? parts("Memory of one accelerator", "bytes", list, option.memory.capacity_bytes) : null;
}

function latency(option, request) {
	if (!option.latency)
		return null;
	return table("Latency under this load", ["", "Half of the requests", "95 %", "99 %", "Limit"], [["ttft_ms", "First token"], ["tpot_ms", "Each next token"], ["e2e_ms", "Whole request"]].filter(([key]) => option.latency[key]).map(([key, label]) =>
		[label, ...["p50", "p95", "p99"].map((name) => quantity("ms", option.latency[key][name])), known(request?.slo?.[key]) ? quantity("ms", request.slo[key]) : "–"]));
}

function intervals(option) {
	const list = INTERVALS.filter(([key]) => option.interval?.[key]);
	return list.length ? table("Ranges: 8 in 10 runs end within them", ["Figure", "One third to three times the middle", "p10 to p90", "Middle"], list.map(([key, label, unit]) => {
		const {p10, p50, p90} = option.interval[key];
		return [label, fan(p10, p50, p90), span(unit, p10, p90), quantity(unit, p50)];
	})) : null;
}

function day(result) {
	const replicas = result.recommended.autoscaling || [], list = result.hours || [];
	if (!replicas.length)
		return null;
	return [hours("Replicas by the hour", "plain", replicas.map((row) => [row.hour, row.replicas])),
		list.length ? hours("Operational carbon by the hour, a month", "kgco2e", list.map((row) => [row.hour, row.operational_kgco2e_per_month])) : null];
}

function curve(result) {
	const list = result.confidence_curve || [];
	if (!list.length)
		return null;
	const columns = [["gpu_count", "Accelerators", "count"], ["replicas", "Replicas", "plain"], ["wall_clock_hours", "Duration", "hours"], ["total_usd", "Cost", "usd"], ["usd_per_month", "Cost a month", "usd"]].filter(([key]) => known(list[0][key]));
	return table("What more certainty costs: figures that hold with this probability", ["Probability", ...columns.map(([, label]) => label)], list.map((row) => [percent(row.confidence), ...columns.map(([key, , unit]) => (key === "gpu_count" ? digits(row[key], 9) : quantity(unit, row[key])))]));
}

function uncertainties(result) {
	const list = (result.uncertainties || []).slice(0, 4);
	return list.length ? make("section", {}, make("h3", {}, "What would narrow the ranges"), make("ul", {}, list.map((row) => make("li", {}, make("strong", {}, words(row.field)),
		known(row.total_usd ?? row.usd_per_month) ? ` (${quantity("usd", row.total_usd ?? row.usd_per_month)})` : "", `: ${row.cure}`)))) : null;
}

function texts(title, list, kind = "") {
	return list?.length ? make("section", {class: kind}, make("h3", {}, title), make("ul", {}, list.map((item) => make("li", {}, item)))) : null;
}

const shown = (value) => (typeof value === "number" ? digits(value, 4) : typeof value === "object" && value !== null ? JSON.stringify(value) : String(value));

function assumptions(list, title) {
	return list?.length ? table(title, ["Assumption", "Value", "Source"], list.map((row) => [words(row.field), shown(row.value), row.source]), {class: "told"}) : null;
}

// `sensitivity(signal)` returns the rows of the tornado; it is asked when the reader opens it, because it plans again for each input.
function moves(result, sensitivity) {
	if (result.sensitivity?.length)
		return tornado(result.sensitivity);
	if (!sensitivity)
		return null;
	const place = make("div", {"aria-live": "polite"});
	const details = make("details", {class: "moves"}, make("summary", {}, "What moves this answer (computed when opened)"), place);
	const ending = new AbortController();
	let asked = false;
	details.addEventListener("toggle", async () => {
		if (!details.open || asked)
			return;
		asked = true;
		place.textContent = "Computing …";
		try {
			place.replaceChildren(tornado(await sensitivity(ending.signal)));
		} catch (error) {
			asked = false;
			place.textContent = error.name === "AbortError" ? "" : `${error.message} Close and open this part to try again.`;
		}
	});
	return details;
}

// `answer`: an estimate or a plan. `pick(option)`: called with a row of the front that is chosen.
export function renderAnswer(answer, {pick, sensitivity} = {}) {
	const {result, request} = answer, option = result.recommended, all = result.assumptions || [];
	return make("article", {},
		make("p", {class: "summary"}, result.summary?.text || `${option.gpu_count} × ${option.accelerator}`),
		texts("Warnings", result.warnings, "warnings"),
		result.summary ? figures(result.summary, option) : null,
		promises(option),
		make("h2", {}, "Instead"), alternatives(result) || make("p", {class: "hint"}, "No other option really differs."), front(result, pick),
		make("h2", {}, "How sure"), intervals(option), curve(result), moves(result, sensitivity), uncertainties(result),
		make("h2", {}, "Why"), step(option), memory(option), latency(option, request), day(result),
		result.advice?.length ? make("section", {}, make("h3", {}, "Advice"), make("ul", {}, result.advice.slice(0, 8).map((row) => make("li", {class: row.severity}, row.detail, row.effect ? make("em", {}, ` ${row.effect}`) : "")))) : null,
		assumptions(all.slice(0, 5), "The assumptions that move it most"),
		all.length > 5 ? make("details", {}, make("summary", {}, `All ${all.length} assumptions`), assumptions(all, "All assumptions")) : null);
}

export const compareChange = (before, after) => (before ? change(after / before - 1) : "–");

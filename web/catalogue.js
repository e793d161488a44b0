// Catalogue: accelerators, prices, regions and models, with their sources.
import {digits, make, moment, quantity, table, words} from "./elements.js";
import {listView} from "./plans.js";

const known = (value, unit = "") => (value === undefined || value === null ? "–" : `${typeof value === "number" ? digits(value, 4) : value}${unit}`);
const source = [["Source", (row) => make("span", {title: row.unverified ? `not verified: ${words(row.unverified)}` : undefined}, row.source || "–", row.unverified ? " (some figures not verified)" : "")],
	["Date", (row) => row.source_date || "–"], ["Origin", (row) => row.origin]];

const KINDS = {
	accelerators: [["Accelerator", (row) => row.name || row.id], ["Id", (row) => make("code", {}, row.id)], ["Memory", (row) => known(row.memory_gb, " GB")], ["Bandwidth", (row) => known(row.memory_bandwidth_gbs, " GB/s")], ["BF16", (row) => known(row.tflops_bf16, " TFLOP/s")],
		["FP8", (row) => known(row.tflops_fp8, " TFLOP/s")], ["Power", (row) => known(row.tdp_w, " W")], ["Link", (row) => words(row.interconnect || "–")], ...source],
	prices: [["Instance", (row) => row.instance_type || row.id], ["Provider", (row) => row.provider], ["Region", (row) => row.region || "any"], ["Accelerators", (row) => `${row.gpus} × ${row.accelerator_id}`],
		["USD per accelerator-hour", (row) => (row.price_usd_per_hour ? digits(row.price_usd_per_hour / row.gpus) : "–")], ["Term", (row) => words(row.pricing_model || "–")], ["As of", (row) => row.as_of || "–"], ...source],
	regions: [["Region", (row) => row.region_id || row.id], ["Provider", (row) => row.provider], ["Place", (row) => row.location || row.country_zone || "–"], ["Grid", (row) => known(row.grid_gco2e_per_kwh, " g CO2e/kWh")], ["PUE", (row) => known(row.pue)],
		["Water", (row) => known(row.wue_l_per_kwh, " l/kWh")], ["Year", (row) => known(row.year && String(row.year))], ...source],
	models: [["Model", (row) => row.id], ["Parameters", (row) => quantity("count", row.params_total)], ["Active", (row) => quantity("count", row.params_active)], ["Layers", (row) => known(row.config?.num_hidden_layers ?? row.config?.n_layer)],
		["Aliases", (row) => (row.aliases || []).join(", ") || "–"], ["Plan", (row) => make("span", {}, make("a", {href: `#/ask?kind=training&model=${encodeURIComponent(row.id)}&tokens=1T&deadline_hours=30d`}, "training"), ", ",
			make("a", {href: `#/ask?kind=inference&model=${encodeURIComponent(row.id)}&queries_per_minute=600&prompt_tokens=1000&output_tokens=300`}, "service"))], ...source],
};

export function view(query, path) {
	const kind = KINDS[path[1]] ? path[1] : "accelerators", columns = [...KINDS[kind], ["Valid from", (row) => moment(row.valid_from)]];
	return listView("Catalogue", {path: `/v1/${kind}`, hash: `#/catalogue/${kind}`, query, hint: "id, name or alias", empty: "The catalogue has no such rows.",
		head: make("div", {}, make("h1", {}, "Catalogue"), make("nav", {class: "tabs", "aria-label": "Kinds"}, Object.keys(KINDS).map((name) => make("a", {href: `#/catalogue/${name}`, "aria-current": name === kind ? "page" : undefined}, name)))),
		rows: (items) => table(`Rows of ${kind}`, columns.map(([head]) => head), items.map((row) => columns.map(([, cell]) => cell(row))), {class: "catalogue"})});
}

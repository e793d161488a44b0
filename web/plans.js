// Plans: the list, one plan with its revisions, and plans side by side.
import {compareChange, renderAnswer} from "./answer.js";
import {linkToRequest} from "./ask.js";
import {download, get, onReady, send} from "./client.js";
import {digits, make, moment, quantity, table, words} from "./elements.js";

const EXPORTS = [["Markdown", "text/markdown", "md"], ["CSV", "text/csv", "csv"], ["JSON", "application/json", "json"]];
const CHANGED = [["gpu_count", "Accelerators", "plain"], ["hours", "Duration", "hours"], ["usd_per_gpu_hour", "Price per accelerator-hour", "usd"], ["usd", "Cost", "usd"], ["kwh", "Energy", "kwh"], ["kgco2e", "Carbon", "kgco2e"]];

function exportButtons(path, name) {
	return EXPORTS.map(([label, media, ending]) => make("button", {type: "button", click: async (event) => {
		const button = event.currentTarget;
		try {
			const {data} = await send("GET", path, {headers: {Accept: media}, text: true});
			download(`${name}.${ending}`, data, media);
		} catch (error) {
			button.after(make("span", {class: "fault", role: "alert"}, error.message));
		}
	}}, label));
}

// Loads into an element, again when the daemon is back. `load(signal)` returns the content.
function loaded(title, load) {
	const ending = new AbortController(), place = make("div", {}, make("p", {role: "status"}, "Loading …"));
	const refresh = async () => {
		try {
			place.replaceChildren(...[await load(ending.signal)].flat().filter(Boolean));
		} catch (error) {
			if (error.name !== "AbortError")
				place.replaceChildren(make("p", {class: "fault", role: "alert"}, error.status === 404 ? `${error.message} It may have been deleted.` : error.message));
		}
	};
	refresh();
	onReady(refresh, ending.signal);
	return {title, element: place, refresh, close: () => ending.abort()};
}

// A page of a list, its search field and "next". `rows(items)` draws them. The permalink holds the search text and the cursor.
export function listView(title, {path, hash, query, head, rows, hint, empty}) {
	const search = make("input", {type: "search", id: "search", value: query.get("q") || "", placeholder: hint, autocomplete: "off"});
	const own = loaded(title, async (signal) => {
		const parameters = new URLSearchParams({limit: "50"});
		for (const name of ["q", "cursor"])
			if (query.get(name))
				parameters.set(name, query.get(name));
		const page = await get(`${path}?${parameters}`, {signal});
		const next = new URLSearchParams({...(query.get("q") ? {q: query.get("q")} : {}), cursor: page.next_cursor || ""});
		return [page.items.length ? rows(page.items) : make("p", {}, query.get("q") ? "Nothing matches this search." : empty),
			make("p", {class: "row"}, query.get("cursor") ? make("a", {href: `${hash}${query.get("q") ? `?q=${encodeURIComponent(query.get("q"))}` : ""}`}, "first page") : null, page.next_cursor ? make("a", {href: `${hash}?${next}`, rel: "next"}, "next page") : null)];
	});
	const form = make("form", {role: "search", class: "row", submit: (event) => {
		event.preventDefault();
		location.hash = `${hash.slice(1)}${search.value.trim() ? `?q=${encodeURIComponent(search.value.trim())}` : ""}`;
	}}, make("label", {for: "search"}, "Search"), search, make("button", {}, "Find"));
	return {...own, element: make("section", {}, head, form, own.element)};
}

// The figures of a row; a plan that an older version computed has none.
function figures({accelerator, summary}) {
	if (!summary)
		return [accelerator || "–", "–", "–", "–", "–"];
	const month = summary.usd_per_month ? " a month" : "";
	return [`${digits(summary.gpu_count, 9)} × ${summary.accelerator}`, summary.wall_clock_hours ? quantity("hours", summary.wall_clock_hours.value) : `${digits(summary.replicas, 9)} replicas`,
		...[["usd", summary.total_usd || summary.usd_per_month], ["kwh", summary.total_kwh], ["kgco2e", summary.total_kgco2e]].map(([unit, figure]) => (figure ? `${quantity(unit, figure.value)}${month}` : "–"))];
}

function list(query) {
	const chosen = new Set();
	const compare = make("button", {type: "button", disabled: true, click: () => {
		location.hash = `/compare?ids=${[...chosen].join(",")}`;
	}}, "Compare the chosen plans");
	return listView("Plans", {path: "/v1/plans", hash: "#/plans", query, hint: "name or notes", empty: "No plan is stored yet. Ask, and store the answer as a plan.",
		head: make("div", {class: "row"}, make("h1", {}, "Plans"), compare),
		rows: (items) => table("Stored plans, the newest first", ["Plan", "Kind", "Model", "Accelerators", "Duration or replicas", "Cost", "Energy", "Carbon", "Computed", "Revision", "Compare"], items.map((row) => [
			make("a", {href: `#/plans/${row.id}`}, row.name || row.id), row.kind === "training" ? "training" : "service", row.model || "own model", ...figures(row), moment(row.computed_at), row.revision,
			make("input", {type: "checkbox", "aria-label": `compare ${row.name || row.id}`, change: (event) => {
				chosen[event.target.checked ? "add" : "delete"](row.id);
				compare.disabled = chosen.size < 2;
			}})]))});
}

function whatChanged(changes) {
	if (!changes)
		return null;
	const {before, after, causes} = changes;
	return make("section", {class: "changes"}, make("h2", {}, "What changed since ", moment(changes.since)),
		changes.difference ? make("p", {}, `The old answer is not reproduced: ${changes.difference}`) : null,
		before.offer === after.offer ? null : make("p", {}, `Offer: ${before.offer || "–"} before, ${after.offer || "–"} now.`),
		table("Before and now", ["Figure", "Before", "Now", "Change"], CHANGED.filter(([key]) => before[key] !== undefined || after[key] !== undefined).map(([key, label, unit]) =>
			[label, quantity(unit, before[key]), quantity(unit, after[key]), before[key] === after[key] ? "none" : compareChange(before[key], after[key])])),
		causes?.length ? make("ul", {}, causes.map((cause) => make("li", {}, Object.entries(cause).filter(([, value]) => typeof value !== "object").map(([key, value]) => `${words(key)}: ${typeof value === "number" ? digits(value) : value}`).join(", ")))) : make("p", {}, "No row of the catalogue and no calibration changed a figure."));
}

function one(id, revision) {
	const path = `/v1/plans/${encodeURIComponent(id)}${revision ? `?revision=${encodeURIComponent(revision)}` : ""}`;
	const said = make("p", {role: "status", "aria-live": "polite"}), changes = make("div");
	let own = null;
	own = loaded("Plan", async (signal) => {
		const [plan, revisions] = await Promise.all([get(path, {signal}), get(`/v1/plans/${encodeURIComponent(id)}/revisions`, {signal}).catch(() => ({items: []}))]);
		if (plan.changes && !changes.hasChildNodes())
			changes.replaceChildren(whatChanged(plan.changes));
		const refresh = make("button", {type: "button", click: async () => {
			refresh.disabled = true;
			said.textContent = "Planning with current data …";
			try {
				const {data} = await send("POST", `/v1/plans/${encodeURIComponent(id)}/refresh`);
				said.textContent = `Revision ${data.revision} is stored.`;
				changes.replaceChildren(whatChanged(data.changes) || "");
				if (revision)
					location.hash = `/plans/${id}`;
				else
					own.refresh();
			} catch (error) {
				said.textContent = error.message;
				refresh.disabled = false;
			}
		}}, "Plan again with current data");
		return [
			make("h1", {}, plan.name || plan.id),
			make("p", {class: "hint"}, `Revision ${plan.revision}, computed `, moment(plan.computed_at), `, catalogue revision ${plan.catalogue_revision}, planner ${plan.planner_version}. `, make("a", {href: linkToRequest(plan.kind, plan.request)}, "Ask again with the fields of the form")),
			plan.notes ? make("p", {}, plan.notes) : null,
			make("div", {class: "row actions"}, refresh, exportButtons(path, plan.name?.replaceAll(/[^\w.-]+/g, "-") || plan.id)), said, changes, renderAnswer(plan),
			revisions.items.length > 1 ? table("Revisions, the newest first", ["Revision", "Computed", "Accelerator", "Catalogue", "Compare"], revisions.items.map((row) => [
				make("a", {href: `#/plans/${id}@${row.revision}`}, `revision ${row.revision}`), moment(row.computed_at), row.accelerator || "–", row.catalogue_revision,
				row.revision === plan.revision ? "shown" : make("a", {href: `#/compare?ids=${id}@${row.revision},${id}@${plan.revision}`}, `with revision ${plan.revision}`)])) : null];
	});
	return own;
}

function shown(cell) {
	const text = cell?.value === undefined || cell.value === null ? "–" : typeof cell.value === "number" ? digits(cell.value, 4) : typeof cell.value === "object" ? JSON.stringify(cell.value) : String(cell.value);
	return cell?.best ? make("strong", {}, `${text} `, make("small", {}, "best")) : text;
}

function compare(query) {
	const ids = query.get("ids") || "", path = `/v1/plans/compare?ids=${encodeURIComponent(ids)}`;
	return loaded("Comparison", async (signal) => {
		const {items, rows, differences, notes} = await get(path, {signal});
		const heads = items.map((plan) => make("a", {href: `#/plans/${plan.id}@${plan.revision}`}, `${plan.name || plan.id.slice(0, 13)}, revision ${plan.revision}`));
		const draw = (caption, list) => table(caption, ["", ...heads.map((head) => head.cloneNode(true))], list.map((row) => [row.title, ...row.values.map(shown)]));
		return [make("h1", {}, "Plans side by side"), make("div", {class: "row actions"}, exportButtons(path, "comparison")),
			notes?.length ? make("ul", {class: "warnings"}, notes.map((note) => make("li", {}, note))) : null,
			items.map((plan, i) => make("p", {class: "hint"}, heads[i].cloneNode(true), `: ${plan.result.summary?.text || ""}`)),
			draw("Figures", rows), differences?.length ? draw("Fields of the requests that differ", differences) : make("p", {}, "The requests are equal."),
		].flat();
	});
}

export function view(query, path) {
	if (path[0] === "compare")
		return compare(query);
	if (!path[1])
		return list(query);
	return one(...path[1].split("@"));
}

export {loaded};

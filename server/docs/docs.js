"use strict";
// Shows /openapi.json for reading. Uses no framework and sends requests only to this daemon. Text is only set as text, never as HTML.

const METHODS = ["get", "post", "put", "patch", "delete"];
const DEPTH_MAX = 6;
let description;

function make(tag, attributes, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		if (value !== undefined && value !== false)
			element.setAttribute(name, value === true ? "" : value);
	element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ""));
	return element;
}

// Splits a description into text and `code`.
function prose(text) {
	return (text || "").split("`").map((part, i) => (i % 2 ? make("code", {}, part) : part));
}

function resolve(schema) {
	for (let hops = 0; schema && schema.$ref && hops < 8; hops++)
		schema = schema.$ref.slice(2).split("/").reduce((node, key) => node && node[key.replaceAll("~1", "/").replaceAll("~0", "~")], description);
	return schema || {};
}

function nameOf(schema) {
	return schema && schema.$ref ? schema.$ref.split("/").pop() : undefined;
}

function alternatives(schema) {
	return schema.oneOf || schema.anyOf || [];
}

function typeOf(schema) {
	const whole = resolve(schema), options = alternatives(whole);
	if (options.length)
		return [...new Set(options.map(typeOf))].join(" | ");
	if (whole.type === "array")
		return `${typeOf(whole.items || {})}[]`;
	const types = [].concat(whole.type || (whole.properties ? "object" : "any"));
	return types.includes("object") && nameOf(schema) ? nameOf(schema) : types.join(" | ");
}

const WHOLE_MAX = 9e15; // a maximum from here on only means "a whole number"

function limits(schema) {
	const parts = [], add = (label, value) => value !== undefined && !(Math.abs(value) >= WHOLE_MAX) && parts.push(`${label} ${typeof value === "object" ? JSON.stringify(value) : value}`);
	if (schema.enum)
		parts.push(`one of ${schema.enum.join(", ")}`);
	add("at least", schema.minimum);
	add("above", schema.exclusiveMinimum);
	add("at most", schema.maximum);
	add("below", schema.exclusiveMaximum);
	add("length up to", schema.maxLength);
	add("items up to", schema.maxItems);
	if (schema.type === "string")
		add("format", schema.format);
	return parts.length ? make("span", {class: "limits"}, parts.join(" · ")) : undefined;
}

// Returns the objects of a schema: itself, the items of an array, or the alternatives.
function objectsOf(schema) {
	const whole = resolve(schema);
	if (whole.properties)
		return [{name: nameOf(schema), schema: whole}];
	if (whole.items)
		return objectsOf(whole.items);
	return alternatives(whole).concat(whole.allOf || []).flatMap(objectsOf);
}

function fields(schema, depth) {
	const required = new Set(schema.required || []);
	const rows = Object.entries(schema.properties).map(([name, field]) => {
		const whole = resolve(field), text = field.description || whole.description;
		const nested = depth < DEPTH_MAX ? objectsOf(field).map((object) => lazily(object, depth + 1)) : [];
		return make("tr", {}, make("th", {scope: "row"}, name, required.has(name) ? make("span", {class: "required", title: "required"}, " *") : ""),
			make("td", {class: "type"}, typeOf(field)), make("td", {}, prose(text), limits({...whole, ...field}), nested));
	});
	return make("table", {}, make("tbody", {}, rows));
}

// Shows a nested object when it is opened: some objects contain themselves.
function lazily(object, depth) {
	const details = make("details", {}, make("summary", {}, object.name || "its fields"));
	details.addEventListener("toggle", () => details.open && details.children.length === 1 && details.append(fields(object.schema, depth)));
	return details;
}

function body(title, content) {
	if (!content)
		return [];
	const parts = [make("h4", {}, `${title} — ${Object.keys(content).join(", ")}`)];
	const first = Object.values(content).find((media) => media.schema);
	if (first) {
		const objects = objectsOf(first.schema);
		parts.push(...(objects.length === 1 ? [fields(objects[0].schema, 1)] : objects.map((object) => lazily(object, 1))));
	}
	return parts;
}

function parameters(operation, shared) {
	const all = [...(shared || []), ...(operation.parameters || [])].map(resolve).filter((p) => p.in !== "header" || p.required);
	if (!all.length)
		return [];
	const rows = all.map((p) => make("tr", {}, make("th", {scope: "row"}, p.name, p.required ? make("span", {class: "required", title: "required"}, " *") : ""),
		make("td", {class: "type"}, `${p.in}: ${typeOf(p.schema || {})}`), make("td", {}, prose(p.description), limits(resolve(p.schema || {})))));
	return [make("h4", {}, "Parameters"), make("table", {}, make("tbody", {}, rows))];
}

function exampleOf(content) {
	const media = content && content["application/json"];
	if (!media)
		return undefined;
	return media.example !== undefined ? media.example : media.examples && resolve(Object.values(media.examples)[0]).value;
}

function command(method, path, operation, shared) {
	const known = [...(shared || []), ...(operation.parameters || [])].map(resolve);
	const valueOf = (p) => (p.example !== undefined ? p.example : p.examples ? resolve(Object.values(p.examples)[0]).value : (p.schema || {}).example);
	const filled = path.replace(/\{(\w+)\}/g, (hole, name) => valueOf(known.find((p) => p.name === name) || {}) || hole);
	const twin = method === "get" && description.paths[path].post, other = twin && exampleOf(resolve(twin.requestBody || {}).content);
	const query = known.filter((p) => p.in === "query").map((p) => [p.name, valueOf(p) ?? (other || {})[p.name]])
		.filter(([, value]) => value !== undefined && (typeof value !== "object" || Array.isArray(value)))
		.map(([name, value]) => `${name}=${[].concat(value).map(encodeURIComponent).join(",")}`);
	const example = exampleOf((operation.requestBody ? resolve(operation.requestBody) : {}).content);
	const lines = [`curl ${method === "get" ? "" : `-X ${method.toUpperCase()} `}'${location.origin}${filled}${query.length ? `?${query.join("&")}` : ""}'`];
	if (example !== undefined)
		lines.push("    -H 'Content-Type: application/json'", `    -d '${JSON.stringify(example, null, 2).replaceAll("'", "'\\''")}'`);
	return lines.join(" \\\n");
}

function copyable(text) {
	const button = make("button", {type: "button"}, "Copy");
	button.addEventListener("click", async () => {
		await navigator.clipboard.writeText(text);
		button.textContent = "Copied";
		setTimeout(() => (button.textContent = "Copy"), 1500);
	});
	return make("div", {class: "copy"}, make("pre", {}, text), navigator.clipboard ? button : "");
}

function responses(operation) {
	const all = Object.entries(operation.responses || {}).map(([code, response]) => [code, resolve(response)]);
	const good = all.filter(([code]) => code < "300"), other = all.filter(([code]) => code >= "300");
	const parts = good.flatMap(([code, response]) => body(`Answer ${code}`, response.content));
	if (other.length)
		parts.push(make("p", {class: "limits"}, `Also: ${other.map(([code, r]) => `${code} ${r.description || ""}`.trim()).join(" · ")}`));
	return parts;
}

function idOf(method, path, operation) {
	return operation.operationId || `${method}-${path.replace(/\W+/g, "-")}`;
}

function endpoint({method, path, operation, shared}) {
	const request = operation.requestBody ? resolve(operation.requestBody) : {};
	const role = operation["x-role"];
	const article = make("article", {id: idOf(method, path, operation)},
		make("h3", {}, make("span", {class: `method ${method}`}, method), make("a", {class: "path", href: `#${idOf(method, path, operation)}`}, path),
			role ? make("span", {class: "role"}, role === "open" ? "no key needed" : `role ${role}`) : ""),
		make("div", {class: "inside"}, make("p", {}, make("strong", {}, operation.summary || "")),
			operation.description && operation.description !== operation.summary ? make("p", {}, prose(operation.description)) : "",
			make("h4", {}, "Try it"), copyable(command(method, path, operation, shared)),
			parameters(operation, shared), body("Request", request.content), responses(operation)));
	article.dataset.text = `${method} ${path} ${operation.summary || ""} ${operation.description || ""} ${JSON.stringify(request)}`.toLowerCase();
	return article;
}

function operations() {
	return Object.entries(description.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method])
		.map((method) => ({method, path, operation: item[method], shared: item.parameters})));
}

function layOut() {
	const main = document.getElementById("content"), nav = document.getElementById("contents"), groups = new Map();
	for (const one of operations()) {
		const tag = (one.operation.tags || ["other"])[0];
		groups.set(tag, [...(groups.get(tag) || []), one]);
	}
	document.getElementById("version").textContent = description.info.version || "";
	document.title = `${description.info.title} ${description.info.version || ""}`;
	const descriptions = new Map((description.tags || []).map((tag) => [tag.name, tag.description]));
	main.replaceChildren(...(description.info.description || "").split("\n\n").filter(Boolean).map((text) => make("p", {}, prose(text))));
	nav.replaceChildren();
	for (const [tag, list] of groups) {
		const title = tag.charAt(0).toUpperCase() + tag.slice(1);
		nav.append(make("h2", {}, title), ...list.map(({method, path, operation}) => make("a", {href: `#${idOf(method, path, operation)}`, title: operation.summary},
			make("span", {class: `method ${method}`}, method), make("span", {class: "path"}, path))));
		main.append(make("h2", {id: `tag-${tag}`}, title), descriptions.get(tag) ? make("p", {}, prose(descriptions.get(tag))) : "", ...list.map(endpoint));
	}
	if (location.hash)
		document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

// Hides the endpoints, and their links, that do not contain every word of the search.
function filterEndpoints(text) {
	const words = text.toLowerCase().split(/\s+/).filter(Boolean);
	for (const article of document.querySelectorAll("article"))
		article.hidden = !words.every((word) => article.dataset.text.includes(word));
	for (const link of document.querySelectorAll("nav a"))
		link.hidden = document.getElementById(link.getAttribute("href").slice(1)).hidden;
	for (const heading of document.querySelectorAll("main > h2, nav h2")) {
		let next = heading.nextElementSibling, any = false;
		for (; next && next.tagName !== "H2"; next = next.nextElementSibling)
			any = any || (!next.hidden && next.tagName !== "P");
		heading.hidden = !any;
	}
}

async function start() {
	const state = document.getElementById("state"), form = document.getElementById("key"), key = sessionStorage.getItem("fleetplan-key");
	const answer = await fetch("/openapi.json", {headers: key ? {Authorization: `Bearer ${key}`} : {}});
	if (answer.status === 401) {
		state.textContent = key ? "The daemon rejects this key." : "";
		form.hidden = false;
		return;
	}
	if (!answer.ok)
		throw new Error(`the daemon answered ${answer.status}`);
	description = await answer.json();
	layOut();
}

function begin() {
	start().catch((error) => (document.getElementById("state").textContent = `Cannot read the description of the API: ${error.message}`));
}

document.getElementById("key").addEventListener("submit", (event) => {
	event.preventDefault();
	sessionStorage.setItem("fleetplan-key", document.getElementById("key-text").value);
	begin();
});
document.getElementById("search").addEventListener("input", (event) => filterEndpoints(event.target.value));
begin();

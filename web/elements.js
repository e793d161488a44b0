// Makes elements, and writes quantities in the units that people use. Text is only set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (typeof value === "function")
			element.addEventListener(name, value);
		else
			element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat(3).filter((child) => child !== undefined && child !== null && child !== false && child !== ""));
	return element;
}

export const make = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const draw = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Three significant digits, with separators from 1,000 on.
export function digits(value, significant = 3) {
	if (value === null || value === undefined || !Number.isFinite(value))
		return "–";
	const size = Math.abs(value);
	if (size >= 1000 && size < 1e15)
		return (Number(value.toPrecision(significant))).toLocaleString("en-US");
	return size > 0 && (size < 1e-4 || size >= 1e15) ? value.toExponential(2) : String(Number(value.toPrecision(significant)));
}

// Each unit: from which value on it is used, its divisor and its name.
const SCALES = {
	usd: [[1e9, 1e9, "B USD"], [1e6, 1e6, "M USD"], [0, 1, "USD"]],
	axis_usd: [[1e9, 1e9, "B"], [1e6, 1e6, "M"], [1e3, 1e3, "k"], [0, 1, ""]],
	kwh: [[1e6, 1e6, "GWh"], [1e3, 1e3, "MWh"], [0, 1, "kWh"]],
	kgco2e: [[1e6, 1e6, "kt CO2e"], [1e3, 1e3, "t CO2e"], [0, 1, "kg CO2e"]],
	hours: [[48, 24, "days"], [1, 1, "h"], [0, 1 / 60, "min"]],
	bytes: [[1e12, 1e12, "TB"], [1e9, 1e9, "GB"], [1e6, 1e6, "MB"], [0, 1, "B"]],
	seconds: [[1, 1, "s"], [1e-3, 1e-3, "ms"], [0, 1e-6, "µs"]],
	ms: [[1e4, 1e3, "s"], [0, 1, "ms"]],
	litres: [[1e4, 1e3, "m³"], [0, 1, "l"]],
	count: [[1e12, 1e12, "T"], [1e9, 1e9, "B"], [1e6, 1e6, "M"], [0, 1, ""]],
	plain: [[0, 1, ""]],
};

// [from, divisor, name] of the unit in which people write this value.
export function scaleOf(unit, value) {
	return SCALES[unit].find(([from]) => Math.abs(value) >= from) || SCALES[unit].at(-1);
}

export function quantity(unit, value) {
	if (value === null || value === undefined || !Number.isFinite(value))
		return "–";
	const [, divisor, name] = scaleOf(unit, value);
	return `${digits(value / divisor)}${name && " "}${name}`;
}

// A range in the unit of its upper end.
export function span(unit, low, high) {
	if (!Number.isFinite(low) || !Number.isFinite(high))
		return "";
	const [, divisor, name] = scaleOf(unit, high);
	return `${digits(low / divisor)} to ${digits(high / divisor)}${name && " "}${name}`;
}

export const percent = (share) => (Number.isFinite(share) ? `${digits(100 * share)} %` : "–");
export const change = (share) => (Number.isFinite(share) ? `${share >= 0 ? "+" : "−"}${digits(100 * Math.abs(share))} %` : "–");
export const words = (name) => String(name).replaceAll("_", " ");

export function moment(text) {
	const date = new Date(text);
	return text && !Number.isNaN(date.getTime()) ? make("time", {datetime: text, title: text}, date.toISOString().slice(0, 16).replace("T", " ")) : "–";
}

// A table in a box that scrolls by itself, so that the page never scrolls sideways.
export function table(caption, heads, rows, attributes = {}) {
	return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": caption},
		make("table", attributes,
			make("caption", {}, caption),
			make("thead", {}, make("tr", {}, heads.map((head) => make("th", {scope: "col"}, head)))),
			make("tbody", {}, rows.map((cells) => make("tr", {}, cells.map((cell, i) =>
				(i === 0 ? make("th", {scope: "row"}, cell) : make("td", {}, cell))))))));
}

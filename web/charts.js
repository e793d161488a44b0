// Plots in SVG: bars of parts, ranges, a tornado, a scatter and bars by the hour. Colours come from the style sheet, by class.
import {change, digits, draw, make, percent, quantity, scaleOf, span, words} from "./elements.js";

function figure(title, svg, ...more) {
	return make("figure", {}, make("figcaption", {}, title), svg, ...more);
}

// One stacked bar and its legend. `parts`: [name, value].
export function parts(title, unit, list, capacity) {
	const shown = list.filter(([, value]) => value > 0), sum = shown.reduce((total, [, value]) => total + value, 0);
	const whole = Math.max(sum, capacity || 0);
	let x = 0;
	const svg = draw("svg", {viewBox: "0 0 600 30", preserveAspectRatio: "none", class: "stack", role: "img", "aria-label": `${title}: ${shown.map(([name, value]) => `${name} ${quantity(unit, value)}`).join(", ")}`});
	shown.forEach(([name, value], i) => {
		const width = (600 * value) / whole;
		svg.append(draw("rect", {x, y: 0, width, height: 30, class: `part${i % 8}`}, draw("title", {}, `${name}: ${quantity(unit, value)}`)));
		x += width;
	});
	if (capacity)
		svg.append(draw("rect", {x, y: 0, width: Math.max(0, 600 - x), height: 30, class: "free"}));
	return figure(title, svg, make("ul", {class: "legend"},
		shown.map(([name, value], i) => make("li", {}, draw("svg", {viewBox: "0 0 10 10", class: "swatch", "aria-hidden": "true"}, draw("rect", {width: 10, height: 10, class: `part${i % 8}`})),
			`${name} ${quantity(unit, value)} (${percent(value / whole)})`)),
		capacity ? make("li", {}, draw("svg", {viewBox: "0 0 10 10", class: "swatch", "aria-hidden": "true"}, draw("rect", {width: 10, height: 10, class: "free"})), `free ${quantity(unit, Math.max(0, capacity - sum))} of ${quantity(unit, capacity)}`) : null));
}

// A range p10 to p90 with its middle, relative to the middle: from a third to three times, logarithmic.
export function fan(low, middle, high) {
	const at = (value) => 100 + (100 * Math.log(Math.min(3, Math.max(1 / 3, value / middle)))) / Math.log(3);
	if (!(low > 0 && middle > 0 && high > 0))
		return "";
	return draw("svg", {viewBox: "0 0 200 16", class: "fan", role: "img", "aria-label": `from ${percent(low / middle)} to ${percent(high / middle)} of the middle`},
		draw("line", {x1: 0, x2: 200, y1: 8, y2: 8, class: "axis"}),
		draw("rect", {x: at(low), y: 3, width: Math.max(1, at(high) - at(low)), height: 10, rx: 3, class: "band"}),
		draw("line", {x1: 100, x2: 100, y1: 1, y2: 15, class: "middle"}));
}

// How far each input moves the answer. The 10 largest, widest first; a bar beyond 200 % is cut.
export function tornado(rows) {
	const list = rows.filter((row) => row.change_low || row.change_high).slice(0, 10);
	const widest = Math.min(2, Math.max(0.05, ...list.flatMap((row) => [Math.abs(row.change_low), Math.abs(row.change_high)])));
	const at = (value) => 150 + (145 * Math.max(-widest, Math.min(widest, value))) / widest;
	return make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "What moves this answer"}, make("table", {class: "tornado"},
		make("caption", {}, "What moves this answer, the largest first"),
		make("thead", {}, make("tr", {}, ["Input", "Range of the input", "Changes", "", ""].map((head) => make("th", {scope: "col"}, head)))),
		make("tbody", {}, list.map((row) => make("tr", {}, make("th", {scope: "row"}, words(row.field)),
			make("td", {}, span("count", row.low, row.high)),
			make("td", {}, words(row.figure.replace(/^\//, "").replaceAll(/[/.]/g, " "))),
			make("td", {}, draw("svg", {viewBox: "0 0 300 16", class: "arm", "aria-hidden": "true"},
				...[row.change_low, row.change_high].map((value, i) => draw("rect", {x: Math.min(150, at(value)), y: 3, width: Math.max(1, Math.abs(at(value) - 150)), height: 10, class: i ? "above" : "below"})),
				draw("line", {x1: 150, x2: 150, y1: 0, y2: 16, class: "middle"}))),
			make("td", {}, `${change(row.change_low)} / ${change(row.change_high)}`))))));
}

// [value, text] of some four marks, round in the unit of the upper end.
function ticks(unit, from, to) {
	const [, divisor, name] = scaleOf(unit, to), low = from / divisor, high = to / divisor;
	const step = 10 ** Math.floor(Math.log10((high - low) / 3 || 1)), best = [1, 2, 5, 10].map((n) => n * step).find((n) => (high - low) / n <= 4) || step;
	const list = [];
	for (let value = Math.ceil(low / best) * best; value <= high; value += best)
		list.push([value * divisor, `${digits(value)}${name && " "}${name}`]);
	return list;
}

// Points {x, y, z, label, chosen}: position by x and y, size and colour by z. `pick` receives the index of a point that is chosen.
export function scatter(title, units, points, pick) {
	const W = 600, H = 300, L = 66, B = 44, T = 10, R = 16;
	const good = points.map((point, i) => ({...point, i})).filter((point) => [point.x, point.y, point.z].every((value) => Number.isFinite(value)));
	if (good.length < 2)
		return null;
	const range = (name) => {
		const values = good.map((point) => point[name]), low = Math.min(...values), high = Math.max(...values), pad = (high - low || high || 1) * 0.08;
		return [Math.max(0, low - pad), high + pad];
	};
	const [x0, x1] = range("x"), [y0, y1] = range("y"), z0 = Math.min(...good.map((p) => p.z)), z1 = Math.max(...good.map((p) => p.z));
	const X = (value) => L + ((W - L - R) * (value - x0)) / (x1 - x0 || 1), Y = (value) => H - B - ((H - B - T) * (value - y0)) / (y1 - y0 || 1);
	const level = (value) => (z1 > z0 ? Math.min(4, Math.floor((5 * (value - z0)) / (z1 - z0))) : 0);
	const svg = draw("svg", {viewBox: `0 0 ${W} ${H}`, class: "scatter", role: "group", "aria-label": title});
	for (const [value, text] of ticks(units.x, x0, x1))
		svg.append(draw("line", {x1: X(value), x2: X(value), y1: T, y2: H - B, class: "grid"}), draw("text", {x: X(value), y: H - B + 17, "text-anchor": "middle"}, text));
	for (const [value, text] of ticks(units.y === "usd" ? "axis_usd" : units.y, y0, y1))
		svg.append(draw("line", {x1: L, x2: W - R, y1: Y(value), y2: Y(value), class: "grid"}), draw("text", {x: L - 6, y: Y(value) + 4, "text-anchor": "end"}, text));
	svg.append(draw("text", {x: (W + L) / 2, y: H - 4, "text-anchor": "middle", class: "name"}, units.xName));
	for (const point of [...good].sort((a, b) => b.z - a.z || (a.chosen ? 1 : -1))) {
		const text = `${point.label}: ${quantity(units.x, point.x)}, ${quantity(units.y, point.y)}, ${quantity(units.z, point.z)}`;
		const choose = () => pick(point.i);
		svg.append(draw("g", {class: `point level${level(point.z)}${point.chosen ? " chosen" : ""}`, tabindex: pick ? 0 : undefined, role: pick ? "button" : "img", "aria-label": text,
			click: pick && choose, keydown: pick && ((event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose()))},
			draw("circle", {cx: X(point.x), cy: Y(point.y), r: 6 + 1.5 * level(point.z)}), draw("title", {}, text)));
	}
	return figure(title, svg, make("p", {class: "hint"}, `Up: ${units.yName}. Larger and redder: more carbon, ${span(units.z, z0, z1)}. The ring marks the recommended option.${pick ? " Choose a point to plan with its hardware, number and place." : ""}`));
}

// Bars by the hour. `rows`: [hour, value].
export function hours(title, unit, rows) {
	const highest = Math.max(...rows.map(([, value]) => value), 1e-9), width = 600 / rows.length;
	return figure(title, draw("svg", {viewBox: "0 0 600 130", class: "hours", role: "img", "aria-label": `${title}: ${rows.map(([hour, value]) => `${hour} h ${quantity(unit, value)}`).join(", ")}`},
		rows.map(([hour, value], i) => {
			const height = (100 * value) / highest;
			return [draw("rect", {x: i * width + 1, y: 110 - height, width: Math.max(1, width - 2), height, class: "part0"}, draw("title", {}, `hour ${hour}: ${quantity(unit, value)}`)),
				rows.length <= 24 && i % 3 === 0 ? draw("text", {x: i * width + width / 2, y: 126, "text-anchor": "middle"}, String(hour)) : null];
		}), draw("text", {x: 0, y: 9}, `at most ${quantity(unit, highest)}`)));
}

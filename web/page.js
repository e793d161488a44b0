// The page: which view the permalink means. A view has a title, an element and close().
import * as ask from "./ask.js";
import * as benchmarks from "./benchmarks.js";
import * as catalogue from "./catalogue.js";
import {bindKeyForm} from "./client.js";
import * as plans from "./plans.js";

const VIEWS = {ask, plans, compare: plans, catalogue, benchmarks};
let current = null;

function route() {
	const [path, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s), names = path.split("/").map(decodeURIComponent);
	const name = VIEWS[names[0]] ? names[0] : "ask", main = document.getElementById("main"), first = !current;
	current?.close();
	current = VIEWS[name].view(new URLSearchParams(query || ""), names);
	main.replaceChildren(current.element);
	document.title = `${current.title} · Fleetplan`;
	for (const link of document.querySelectorAll("header nav a"))
		link.toggleAttribute("aria-current", link.getAttribute("href").startsWith(`#/${name === "compare" ? "plans" : name}`));
	if (!first) {
		scrollTo(0, 0);
		main.focus({preventScroll: true});
	}
}

bindKeyForm();
addEventListener("hashchange", route);
document.querySelector(".skip").addEventListener("click", (event) => { // the fragment belongs to the router
	event.preventDefault();
	document.getElementById("main").focus();
});
route();

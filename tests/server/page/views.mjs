// Uses the page in Chromium as a person does. Run by test_page.py: views.mjs SCENARIO URL FOLDER. Pictures go to FOLDER. The scenario asks
// the test to act on the daemon with a line on stdout, and continues after the line on stdin. Any failed check ends with a stack.
import assert from "node:assert/strict";
import {createRequire} from "node:module";
import {createInterface} from "node:readline";

const [scenario, base, folder] = process.argv.slice(2);
const {chromium} = createRequire(`${process.env.PAGE_TOOLS}/`)("playwright-core");
const LIMIT_MS = 60000; // for failures, not a measured bound

const lines = createInterface({input: process.stdin})[Symbol.asyncIterator]();
async function daemon(command) {
	console.log(command);
	return (await lines.next()).value;
}

const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]});
const context = await browser.newContext({viewport: {width: 1300, height: 900}, reducedMotion: "reduce"});
context.setDefaultTimeout(LIMIT_MS);
const page = await context.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(error.stack));
page.on("console", (message) => message.type() === "error" && !message.text().startsWith("Failed to load resource") && errors.push(message.text()));

const answer = page.locator(".answer:not(.old) .summary");
const settled = () => answer.waitFor();
const text = () => answer.textContent();

async function open(hash) {
	await page.goto("about:blank");
	await page.goto(`${base}/${hash}`);
}

async function check(name, sizes = [[390, "light"], [1300, "light"]]) {
	for (const [width, scheme] of sizes) {
		await page.setViewportSize({width, height: width < 500 ? 844 : 900});
		await page.emulateMedia({colorScheme: scheme});
		const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
		assert.equal(wide, 0, `${name} scrolls sideways at ${width} px`);
		await page.screenshot({path: `${folder}/${name}-${width}-${scheme}.png`, fullPage: true});
	}
	await page.emulateMedia({media: "print", colorScheme: "light"});
	assert.equal(await page.locator("header").isVisible(), false);
	await page.emulateMedia({media: "screen"});
	const nameless = await page.evaluate(() => [...document.querySelectorAll("input, select, textarea, button, a, [role=button]")].filter((node) =>
		!(node.labels?.length || node.getAttribute("aria-label") || node.textContent.trim())).map((node) => node.outerHTML));
	assert.deepEqual(nameless, [], `${name} has controls without a name`);
	const twice = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((node) => node.id).filter((id, i, all) => all.indexOf(id) !== i));
	assert.deepEqual(twice, [], `${name} has an id twice`);
	assert.equal(await page.locator("h1").count(), 1, name);
}

async function tabTo(selector, most = 60) {
	for (let i = 0; i < most; i++) {
		if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector))
			return;
		await page.keyboard.press("Tab");
	}
	assert.fail(`no way to ${selector} with the Tab key`);
}

async function retype(value) {
	await page.keyboard.press("Control+A");
	await page.keyboard.type(value);
}

const SERVICE = "#/ask?kind=inference&model=llama-3.1-8b&queries_per_minute=600&prompt_tokens=500&output_tokens=100&slo.ttft_ms=1s&accelerator=h100&daily_profile=" + Array(24).fill(0).map((_, i) => 1 + (i % 12)).join("+");

const scenarios = {
	async views() {
		let bytes = 0;
		page.on("response", (response) => {
			const own = new URL(response.url()).pathname;
			if (own === "/" || own.startsWith("/page/"))
				bytes += Number(response.headers()["content-length"]);
		});
		await open("");
		await settled();
		assert.ok(bytes > 5000 && bytes < 120000, `the first view has ${bytes} bytes`);
		assert.match(await text(), /^Rent [\d,]+ .*USD.*CO2e/);
		for (const part of ["Alternatives", "Ranges: 8 in 10 runs end within them", "The assumptions that move it most"])
			assert.ok(await page.locator("caption", {hasText: part}).count(), part);
		assert.ok(await page.locator(".point").count() > 1 && await page.locator(".stack").count() === 2);
		await page.locator(".moves summary").click();
		await page.locator(".tornado tbody tr").first().waitFor();
		await page.locator("#field-tokens").fill("2T");
		await settled();
		await page.locator(".answer:not(.old) .tornado tbody tr").first().waitFor(); // a new answer leaves open what was open
		await check("training", [[390, "light"], [1300, "light"], [1300, "dark"]]);
		await open(SERVICE);
		await settled();
		for (const part of ["Latency under this load", "Replicas by the hour"])
			assert.ok(await page.locator("caption, figcaption", {hasText: part}).count(), part);
		await check("service", [[390, "dark"], [1300, "dark"]]);
		await open("#/plans");
		await page.locator("td input[type=checkbox]").nth(1).waitFor();
		assert.match(await page.locator("tbody tr").first().textContent(), /\d+ × h100.*days.*USD.*MWh.*CO2e/);
		await check("plans");
		await page.locator("td input[type=checkbox]").nth(0).check();
		await page.locator("td input[type=checkbox]").nth(1).check();
		await page.getByRole("button", {name: "Compare"}).click();
		await page.locator("caption", {hasText: "Figures"}).waitFor();
		await check("compare");
		await page.goBack();
		await page.locator("tbody a").first().click();
		await page.getByRole("button", {name: "Plan again with current data"}).click();
		await page.locator("h2", {hasText: "What changed since"}).waitFor();
		await page.locator("caption", {hasText: "Revisions"}).waitFor();
		await check("plan");
		for (const [button, wanted] of [["Markdown", /^# /], ["CSV", /^\w+(,\w+){5}/], ["JSON", /^\{"id"/]]) {
			const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", {name: button}).click()]);
			const pieces = [];
			for await (const piece of await file.createReadStream())
				pieces.push(piece);
			assert.match(Buffer.concat(pieces).toString(), wanted, button);
		}
		await page.getByRole("link", {name: "Ask again"}).click();
		await settled();
		await open("#/plans/00000000-0000-7000-8000-000000000000");
		await page.getByText("It may have been deleted.").waitFor();
		for (const [kind, word] of [["accelerators", "h100"], ["prices", "aws"], ["regions", "eu-"], ["models", "llama"]]) {
			await open(`#/catalogue/${kind}`);
			await page.locator("tbody tr").first().waitFor();
			const first = await page.locator("tbody th").first().textContent();
			await check(kind);
			await page.getByRole("link", {name: "next page"}).click();
			await page.waitForFunction((old) => document.querySelector("tbody th") && document.querySelector("tbody th").textContent !== old, first);
			await page.getByLabel("Search").fill(word);
			await page.getByRole("button", {name: "Find"}).click();
			await page.waitForFunction((wanted) => location.hash.endsWith(`?q=${wanted}`) && document.querySelector("tbody tr") && !document.querySelector("main").textContent.includes("Loading"), word);
			assert.match((await page.locator("tbody tr").first().textContent()).toLowerCase(), new RegExp(word));
		}
		await open("#/benchmarks");
		await page.locator("caption", {hasText: "Benchmarks"}).waitFor();
		await page.getByRole("button", {name: /^cancel/}).click();
		await page.locator("td", {hasText: "cancelled"}).first().waitFor();
		await check("benchmarks");
	},

	async keyboard() {
		await open("");
		await settled();
		await tabTo("#field-tokens");
		const before = await text();
		await retype("4T");
		await page.waitForFunction((old) => document.querySelector(".answer:not(.old) .summary")?.textContent !== old && document.querySelector(".answer:not(.old)"), before);
		await tabTo("input[type=range]");
		await page.keyboard.press("ArrowRight");
		assert.notEqual(await page.locator("#field-deadline-hours").inputValue(), "30d");
		await settled();
		await tabTo("#field-accelerator");
		await retype("h1000");
		await page.locator("#field-accelerator-fault", {hasText: "the nearest known: h100"}).waitFor();
		assert.equal(await page.locator("#field-accelerator").getAttribute("aria-invalid"), "true");
		await retype("h100");
		await settled();
		assert.equal(await page.locator("#field-accelerator-fault").isVisible(), false);
		let sent = 0;
		page.on("request", (request) => request.url().includes("/v1/estimates/") && sent++);
		await page.locator("#field-accelerator").evaluate((input) => {
			for (const text of ["h", "h2", "h20", "h200"]) {
				input.value = text;
				input.dispatchEvent(new Event("input"));
			}
		});
		await settled();
		assert.equal(sent, 1, "four letters in one moment are one request");
		await tabTo("#plan-name");
		await page.keyboard.type("by keyboard");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Enter");
		await page.locator("main a", {hasText: "by keyboard"}).waitFor();
		await tabTo(".point:not(.chosen)");
		const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
		await page.keyboard.press("Enter");
		assert.ok(await page.evaluate(() => document.activeElement.matches(".status")));
		assert.equal(await page.locator("#field-gpu-count").inputValue(), label.split(" ")[0]);
		await settled();
		assert.ok((await text()).replaceAll(",", "").includes(` ${label.split(" ")[0]} `), label);

		const address = page.url();
		await open(address.slice(address.indexOf("#")));
		await settled();
		assert.equal(await page.locator("#field-tokens").inputValue(), "4T");
		await page.locator("#field-tokens").fill("many");
		await page.locator("#field-tokens-fault", {hasText: "should be a number"}).waitFor();

		let overtaken = null;
		const held = new Promise((resolve) => page.route("**/v1/estimates/**", (route) => {
			if (route.request().postData().includes("\"7T\"")) {
				overtaken = route.request();
				resolve();
			} else {
				route.continue();
			}
		}));
		const cancelled = page.waitForEvent("requestfailed", (request) => request === overtaken);
		await page.locator("#field-tokens").fill("7T");
		await held;
		await page.locator("#field-tokens").fill("2T");
		await cancelled;
		await settled();
		await page.unroute("**/v1/estimates/**");

		await page.locator("input[value=config]").check();
		await page.locator("#field-model-config").fill("{\"model_type\": \"llama\"}");
		await page.locator("#field-model-config-fault:not([hidden])").waitFor();
		await page.locator("#field-model-config").fill("{\"model_type\":");
		await page.locator("#field-model-config-fault", {hasText: "is not JSON"}).waitFor();
		await page.locator("#field-model-config").fill(JSON.stringify({model_type: "llama", hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 22, num_attention_heads: 32, num_key_value_heads: 4, vocab_size: 32000, max_position_embeddings: 2048}));
		await settled();
		await page.locator("input[value=name]").check();
		await page.locator("#field-model").fill("llama-3.1-405b");
		await page.locator("#field-gpu-count").fill("8");
		await page.locator(".faults .fault", {hasText: "needs at least"}).waitFor();
		await page.screenshot({path: `${folder}/faults.png`, fullPage: true});
	},

	async restart() {
		await open("");
		await settled();
		await daemon("stop");
		await page.locator("#field-tokens").fill("3T");
		await page.locator("#notice.bad", {hasText: "does not answer"}).waitFor();
		await page.locator("#plan-name").fill("kept");
		await page.screenshot({path: `${folder}/away.png`});
		await daemon("start");
		await settled();
		assert.equal(await page.locator("#field-tokens").inputValue(), "3T");
		assert.equal(await page.locator("#plan-name").inputValue(), "kept");
		assert.equal(await page.locator("#notice.bad").count(), 0);
		await page.route("**/v1/estimates/**", (route) => route.fulfill({status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>"}));
		await page.locator("#field-tokens").fill("5T");
		await page.locator(".faults", {hasText: "A proxy may stand between"}).waitFor();
		await page.unroute("**/v1/estimates/**");
		let busy = 1;
		await page.route("**/v1/estimates/**", (route) => (busy-- > 0 ? route.fulfill({status: 503, contentType: "application/problem+json", headers: {"Retry-After": "1"}, body: "{\"status\":503,\"detail\":\"the queue is full\"}"}) : route.continue()));
		await page.locator("#field-tokens").fill("6T");
		await page.getByText("The daemon is busy.").waitFor();
		await settled();
	},

	async keys() {
		await open("");
		await page.locator("#key-text").waitFor();
		await page.locator("#field-tokens").fill("3T");
		await page.locator("#key-text").fill("fp_wrong");
		await page.keyboard.press("Enter");
		await page.locator("#notice.bad", {hasText: "does not accept this key"}).waitFor();
		await page.locator("#key-text").fill(await daemon("key"));
		await page.keyboard.press("Enter");
		await settled();
		assert.equal(await page.locator("#key").isVisible(), false);
		assert.equal(await page.locator("#field-tokens").inputValue(), "3T");
		await page.getByRole("button", {name: "Store as a plan"}).click();
		await page.locator("main", {hasText: "Not stored"}).waitFor(); // the key is a viewer's
		assert.deepEqual(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie, location.href.includes("fp_")]), [0, 0, "", false]);
	},
};

try {
	await scenarios[scenario]();
	assert.deepEqual(errors, []);
	console.log("passed");
} catch (error) {
	await page.screenshot({path: `${folder}/${scenario}-failed.png`, fullPage: true}).catch(() => undefined);
	console.error(error.stack, errors);
	process.exitCode = 1;
} finally {
	await browser.close();
	process.exit();
}

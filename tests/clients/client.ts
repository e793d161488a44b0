// Uses the types that openapi-typescript made, with openapi-fetch: one training estimate, one inference estimate, one plan.
// usage: node client.js URL
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const client = createClient<paths, "application/json">({ baseUrl: process.argv[2] ?? "" });

// Returns the answer. The daemon sends a job (202) only to a request with a Prefer header, or past its limit of CPU time.
function given<T extends object>(answer: { data?: T; error?: unknown; response: Response }): Exclude<T, components["schemas"]["Job"]> {
	if (answer.data === undefined || answer.response.status === 202)
		throw new Error(`${answer.response.status}: ${JSON.stringify(answer.error ?? answer.data)}`);
	return answer.data as Exclude<T, components["schemas"]["Job"]>;
}

const training: components["schemas"]["TrainingRequest"] = {
	model: "llama-3.1-8b", tokens: "15T", accelerator: "h100", deadline_hours: "30d",
};
const estimate = given(await client.POST("/v1/estimates/training", { body: training }));
const option = estimate.result.recommended;
console.log("training", option.gpu_count, option.wall_clock_hours.toFixed(6));

const served = given(await client.POST("/v1/estimates/inference", {
	body: {
		model: "llama-3.1-8b", accelerator: "h100", queries_per_minute: 600, prompt_tokens: 1000, output_tokens: 300,
		slo: { ttft_ms: 2000, tpot_ms: 60 },
	},
}));
console.log("inference", served.result.recommended.replicas, served.result.recommended.latency.ttft_ms.p50.toFixed(6));

const plan = given(await client.POST("/v1/plans/training", { body: training }));
const same = given(await client.GET("/v1/plans/{id}", { params: { path: { id: plan.id } } }));
if (same.id !== plan.id || same.kind !== "training")
	throw new Error("another plan");
console.log("plan", plan.result.recommended.gpu_count, plan.revision);

/* After planning: fields of a request that its answer does not use. `make check-effects` finds fields that are missing
 * here. */
#include <stdio.h>
#include <string.h>

#include "hwdb/resolve/mig.h"
#include "hwdb/resolve/resolve_parts.h"
#include "hwdb/resolve/topology.h"
#include "planner/footprint/cost.h"
#include "planner/operators/device.h"

/* Fields that are not used for the same reason. */
enum { UNUSED_MAX = 40, UNUSED_TEXT_MAX = 200 };

struct unused {
	const struct resolver *resolver;
	const char *prefix; /* of the fields' names: "accelerator." */
	size_t count;
	const char *fields[UNUSED_MAX];
};

static void list_field(struct unused *unused, bool given, const char *field)
{
	CHECK(unused->count < UNUSED_MAX);
	if (given)
		unused->fields[unused->count++] = field;
}

/* Warns of the collected fields, as many in one warning as fit. */
static void warn_of_fields(struct unused *unused, const char *why)
{
	size_t next = 0;

	while (next < unused->count) {
		char names[UNUSED_TEXT_MAX];
		size_t length = 0, first = next;

		do
			length += (size_t)snprintf(
				names + length, sizeof names - length, "%s%s%s", next > first ? ", " : "", unused->prefix, unused->fields[next]);
		while (++next < unused->count && length + strlen(unused->prefix) + strlen(unused->fields[next]) + 2 < sizeof names);
		findings_warn(unused->resolver->findings, "%s %s not used: %s", names, next - first > 1 ? "are" : "is", why);
	}
	unused->count = 0;
}

static void warn_of_field(const struct resolver *resolver, bool given, const char *field, const char *why)
{
	if (given)
		findings_warn(resolver->findings, "%s is not used: %s", field, why);
}

/* --- variants of accelerators ------------------------------------------------------------------------------------- */
static void take_rates(struct unused *unused, const struct accelerator *changes, enum precision used)
{
	bool none = used == PRECISION_UNSET,
		 narrow = used == PRECISION_FP8 || used == PRECISION_MXFP8 || used == PRECISION_NVFP4 || used == PRECISION_MXFP4 ||
		used == PRECISION_INT8;

	list_field(unused, is_given(changes->tflops_fp64), "tflops_fp64");
	list_field(unused, is_given(changes->tflops_fp32) && used != PRECISION_FP32, "tflops_fp32");
	list_field(unused, is_given(changes->tflops_tf32) && used != PRECISION_TF32, "tflops_tf32");
	list_field(unused, is_given(changes->tflops_bf16) && used != PRECISION_BF16 && !narrow, "tflops_bf16");
	list_field(unused, is_given(changes->tflops_fp16) && used != PRECISION_FP16 && (none || is_given(changes->tflops_bf16)), "tflops_fp16");
	list_field(unused, is_given(changes->tflops_fp8) && used != PRECISION_FP8 && used != PRECISION_MXFP8, "tflops_fp8");
	list_field(unused, is_given(changes->tops_int8) && used != PRECISION_INT8, "tops_int8");
	list_field(unused, is_given(changes->tflops_fp4) && used != PRECISION_NVFP4 && used != PRECISION_MXFP4, "tflops_fp4");
}

/* Fields from which no plan computes anything. `accelerator`: with the changes applied. */
static void unused_facts(struct unused *unused, const struct accelerator *changes, const struct accelerator *accelerator)
{
	list_field(unused, changes->memory_type != NULL, "memory_type");
	list_field(unused, changes->interconnect != NULL, "interconnect");
	list_field(unused, changes->transistor_nm >= 0, "transistor_nm");
	warn_of_fields(unused, "no figure depends on it; bandwidth, rates and power have fields of their own");
	list_field(unused, changes->release_year >= 0 && device_architecture_year(accelerator) != changes->release_year, "release_year");
	warn_of_fields(unused, "the software's maturity is that of the accelerator in like");
}

static void unused_making(struct unused *unused, const struct accelerator *changes, const struct hardware_request *hardware)
{
	bool given = is_given(changes->embodied_kgco2e) || is_given(changes->embodied_boavizta_kgco2e);

	list_field(unused, is_given(changes->die_area_mm2) && given, "die_area_mm2");
	warn_of_fields(unused, "the embodied carbon is given");
	if (!hardware || !is_given(hardware->embodied_kgco2e_per_gpu))
		return;
	list_field(unused, is_given(changes->embodied_kgco2e), "embodied_kgco2e");
	list_field(unused, is_given(changes->embodied_boavizta_kgco2e), "embodied_boavizta_kgco2e");
	list_field(unused, is_given(changes->die_area_mm2) && !given, "die_area_mm2");
	warn_of_fields(unused, "hardware.embodied_kgco2e_per_gpu is given");
}

static void unused_network(struct unused *unused, const struct accelerator *changes, const char *why)
{
	list_field(unused, is_given(changes->interconnect_gbs), "interconnect_gbs");
	list_field(unused, changes->max_nvlink_domain >= 0, "max_nvlink_domain");
	list_field(unused, changes->pcie_gen >= 0, "pcie_gen");
	warn_of_fields(unused, why);
}

/* Collects fields of the accelerator, or of the recommended one of the list. */
static struct unused unused_of(const struct resolver *resolver, const struct request_common *asked, const struct accelerator *recommended,
	const struct accelerator_reference **reference)
{
	*reference = &asked->accelerator;
	for (size_t i = 0; i < asked->accelerators.count; i++) {
		const struct accelerator_reference *one = &asked->accelerators.items[i];

		if (one->like && (asked->accelerators.count == 1 || (one->id && strcmp(one->id, recommended->id) == 0)))
			*reference = one;
	}
	return (struct unused){.resolver = resolver, .prefix = *reference == &asked->accelerator ? "accelerator." : "accelerators."};
}

static void unused_changes(const struct resolver *resolver, const struct request_common *asked, const struct accelerator *recommended,
	enum precision precision, bool training)
{
	const struct accelerator_reference *reference;
	struct unused unused = unused_of(resolver, asked, recommended, &reference);
	const struct accelerator *changes = &reference->changes;
	enum precision used = PRECISION_UNSET;

	if (!reference->like)
		return;
	accelerator_peak_flops_per_s(recommended, precision == PRECISION_UNSET ? accelerator_training_precision(recommended) : precision, &used);
	unused_facts(&unused, changes, recommended);
	unused_making(&unused, changes, &asked->hardware);
	take_rates(&unused, changes, used);
	warn_of_fields(&unused, resolver_text(resolver, "matrix products run in %s", precision_name(used)));
	list_field(&unused, changes->vendor != NULL && training && strcmp(changes->vendor, "google") != 0, "vendor");
	warn_of_fields(&unused, "how fast it trains follows from its figures");
}

/* Fields of a form factor that does not change the machine: it determines the number in a node and the network, where
 * neither offer nor request does. */
static void unused_form(const struct resolver *resolver, const struct request_common *asked, const struct accelerator *recommended,
	const struct offer *offer, bool joins_nodes)
{
	const struct accelerator_reference *reference;
	struct unused unused = unused_of(resolver, asked, recommended, &reference);
	const struct accelerator_row *row = reference->like ? catalogue_accelerator(resolver->catalogue, reference->like, &(const char *){NULL})
														: NULL;
	struct accelerator as_base = *recommended;
	struct topology mine, theirs;
	int64_t most;

	if (!row || !reference->changes.form_factor || strcmp(reference->changes.form_factor, "cpu") == 0)
		return;
	as_base.form_factor = row->accelerator.form_factor;
	most = resolver->catalogue->index->offers[row - resolver->catalogue->rows.accelerators].gpus_per_instance_max;
	mine = topology_of(recommended, offer, most);
	theirs = topology_of(&as_base, offer, most);
	list_field(&unused,
		(asked->gpus_per_node >= 1 || mine.gpus_per_node == theirs.gpus_per_node) &&
			(!joins_nodes || is_given(asked->internode_gbs) ||
				(mine.internode_gbs >= theirs.internode_gbs && mine.internode_gbs <= theirs.internode_gbs)),
		"form_factor");
	warn_of_fields(&unused, "it does not change the nodes or their network");
}

/* --- all plans ------------------------------------------------------------------------------------------------- */
static void unused_model(const struct resolver *resolver, const struct model_reference *model)
{
	struct unused unused = {.resolver = resolver, .prefix = "model."};

	list_field(&unused, (model->id || model->config.text) && is_given(model->flops_per_sample), "flops_per_sample");
	list_field(&unused, (model->id || model->config.text) && is_given(model->sample_bytes), "sample_bytes");
	warn_of_fields(&unused, "it belongs to a generic model (model.kind)");
	list_field(&unused, (model->id || model->config.text) && is_given(model->params_active), "params_active");
	warn_of_fields(&unused, "the model's layers determine the active parameters");
}

static void unused_site(const struct resolver *resolver, const struct site_request *site, const struct pricing *pricing)
{
	bool own = pricing && cost_is_owned(pricing);

	warn_of_field(
		resolver, is_given(site->electricity_usd_per_kwh) && !pricing, "site.electricity_usd_per_kwh", "this answer has energy, not cost");
	warn_of_field(resolver, is_given(site->electricity_usd_per_kwh) && pricing && !own, "site.electricity_usd_per_kwh",
		"rental prices include electricity; it applies with pricing.on_premises");
	warn_of_field(resolver, own && is_given(site->electricity_usd_per_kwh) && is_given(pricing->on_premises.electricity_usd_per_kwh),
		"site.electricity_usd_per_kwh", "pricing.on_premises.electricity_usd_per_kwh is given");
	if (site->series.gco2e_per_kwh.count > 0 && site->start_us <= 0)
		findings_assume_text(resolver->findings, "site.start", "where site.series begins",
			"E109: without site.start the date of site.series.start is not used, only the hours from the start of the series");
}

/* `alone`: one accelerator in one place. */
static void unused_choice(const struct resolver *resolver, const struct request_common *asked, size_t alternatives, size_t front, bool alone)
{
	warn_of_field(resolver, asked->calibration == CALIBRATION_DATASHEET && resolver->catalogue->rows.calibration_count == 0, "calibration",
		"no measurement is on record that it could exclude");
	warn_of_field(resolver, alone && asked->objective != OBJECTIVE_UNSET && alternatives == 0 && (asked->alternatives != 0 || front <= 1),
		"objective", "there is no other option to choose from");
	warn_of_field(
		resolver, asked->alternatives > 0 && asked->alternatives != 5 && alternatives == 0, "alternatives", "there is no other option");
}

static bool is_alone(const struct candidate *candidates, size_t count)
{
	for (size_t i = 1; count == 1 && i < candidates[0].supply_count; i++) {
		const struct site *site = &candidates[0].supplies[i].site, *first = &candidates[0].supplies[0].site;

		if (!site->region || !first->region || strcmp(site->region, first->region) != 0 || strcmp(site->provider, first->provider) != 0)
			return false;
	}
	return count == 1;
}

static void unused_memory_check(const struct resolver *resolver, enum truth enforce_memory, double total_bytes, double capacity_bytes)
{
	warn_of_field(
		resolver, enforce_memory == TRUTH_FALSE && total_bytes <= capacity_bytes, "enforce_memory", "the recommended plan fits in memory");
}

/* --- trainings ---------------------------------------------------------------------------------------------------- */
static void unused_work(const struct resolver *resolver, const struct training_request *asked, const struct training_input *input)
{
	struct unused unused = {.resolver = resolver, .prefix = ""};
	bool lengths = true, batches = true;

	list_field(&unused, input->model.kind == MODEL_GENERIC && is_given(asked->sequence_length), "sequence_length");
	warn_of_fields(&unused, "a generic model has samples, not sequences");
	warn_of_field(resolver,
		is_given(asked->common.model.sample_bytes) && is_given(asked->input_pipeline.sample_bytes) && input->model.params_embedding <= 0,
		"model.sample_bytes", "input_pipeline.sample_bytes is given");
	for (size_t i = 0; i < asked->stages.count; i++) {
		lengths = lengths && is_given(asked->stages.items[i].sequence_length);
		batches = batches && is_given(asked->stages.items[i].global_batch_tokens);
	}
	if (asked->stages.count == 0)
		return;
	list_field(&unused, lengths && is_given(asked->sequence_length), "sequence_length");
	list_field(&unused, batches && is_given(asked->global_batch_tokens), "global_batch_tokens");
	list_field(&unused, batches && is_given(asked->global_batch_size), "global_batch_size");
	warn_of_fields(&unused, "every stage has its own");
}

/* Warns of purchase prices for accelerators that the plan does not consider. */
static void unused_capex(const struct resolver *resolver, const struct pricing *pricing, const struct candidate *candidates, size_t count)
{
	for (size_t i = 0; i < pricing->on_premises.capex.count; i++) {
		const char *name = pricing->on_premises.capex.items[i].accelerator, *alias;
		const struct accelerator_row *row = catalogue_accelerator(resolver->catalogue, name, &alias);
		bool planned = false;

		for (size_t k = 0; k < count && row; k++)
			planned |= strcmp(accelerator_kin(&candidates[k].accelerator), row->accelerator.id) == 0;
		if (!planned)
			findings_warn(resolver->findings,
				"pricing.on_premises.capex.accelerator, pricing.on_premises.capex.usd_per_gpu of %.60s are not used: no candidate is this accelerator",
				name);
	}
}

static const struct candidate *candidate_of(const struct candidate *candidates, size_t count, const char *id)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(candidates[i].accelerator.id, id) == 0)
			return &candidates[i];
	return NULL;
}

/* True if all traffic within a machine uses links; also for one accelerator, which has no traffic. */
static bool goes_by_links(const struct candidate *candidate, int64_t gpu_count)
{
	int64_t together = candidate->gpus_per_node < gpu_count ? candidate->gpus_per_node : gpu_count;

	return together <= 1 || (candidate->accelerator.interconnect_gbs > 0 && candidate->accelerator.max_nvlink_domain >= together);
}

static void unused_bus(const struct resolver *resolver, const struct training_request *asked, const struct training_input *input,
	const struct training_option *best)
{
	const struct candidate *candidate = candidate_of(input->candidates, input->candidate_count, best->accelerator.id);
	const struct accelerator_reference *reference;
	struct unused unused = unused_of(resolver, &asked->common, &best->accelerator, &reference);

	list_field(&unused,
		reference->like && reference->changes.pcie_gen >= 0 && candidate && best->parallelism.offload != TRUTH_TRUE &&
			goes_by_links(candidate, best->gpu_count),
		"pcie_gen");
	warn_of_fields(&unused, "accelerators of a machine use their links, and nothing is offloaded to the host's memory");
}

void resolve_unused_training(const struct resolver *resolver, const struct training_request *asked, const struct training_input *input,
	const struct training_plan *plan)
{
	const struct request_common *common = &asked->common;
	const struct training_option *best = &plan->recommended;

	unused_model(resolver, &common->model);
	unused_changes(resolver, common, &best->accelerator, input->request.common.precision, true);
	unused_site(resolver, &common->site, &common->pricing);
	unused_choice(resolver, common, plan->alternative_count, plan->front_count, is_alone(input->candidates, input->candidate_count));
	unused_memory_check(resolver, common->enforce_memory, best->memory.total_bytes, best->memory.capacity_bytes);
	unused_work(resolver, asked, input);
	if (asked->stack == STACK_HAI_LLM)
		findings_assume_text(resolver->findings, "stack", "hai_llm",
			"E30: DeepSeek published the behaviour of its software (arXiv 2412.19437), and generic has the same: the name is not used");
	unused_form(resolver, common, &best->accelerator, best->cost.has_offer ? &best->cost.offer : NULL, best->node_count > 1);
	warn_of_field(resolver, is_given(common->internode_gbs) && best->node_count == 1, "internode_gbs", "the training stays inside one node");
	unused_bus(resolver, asked, input, best);
	unused_capex(resolver, &common->pricing, input->candidates, input->candidate_count);
}

/* --- services ----------------------------------------------------------------------------------------------------- */
static void unused_lengths(const struct resolver *resolver, const struct token_distribution *tokens, const char *prefix)
{
	struct unused unused = {.resolver = resolver, .prefix = prefix};
	bool spread = is_given(tokens->cv), centred = is_given(tokens->mean), median = is_given(tokens->p50);

	if (tokens->samples.count > 0) {
		list_field(&unused, centred, "mean");
		list_field(&unused, median, "p50");
		list_field(&unused, is_given(tokens->p95), "p95");
		list_field(&unused, spread, "cv");
		warn_of_fields(&unused, "the samples determine it");
		return;
	}
	list_field(&unused, median && centred && spread, "p50");
	list_field(&unused, is_given(tokens->p95) && spread && (centred || median), "p95");
	warn_of_fields(&unused, "cv determines the spread of the lengths (E58)");
}

/* Notes prefixes that all fit in one replica's cache: their number then changes nothing. */
static void unused_prefixes(const struct resolver *resolver, const struct inference_request *asked, const struct inference_option *best)
{
	static const double held = 0.9; /* share of the cache; the rest is for the tokens after the prefixes */
	double tokens = asked->shared_prefix.prefixes * asked->shared_prefix.tokens;

	if (tokens > 0 && tokens <= held * best->memory.kv_tokens_capacity)
		findings_assume_text(resolver->findings, "shared_prefix.prefixes", "all stay in the cache",
			"E96: all fit in the cache of one replica, so that their number is not used, only their tokens");
}

static void unused_day(const struct resolver *resolver, const struct inference_request *asked, const struct inference_option *best)
{
	bool spot = best->cost.has_offer && best->cost.offer.term == TERM_SPOT;

	warn_of_field(resolver, is_given(asked->startup_s) && asked->daily_profile.count == 0 && !spot, "startup_s",
		"replicas are not scaled (daily_profile) and not interrupted (spot offers)");
}

static bool stays_in_node(const struct inference_request *asked, const struct inference_input *input, const struct inference_option *best)
{
	const struct candidate *candidate = candidate_of(input->candidates, input->candidate_count, best->accelerator.id);

	return !candidate /* a slice */ || (best->gpus_per_replica <= candidate->gpus_per_node && asked->parallelism.disaggregated != TRUTH_TRUE);
}

static bool can_split(const struct inference_input *input)
{
	struct mig_slice slices[MIG_SLICES_MAX];

	for (size_t i = 0; i < input->candidate_count; i++)
		if (mig_slices_of(&input->candidates[i].accelerator, slices) > 0)
			return true;
	return false;
}

void resolve_unused_inference(const struct resolver *resolver, const struct inference_request *asked, const struct inference_input *input,
	const struct inference_plan *plan)
{
	const struct request_common *common = &asked->common;
	const struct inference_option *best = &plan->recommended;
	const struct accelerator_reference *reference;
	struct unused unused = unused_of(resolver, common, &best->accelerator, &reference);

	unused_model(resolver, &common->model);
	unused_changes(resolver, common, &best->accelerator, best->precision, false);
	unused_site(resolver, &common->site, &common->pricing);
	unused_choice(resolver, common, plan->alternative_count, plan->front_count, is_alone(input->candidates, input->candidate_count));
	unused_memory_check(resolver, common->enforce_memory, best->memory.total_bytes, best->memory.capacity_bytes);
	unused_lengths(resolver, &asked->prompt_tokens, "prompt_tokens.");
	unused_lengths(resolver, &asked->output_tokens, "output_tokens.");
	unused_prefixes(resolver, asked, best);
	unused_day(resolver, asked, best);
	warn_of_field(resolver, asked->routing != ROUTING_UNSET && best->replicas == 1, "routing", "there is one replica");
	unused_form(resolver, common, &best->accelerator, best->cost.has_offer ? &best->cost.offer : NULL, !stays_in_node(asked, input, best));
	if (reference->like && best->gpus_per_replica == 1)
		unused_network(&unused, &reference->changes, "a replica is one accelerator");
	unused_capex(resolver, &common->pricing, input->candidates, input->candidate_count);
	warn_of_field(
		resolver, is_given(common->internode_gbs) && stays_in_node(asked, input, best), "internode_gbs", "a replica stays inside one node");
	warn_of_field(resolver, asked->mig != TRUTH_UNSET && !can_split(input), "mig", "none of the accelerators can be split");
	warn_of_field(resolver, asked->mig == TRUTH_TRUE && can_split(input) && !best->mig_profile, "mig", "whole accelerators cost no more");
	warn_of_field(resolver, common->site.start_us > 0 && asked->daily_profile.count > 0 && common->site.series.gco2e_per_kwh.count > 0,
		"site.start", "a service runs every day, by the hours of daily_profile and utc_offset_hours");
}

static void unused_alone(const struct resolver *resolver, const struct request_common *asked)
{
	struct unused unused = {.resolver = resolver, .prefix = "accelerator."};

	if (asked->gpu_count <= 1)
		unused_network(&unused, &asked->accelerator.changes, "one accelerator sends nothing to others");
	list_field(&unused, asked->accelerator.like && asked->accelerator.id, "id");
	warn_of_fields(&unused, "with like it only names the variant");
}

void resolve_unused_performance(
	const struct resolver *resolver, const struct performance_request *asked, const struct performance_input *input)
{
	struct unused unused = {.resolver = resolver, .prefix = "accelerator."};
	const struct accelerator *changes = &asked->common.accelerator.changes;
	bool spread = !is_given(asked->prompt_tokens.mean) || asked->prompt_tokens.samples.count > 0;

	unused_model(resolver, &asked->common.model);
	unused_changes(resolver, &asked->common, &input->candidate->accelerator, input->request.common.precision, false);
	unused_alone(resolver, &asked->common);
	list_field(&unused, changes->form_factor != NULL, "form_factor");
	list_field(&unused, is_given(changes->embodied_kgco2e), "embodied_kgco2e");
	list_field(&unused, is_given(changes->embodied_boavizta_kgco2e), "embodied_boavizta_kgco2e");
	list_field(&unused, is_given(changes->die_area_mm2), "die_area_mm2");
	warn_of_fields(&unused, "this answer has no carbon and no nodes");
	unused_choice(resolver, &asked->common, 1, 1, true);
	unused.prefix = "prompt_tokens.";
	list_field(&unused, is_given(asked->prompt_tokens.cv) && !spread, "cv");
	list_field(&unused, is_given(asked->prompt_tokens.p50) && !spread, "p50");
	list_field(&unused, is_given(asked->prompt_tokens.p95) && !spread, "p95");
	warn_of_fields(&unused, "one replica's means use the mean prompt; POST /v1/estimates/inference simulates the spread");
	unused_lengths(resolver, &asked->output_tokens, "output_tokens.");
	warn_of_field(resolver, asked->parallelism.disaggregated == TRUTH_TRUE, "parallelism.disaggregated",
		"one replica does both prefill and decode; POST /v1/estimates/inference plans them separately");
}

/* --- the smaller calculators -------------------------------------------------------------------------------------- */
static void take_layout(struct unused *unused, const struct parallelism *layout)
{
	list_field(unused, layout->data >= 0, "data");
	list_field(unused, layout->context >= 0, "context");
	list_field(unused, layout->interleave >= 0, "interleave");
	list_field(unused, layout->micro_batch >= 0, "micro_batch");
	list_field(unused, layout->zero_stage >= 0, "zero_stage");
	list_field(unused, layout->zero_group >= 0, "zero_group");
	list_field(unused, layout->recompute != RECOMPUTE_UNSET, "recompute");
	list_field(unused, layout->kept_layers >= 0, "kept_layers");
	list_field(unused, layout->sequence_parallel != TRUTH_UNSET, "sequence_parallel");
	list_field(unused, layout->offload != TRUTH_UNSET, "offload");
	list_field(unused, layout->offload_activations != TRUTH_UNSET, "offload_activations");
}

/* Collects all fields of an accelerator except its memory. */
static void take_but_memory(struct unused *unused, const struct accelerator *changes)
{
	list_field(unused, changes->vendor != NULL, "vendor");
	list_field(unused, changes->form_factor != NULL, "form_factor");
	list_field(unused, changes->release_year >= 0, "release_year");
	list_field(unused, changes->memory_type != NULL, "memory_type");
	list_field(unused, is_given(changes->memory_bandwidth_gbs), "memory_bandwidth_gbs");
	take_rates(unused, changes, PRECISION_UNSET);
	list_field(unused, is_given(changes->tdp_w), "tdp_w");
	list_field(unused, is_given(changes->idle_w), "idle_w");
	list_field(unused, is_given(changes->load_w), "load_w");
	list_field(unused, changes->interconnect != NULL, "interconnect");
	list_field(unused, is_given(changes->interconnect_gbs), "interconnect_gbs");
	list_field(unused, changes->pcie_gen >= 0, "pcie_gen");
	list_field(unused, changes->max_nvlink_domain >= 0, "max_nvlink_domain");
	list_field(unused, changes->transistor_nm >= 0, "transistor_nm");
	list_field(unused, is_given(changes->die_area_mm2), "die_area_mm2");
	list_field(unused, is_given(changes->embodied_kgco2e), "embodied_kgco2e");
	list_field(unused, is_given(changes->embodied_boavizta_kgco2e), "embodied_boavizta_kgco2e");
}

void resolve_unused_memory(const struct resolver *resolver, const struct memory_request *asked)
{
	struct unused unused = {.resolver = resolver, .prefix = ""};
	bool serves = asked->purpose == MEMORY_PURPOSE_INFERENCE;

	unused_model(resolver, &asked->common.model);
	if (serves) {
		warn_of_field(resolver,
			asked->engine != ENGINE_UNSET && !resolve_accelerator_given(&asked->common.accelerator) &&
				(asked->kv_precision != PRECISION_UNSET || asked->common.precision == PRECISION_UNSET ||
					precision_weight_bytes(asked->common.precision) > 1.5),
			"engine", "its share of memory for the cache needs an accelerator");
		list_field(&unused, is_given(asked->sequence_length), "sequence_length");
		list_field(&unused, asked->optimizer != OPTIMIZER_UNSET, "optimizer");
		list_field(&unused, asked->fine_tuning.method != FINE_TUNING_UNSET, "fine_tuning.method");
		list_field(&unused, asked->fine_tuning.rank >= 0, "fine_tuning.rank");
		warn_of_fields(&unused, "it belongs to training (purpose)");
		unused.prefix = "parallelism.";
		take_layout(&unused, &asked->parallelism);
		warn_of_fields(&unused, "it belongs to training (purpose)");
	} else {
		warn_of_field(resolver, asked->parallelism.sequence_parallel != TRUTH_UNSET && asked->parallelism.tensor <= 1,
			"parallelism.sequence_parallel", "it splits along the tensor-parallel group, which is one accelerator");
		list_field(&unused, is_given(asked->context_tokens), "context_tokens");
		list_field(&unused, is_given(asked->concurrency), "concurrency");
		list_field(&unused, asked->engine != ENGINE_UNSET, "engine");
		warn_of_fields(&unused, "it belongs to inference (purpose)");
		warn_of_field(resolver,
			asked->common.gpu_count > 1 && asked->parallelism.zero_stage < 1 && !resolve_accelerator_given(&asked->common.accelerator),
			"gpu_count", "data-parallel ranks hold the same states unless parallelism.zero_stage shards them");
		warn_of_field(resolver,
			asked->fine_tuning.rank >= 0 && asked->fine_tuning.method != FINE_TUNING_LORA && asked->fine_tuning.method != FINE_TUNING_QLORA,
			"fine_tuning.rank", "only lora and qlora have one");
	}
	unused.prefix = "accelerator.";
	take_but_memory(&unused, &asked->common.accelerator.changes);
	warn_of_fields(&unused, "this answer has memory, not time, energy or carbon");
	list_field(&unused, asked->common.accelerator.like && asked->common.accelerator.id, "id");
	warn_of_fields(&unused, "with like it only names the variant");
}

void resolve_unused_carbon(const struct resolver *resolver, const struct carbon_request *asked, const struct accelerator *accelerator)
{
	struct unused unused = {.resolver = resolver, .prefix = "accelerator."};
	const struct accelerator *changes = &asked->accelerator.changes;

	unused_facts(&unused, changes, accelerator);
	unused_making(&unused, changes, &asked->hardware);
	take_rates(&unused, changes, PRECISION_UNSET);
	list_field(&unused, is_given(changes->memory_bandwidth_gbs), "memory_bandwidth_gbs");
	list_field(&unused, changes->vendor != NULL, "vendor");
	list_field(&unused, changes->form_factor != NULL, "form_factor");
	warn_of_fields(&unused, "power follows from utilization, tdp_w, load_w and idle_w");
	list_field(&unused, is_given(changes->memory_usable_bytes), "memory_usable_bytes");
	warn_of_fields(&unused, "this answer does not check memory");
	unused_network(&unused, changes, "this answer does not include traffic on links");
	list_field(&unused, asked->accelerator.like && asked->accelerator.id, "id");
	warn_of_fields(&unused, "with like it only names the variant");
	unused_site(resolver, &asked->site, NULL);
}

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "hwdb/catalogue/given_names.h"
#include "hwdb/resolve/calibrations.h"
#include "hwdb/resolve/resolve_parts.h"
#include "hwdb/rows/known_mistakes.h"
#include "hwdb/rows/rows_text.h"
#include "hwdb/rows/validate.h"
#include "planner/footprint/carbon.h"

/* Applies the request's changes to a row and returns their names: "memory_gb, tdp_w". */
static const char *apply_changes(const struct resolver *resolver, const struct accelerator *changes, struct accelerator *accelerator)
{
	char changed[240];

	accelerator_apply_changes(accelerator, changes, changed, sizeof changed);
	return resolver_text(resolver, "%s", changed[0] ? changed : "nothing");
}

/* E139. Scales the other rates of the matrix units with the 16-bit rate. FP4 is scaled with FP8 where that is given.
 * FP32 and FP64 use other units. */
static void follow_rates(const struct accelerator *base, const struct accelerator *changes, struct accelerator *accelerator)
{
	double ratio = is_given(changes->tflops_bf16) ? changes->tflops_bf16 / base->tflops_bf16 : changes->tflops_fp16 / base->tflops_fp16;
	double narrow = given_or(changes->tflops_fp8 / base->tflops_fp8, ratio);

	if (is_given(ratio)) {
		accelerator->tflops_bf16 = given_or(changes->tflops_bf16, base->tflops_bf16 * ratio);
		accelerator->tflops_fp16 = given_or(changes->tflops_fp16, base->tflops_fp16 * ratio);
		accelerator->tflops_tf32 = given_or(changes->tflops_tf32, base->tflops_tf32 * ratio);
		accelerator->tflops_fp8 = given_or(changes->tflops_fp8, base->tflops_fp8 * ratio);
		accelerator->tops_int8 = given_or(changes->tops_int8, base->tops_int8 * ratio);
	}
	if (is_given(narrow))
		accelerator->tflops_fp4 = given_or(changes->tflops_fp4, base->tflops_fp4 * narrow);
}

/* E139. Scales power at full load and when idle with the power limit, as where only the limit is known (E61, E62). */
static void follow_power(const struct accelerator *base, const struct accelerator *changes, struct accelerator *accelerator)
{
	double ratio = changes->tdp_w / base->tdp_w;

	if (!is_given(ratio))
		return;
	accelerator->load_w = given_or(changes->load_w, base->load_w * ratio);
	accelerator->idle_w = given_or(changes->idle_w, base->idle_w * ratio);
}

/* E139. Scales figures that the request leaves out with those that it gives, so that a variant keeps its base's ratios.
 * The driver keeps the same share of the memory. Manufacturing carbon changes with memory and dies (E65). */
static void follow_changes(const struct accelerator *base, const struct accelerator *changes, struct accelerator *accelerator)
{
	double making = embodied_scale(accelerator) / embodied_scale(base);

	if (is_given(changes->memory_gb) && !is_given(changes->memory_usable_bytes) && base->memory_gb > 0)
		accelerator->memory_usable_bytes = base->memory_usable_bytes * (changes->memory_gb / base->memory_gb);
	follow_rates(base, changes, accelerator);
	follow_power(base, changes, accelerator);
	if (!is_given(changes->embodied_kgco2e) && !is_given(changes->embodied_boavizta_kgco2e)) {
		accelerator->embodied_kgco2e = base->embodied_kgco2e * making;
		accelerator->embodied_boavizta_kgco2e = base->embodied_boavizta_kgco2e * making;
	}
}

static enum status resolve_variant(const struct resolver *resolver, const struct accelerator_reference *reference, const char *pointer,
	const struct accelerator_row *row, struct accelerator *accelerator)
{
	const struct accelerator *base = &row->accelerator;
	const char *changed = apply_changes(resolver, &reference->changes, accelerator);

	follow_changes(base, &reference->changes, accelerator);
	accelerator->like = base->id;
	accelerator->id = reference->id ? reference->id : resolver_text(resolver, "like-%s", base->id);
	if (!reference->changes.name)
		accelerator->name = resolver_text(resolver, "like %s", base->name ? base->name : base->id);
	accelerator->source = resolver_text(resolver, "request: like catalogue %s, changed: %s", base->id, changed);
	accelerator->source_date = NULL;
	validate_accelerator(accelerator, pointer, resolver->failure);
	known_mistakes_warn(resolver->catalogue, accelerator, &reference->changes, resolver->findings);
	findings_assume_text(resolver->findings, "accelerator.like", base->id,
		resolver->catalogue->index->accelerator_citations[row - resolver->catalogue->rows.accelerators]);
	return resolver_status(resolver);
}

bool resolve_accelerator_given(const struct accelerator_reference *reference)
{
	struct accelerator scratch = {.id = NULL};
	char changed[240];

	if (reference->id || reference->like)
		return true;
	accelerator_apply_changes(&scratch, &reference->changes, changed, sizeof changed);
	return changed[0] != '\0';
}

/* Adds a fault for figures beside an id: they would change the catalogue's accelerator. Only a variant has figures of
 * its own. */
static void changes_fault(const struct resolver *resolver, const struct accelerator_reference *reference, const char *pointer)
{
	struct accelerator scratch = {.id = NULL};
	char changed[240], at[FAULT_POINTER_MAX];

	if (reference->like)
		return;
	accelerator_apply_changes(&scratch, &reference->changes, changed, sizeof changed);
	if (!changed[0])
		return;
	if (!reference->id) {
		failure_add(resolver->failure, pointer, "required", "changes %.60s of an accelerator that is not named: name it in `like`", changed);
		return;
	}
	snprintf(at, sizeof at, "%.140s/id", pointer);
	failure_add(resolver->failure, at, "conflict", "changes %.60s: name the accelerator in `like` instead", changed);
}

/* Returns the source of an alias: "v100" is an alias of v100-sxm2-16gb, and not of the other accelerators of that
 * name. */
static const char *alias_text(const struct resolver *resolver, const char *alias, const struct accelerator_row *row)
{
	char others[160];

	given_accelerator_others(resolver->catalogue, alias, row->accelerator.id, others, sizeof others);
	return resolver_text(resolver, "\"%s\" is an alias of %s%s%s%s; %s", alias,
		row->accelerator.name ? row->accelerator.name : row->accelerator.id, others[0] ? " (and not of " : "", others, others[0] ? ")" : "",
		resolver->catalogue->index->accelerator_citations[row - resolver->catalogue->rows.accelerators]);
}

static const char *instance_text(const struct resolver *resolver, const char *name, const struct given_instance *instance)
{
	const char *accelerator = instance->row->accelerator.name ? instance->row->accelerator.name : instance->row->accelerator.id;

	if (instance->gpus < 1)
		return resolver_text(resolver, "\"%s\" is an instance of %s with %s (%s)", name, instance->price->provider, accelerator,
			instance->price->meta.source);
	return resolver_text(resolver, "\"%s\" is an instance of %s with %lld x %s (%s)", name, instance->price->provider,
		(long long)instance->gpus, accelerator, instance->price->meta.source);
}

void resolve_instance(const struct resolver *resolver, struct request_common *common)
{
	const char *name = common->accelerator.like ? common->accelerator.like : common->accelerator.id, *alias;
	struct given_instance instance;

	if (!name || common->gpus_per_node >= 0 || given_accelerator(resolver->catalogue, name, &alias))
		return;
	instance = given_instance(resolver->catalogue, name);
	if (!instance.row || instance.gpus < 1)
		return;
	common->gpus_per_node = instance.gpus;
	findings_assume_number(resolver->findings, "gpus_per_node", (double)instance.gpus, instance_text(resolver, name, &instance));
}

enum status resolve_accelerator_row(const struct resolver *resolver, const struct accelerator_reference *reference, const char *pointer,
	const struct accelerator_row **row, struct accelerator *accelerator)
{
	const char *name = reference->like ? reference->like : reference->id, *alias;
	struct given_instance instance;

	if (!name && resolve_accelerator_given(reference)) {
		changes_fault(resolver, reference, pointer);
		return resolver_status(resolver);
	}
	if (!name) {
		failure_add(resolver->failure, pointer, "required", "give an accelerator's id, or {like: id, ...} with the changed figures");
		return resolver_status(resolver);
	}
	changes_fault(resolver, reference, pointer);
	*row = given_accelerator(resolver->catalogue, name, &alias);
	if (!*row && (instance = given_instance(resolver->catalogue, name)).price) {
		*row = instance.row;
		if (!*row) {
			failure_add(resolver->failure, pointer, "ambiguous",
				"the instance \"%.60s\" has one of several accelerators: %s; name the accelerator", name, instance.among);
			return resolver_status(resolver);
		}
		findings_assume_text(resolver->findings, "accelerator", (*row)->accelerator.id, instance_text(resolver, name, &instance));
	}
	if (!*row) {
		char at[FAULT_POINTER_MAX];

		snprintf(at, sizeof at, "%.140s%s", pointer, reference->like ? "/like" : "");
		fault_unknown(resolver, at, "accelerator", name);
		return resolver_status(resolver);
	}
	*accelerator = (*row)->accelerator;
	if (alias)
		findings_assume_text(resolver->findings, "accelerator", (*row)->accelerator.id, alias_text(resolver, alias, *row));
	return reference->like ? resolve_variant(resolver, reference, pointer, *row, accelerator) : STATUS_OK;
}

enum status resolve_accelerator(
	const struct resolver *resolver, const struct accelerator_reference *reference, const char *pointer, struct accelerator *accelerator)
{
	const struct accelerator_row *row;

	return resolve_accelerator_row(resolver, reference, pointer, &row, accelerator);
}

void resolve_calibration(const struct resolver *resolver, const struct accelerator *accelerator, enum precision precision, bool noted,
	struct calibration *calibration)
{
	const struct calibration_wish wish = {.accelerator = accelerator,
		.precision = precision,
		.plan_id = resolver->plan_id,
		.stack = resolver->stack,
		.params = resolver->params,
		.gpu_count = resolver->gpu_count,
		.now_us = resolver->now_us};

	calibrations_choose(resolver->catalogue, &wish, resolver->arena, noted ? resolver->findings : NULL, calibration);
}

#include "hwdb/resolve/calibrations.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "planner/measurement/observation.h"
#include "planner/operators/device.h"

static struct evidence evidence_of(const struct calibration_row *row)
{
	return (struct evidence){.id = row->id,
		.accelerator = row->accelerator_id,
		.device = row->device_id,
		.plan_id = row->plan_id,
		.class = row->class,
		.method = row->method,
		.source = row->meta.source,
		.quantity = quantity_of_name(row->quantity),
		.precision = quantity_of_name(row->quantity) == QUANTITY_STACK_SPEED ? PRECISION_UNSET : row->precision,
		.value = row->value,
		.low = row->low,
		.high = row->high,
		.disagreement = row->disagreement,
		.measured_at_us = row->meta.valid_from_us,
		.held = row->held_because,
		.bearer = row->delivered_by};
}

/* Collects the evidence of one accelerator; none when the arena is exhausted. */
static struct evidence *gather(const struct catalogue *catalogue, const char *accelerator_id, struct arena *arena, size_t *count)
{
	const struct catalogue_rows *rows = &catalogue->rows;
	struct evidence *items;
	size_t found = 0;

	*count = 0;
	for (size_t i = 0; i < rows->calibration_count; i++)
		found += strcmp(rows->calibrations[i].accelerator_id, accelerator_id) == 0;
	items = found > 0 ? ARENA_ARRAY(arena, struct evidence, found) : NULL;
	for (size_t i = 0; items && i < rows->calibration_count; i++)
		if (strcmp(rows->calibrations[i].accelerator_id, accelerator_id) == 0)
			items[(*count)++] = evidence_of(&rows->calibrations[i]);
	return items;
}

struct choosing {
	const struct catalogue *catalogue;
	const struct calibration_wish *wish;
	const struct evidence *items;
	size_t count;
	struct arena *arena;
	struct findings *findings;
	struct calibration *calibration;
};

/* Returns the source of a figure: "fleet: median of 3 devices, newest by library_gemm on GPU-1, 2026-11-20 (1 day old,
 * calibration id); 12 % below the prior of 0.803". */
static const char *describe(const struct choosing *choosing, const struct evidence_choice *choice, double prior)
{
	const struct evidence *newest = choice->newest;
	const char *others = newest->source ? strstr(newest->source, "; others used ")
										: NULL; /* use of the CPUs by other processes during the measurement */
	char date[CLOCK_TEXT_MAX], origin[80], apart[96] = "";
	double change = choice->value / prior - 1;
	const char *text;

	if (newest->source && !others)
		others = strstr(newest->source, "; others had "); /* rows of earlier versions */
	clock_format(date, newest->measured_at_us);
	if (choice->of_plan)
		snprintf(origin, sizeof origin, "this plan's own work, measured");
	else if (choice->devices > 1)
		snprintf(origin, sizeof origin, "fleet: median of %d devices, newest", choice->devices);
	else
		snprintf(origin, sizeof origin, "measured");
	if (prior > 0 && isfinite(prior))
		snprintf(apart, sizeof apart, "; %.1f %% %s the published prior of %.4g", 100 * fabs(change), change < 0 ? "below" : "above", prior);
	text = arena_printf(choosing->arena, "%s by %s on %s, %.10s (%.0f day%s old, calibration %s)%s%s", origin,
		newest->method ? newest->method : "a benchmark", newest->device ? newest->device : "real jobs", date, choice->age_days,
		fabs(choice->age_days - 1) < 0.5 ? "" : "s", newest->id, others ? others : "", apart);
	return text ? text : "measured";
}

/* Sets *member to the value of one quantity, without class or of one class. False: no evidence. The first quantity used
 * also sets the calibration's id and source. */
static bool use_quantity(struct choosing *choosing, const struct evidence_wish *wanted, const char *field, double prior, double *member,
	struct evidence_choice *choice)
{
	const char *text;

	if (!evidence_choose(choosing->items, choosing->count, wanted, choosing->wish->now_us, choice))
		return false;
	*member = choice->value;
	text = describe(choosing, choice, prior);
	if (!choosing->calibration->id) {
		choosing->calibration->id = choice->newest->id;
		choosing->calibration->source = text;
	}
	if (choosing->findings)
		findings_assume_figure(choosing->findings,
			&(struct figure){.field = field,
				.value = choice->value,
				.low = fmin(choice->low, choice->value),
				.high = fmax(choice->high, choice->value),
				.source = text,
				.status = PROVENANCE_MEASURED});
	return true;
}

static const char *const class_fields[PRODUCT_CLASS_COUNT] = {
	[PRODUCT_THIN] = "calibration.gemm_efficiency.thin",
	[PRODUCT_SMALL] = "calibration.gemm_efficiency.small",
	[PRODUCT_LARGE] = "calibration.gemm_efficiency.large",
};

/* Uses the products of the plan itself; else those of each class, and the largest class for gemm_efficiency. */
static void take_products(struct choosing *choosing)
{
	const struct calibration_wish *wish = choosing->wish;
	struct calibration *calibration = choosing->calibration;
	struct evidence_wish wanted = {.accelerator = wish->accelerator->id,
		.quantity = QUANTITY_GEMM_EFFICIENCY,
		.precision = wish->precision,
		.class = "plan",
		.plan_id = wish->plan_id};
	double prior = device_prior_gemm_efficiency(wish->accelerator, wish->precision);
	struct evidence_choice choice;

	calibration->gemm_precision = wish->precision;
	if (wish->plan_id && use_quantity(choosing, &wanted, "calibration.gemm_efficiency", prior, &calibration->gemm_efficiency, &choice)) {
		calibration->gemm_low = choice.low;
		calibration->gemm_high = choice.high;
		return;
	}
	wanted.plan_id = NULL;
	for (int class = PRODUCT_LARGE; class >= PRODUCT_THIN; class --) {
		wanted.class = product_class_name((enum product_class) class);
		if (!use_quantity(choosing, &wanted, class_fields[class], prior, &calibration->gemm_class_efficiency[class], &choice) ||
			calibration->gemm_efficiency > 0)
			continue;
		calibration->gemm_efficiency = choice.value;
		calibration->gemm_low = choice.low;
		calibration->gemm_high = choice.high;
	}
}

static void take_others(struct choosing *choosing)
{
	const struct accelerator *accelerator = choosing->wish->accelerator;
	struct calibration *calibration = choosing->calibration;
	struct {
		enum quantity quantity;
		const char *field;
		double prior, *member, *low, *high; /* low, high: NULL where the plan's interval does not use them */
	} others[] = {
		{QUANTITY_MEMORY_EFFICIENCY, "calibration.memory_efficiency", device_prior_memory_efficiency(), &calibration->memory_efficiency,
			&calibration->memory_low, &calibration->memory_high},
		{QUANTITY_KERNEL_LAUNCH, "calibration.kernel_launch_s", ABSENT_NUMBER, &calibration->kernel_launch_s,
			&calibration->kernel_launch_low_s, &calibration->kernel_launch_high_s},
		{QUANTITY_HOST_LATENCY, "calibration.host_latency_s", ABSENT_NUMBER, &calibration->host_latency_s, NULL, NULL},
		{QUANTITY_HOST_RATE, "calibration.host_bytes_per_s", device_prior_host_bytes_per_s(accelerator), &calibration->host_bytes_per_s,
			&calibration->host_low_bytes_per_s, &calibration->host_high_bytes_per_s},
		{QUANTITY_COLLECTIVE_LATENCY, "calibration.collective_latency_s", physics_fitted.link_latency_s, &calibration->collective_latency_s,
			NULL, NULL},
		{QUANTITY_COLLECTIVE_RATE, "calibration.collective_bytes_per_s",
			accelerator_link_bytes_per_s(accelerator) * physics_fitted.link_fraction, &calibration->collective_bytes_per_s,
			&calibration->collective_low_bytes_per_s, &calibration->collective_high_bytes_per_s},
		{QUANTITY_IDLE_POWER, "calibration.idle_w", accelerator_idle_w(accelerator, NULL, NULL, NULL), &calibration->idle_w, NULL, NULL},
		{QUANTITY_LOAD_POWER, "calibration.load_w", accelerator_load_w(accelerator, NULL, NULL, NULL), &calibration->load_w, NULL, NULL},
		{QUANTITY_STORAGE_RATE, "calibration.storage_bytes_per_s", ABSENT_NUMBER, &calibration->storage_bytes_per_s, NULL, NULL},
	};

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		struct evidence_wish wanted = {.accelerator = accelerator->id, .quantity = others[i].quantity};
		struct evidence_choice choice;

		if (!use_quantity(choosing, &wanted, others[i].field, others[i].prior, others[i].member, &choice) || !others[i].low)
			continue;
		*others[i].low = choice.low;
		*others[i].high = choice.high;
	}
}

/* Returns the row of an id. */
static const struct calibration_row *row_named(const struct catalogue *catalogue, const char *id)
{
	const struct catalogue_rows *rows = &catalogue->rows;

	for (size_t i = 0; i < rows->calibration_count; i++)
		if (strcmp(rows->calibrations[i].id, id) == 0)
			return &rows->calibrations[i];
	return NULL;
}

/* Returns "; jobs of 8.03e+09 parameters on 8 accelerators in bf16: likeness 0.5 to this job (E148)". Likeness NaN:
 * left out, because the planner notes it. */
static const char *describe_jobs(const struct choosing *choosing, const struct calibration_row *row, const char *text, double likeness)
{
	char params[48] = "an unknown number of parameters", gpus[48] = "", holds[48] = " (E148)";

	if (row->params > 0)
		snprintf(params, sizeof params, "%.3g parameters", row->params);
	if (row->gpu_count >= 1)
		snprintf(gpus, sizeof gpus, " on %lld accelerator%s", (long long)row->gpu_count, row->gpu_count == 1 ? "" : "s");
	if (is_given(likeness))
		snprintf(holds, sizeof holds, ": likeness %.2g to this job (E148)", likeness);
	return arena_printf(choosing->arena, "%s; jobs of %s%s%s%s%s", text, params, gpus, row->precision == PRECISION_UNSET ? "" : " in ",
		row->precision == PRECISION_UNSET ? "" : precision_name(row->precision), holds);
}

/* Uses the speed that the software's jobs agree on, weighted by their likeness to this job (E148). */
static void take_stack(struct choosing *choosing)
{
	const struct calibration_wish *wish = choosing->wish;
	struct evidence_wish wanted = {.accelerator = wish->accelerator->id, .quantity = QUANTITY_STACK_SPEED, .class = wish->stack};
	struct calibration *calibration = choosing->calibration;
	const struct calibration_row *row;
	struct evidence_choice choice;
	const char *text, *jobs;
	double likeness;
	bool is_open;

	if (!wish->stack || !evidence_choose(choosing->items, choosing->count, &wanted, wish->now_us, &choice))
		return;
	row = row_named(choosing->catalogue, choice.newest->id);
	if (!row)
		return;
	is_open = row->gpu_count >= 1 && wish->gpu_count < 1;
	likeness = observation_likeness(
		&(struct observed_kind){.params_ratio = row->params > 0 && wish->params > 0 ? row->params / wish->params : ABSENT_NUMBER,
			.gpus_ratio = row->gpu_count >= 1 && wish->gpu_count >= 1 ? (double)row->gpu_count / (double)wish->gpu_count : ABSENT_NUMBER,
			.same_precision = row->precision == wish->precision});
	text = describe(choosing, &choice, 1);
	jobs = describe_jobs(choosing, row, text, is_open ? ABSENT_NUMBER : likeness);
	calibration->stack_speed = observation_speed_at(choice.value, likeness);
	calibration->stack_low = observation_speed_at(fmin(choice.low, choice.value), likeness);
	calibration->stack_high = observation_speed_at(fmax(choice.high, choice.value), likeness);
	calibration->stack_likeness = likeness;
	calibration->stack_gpu_count = is_open ? (double)row->gpu_count : 0;
	calibration->stack_source = jobs ? jobs : text;
	if (!calibration->id) {
		calibration->id = choice.newest->id;
		calibration->source = jobs ? jobs : text;
	}
	if (!choosing->findings || is_open) /* if open, the planner notes the likeness for the number that it finds */
		return;
	findings_assume_figure(choosing->findings,
		&(struct figure){.field = "calibration.stack_speed",
			.value = calibration->stack_speed,
			.low = calibration->stack_low,
			.high = calibration->stack_high,
			.source = jobs ? jobs : text,
			.status = PROVENANCE_MEASURED});
	findings_assume_number(choosing->findings, "calibration.stack_likeness", likeness, OBSERVATION_LIKENESS_SOURCE);
}

static void tell_unused(const struct choosing *choosing)
{
	char why[200];

	for (size_t i = 0; choosing->findings && i < choosing->count; i++)
		if (evidence_standing(choosing->items, choosing->count, i, choosing->wish->now_us, why, sizeof why) != STANDING_USED) {
			const char *text = arena_strdup(choosing->arena, why);

			findings_assume_text(choosing->findings, "calibration.unused", choosing->items[i].id, text ? text : "not used");
			return;
		}
}

void calibrations_choose(const struct catalogue *catalogue, const struct calibration_wish *wish, struct arena *arena,
	struct findings *findings, struct calibration *calibration)
{
	struct choosing choosing = {.catalogue = catalogue, .wish = wish, .arena = arena, .findings = findings, .calibration = calibration};
	double *members[] = {&calibration->gemm_efficiency, &calibration->memory_efficiency, &calibration->kernel_launch_s,
		&calibration->idle_w, &calibration->load_w};

	*calibration = (struct calibration){.id = NULL};
	for (size_t i = 0; i < COUNT_OF(members); i++)
		*members[i] = ABSENT_NUMBER;
	if (!wish->accelerator->id || catalogue->rows.calibration_count == 0)
		return;
	choosing.items = gather(catalogue, wish->accelerator->id, arena, &choosing.count);
	if (choosing.count == 0)
		return;
	take_products(&choosing);
	take_others(&choosing);
	take_stack(&choosing);
	tell_unused(&choosing);
}

void calibrations_judge(const struct catalogue *catalogue, struct calibration_row *rows, size_t count, int64_t now_us, struct arena *arena)
{
	for (size_t i = 0; i < count; i++) {
		struct evidence alone = evidence_of(&rows[i]), *items;
		size_t found, index = 0;
		char why[200];

		items = gather(catalogue, rows[i].accelerator_id, arena, &found);
		while (index < found && strcmp(items[index].id, rows[i].id) != 0)
			index++;
		if (index < found)
			items[index].measured_at_us = alone.measured_at_us;
		else
			items = &alone, found = 1, index = 0;
		rows[i].used = evidence_standing(items, found, index, now_us, why, sizeof why) == STANDING_USED ? TRUTH_TRUE : TRUTH_FALSE;
		rows[i].unused_because = rows[i].used == TRUTH_TRUE ? NULL : arena_strdup(arena, why);
	}
}

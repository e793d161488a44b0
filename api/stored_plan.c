#include "api/stored_plan.h"

#include "api/tables/shared.h"
#include "api/tables/tables.h"
#include "planner/training/practice.h"
#include "schema/decode.h"

static const struct node *get_member(const struct node *object, const char *key)
{
	return object && object->kind == NODE_OBJECT ? node_named(object->first, key) : NULL;
}

static double get_number(const struct node *object, const char *key)
{
	const struct node *value = get_member(object, key);

	return value && node_is_number(value) ? node_number(value) : ABSENT_NUMBER;
}

/* Reads a count of at most 2^53; above that, doubles skip integers. */
static int64_t get_count(const struct node *object, const char *key)
{
	double value = get_number(object, key);

	return value >= 0 && value <= 9007199254740992.0 ? (int64_t)value : ABSENT_COUNT;
}

/* Reads the figures of a table that are present; others, which an older version did not write, become `otherwise`. */
static void read_figures(const struct field_table *table, const struct node *object, double otherwise, void *out)
{
	for (size_t i = 0; i < table->row_count; i++)
		if (table->rows[i].kind == FIELD_NUMBER) {
			double figure = given_or(get_number(object, table->rows[i].key), otherwise);

			memcpy((char *)out + table->rows[i].offset, &figure, sizeof figure);
		}
}

static void read_bottleneck(const struct node *object, struct bottleneck_use *use)
{
	const struct node *shares = get_member(object, "shares"), *kind = get_member(object, "kind");

	for (enum bottleneck i = BOTTLENECK_COMPUTE; i < BOTTLENECK_COUNT; i++) {
		use->shares[i] = given_or(get_number(shares, bottleneck_words[i]), 0);
		if (node_text(kind) && strcmp(node_text(kind), bottleneck_words[i]) == 0)
			use->kind = i;
	}
}

enum status api_stored_option(const struct json_text *result, struct arena *arena, struct training_option *option, struct failure *failure)
{
	const struct node *recommended, *step;
	struct node *tree = NULL;
	enum status status = decode_parse(result->text, result->length, arena, &tree, failure);

	if (status != STATUS_OK)
		return status;
	recommended = get_member(tree, "recommended");
	step = get_member(recommended, "step");
	field_table_clear(&table_training_option, option);
	read_figures(&table_step_time, step, 0, &option->step);
	if (!(option->step.time_s > 0))
		return failure_set(failure, STATUS_INTERNAL, "the stored result has no step");
	read_figures(
		&table_interval, get_member(get_member(recommended, "interval"), "step_time_s"), ABSENT_NUMBER, &option->interval.step_time_s);
	read_bottleneck(get_member(recommended, "bottleneck"), &option->bottleneck);
	option->accelerator.id = node_text(get_member(recommended, "accelerator"));
	option->gpu_count = get_count(recommended, "gpu_count");
	option->cost.usd_per_gpu_hour = get_number(get_member(recommended, "cost"), "usd_per_gpu_hour");
	option->energy.total_kwh = get_number(get_member(recommended, "energy"), "total_kwh");
	option->wall_clock_hours = get_number(recommended, "wall_clock_hours");
	return STATUS_OK;
}

/* Reads the first of two keys that is present. */
static double get_either_number(const struct node *object, const char *key, const char *other)
{
	return given_or(get_number(object, key), get_number(object, other));
}

static const char *text_or(const struct node *object, const char *key)
{
	const char *text = node_text(get_member(object, key));

	return text ? text : "";
}

enum status api_stored_figures(const struct json_text *result, struct arena *arena, struct plan_figures *figures, struct failure *failure)
{
	const struct node *recommended, *cost, *offer;
	struct node *tree = NULL;
	enum status status = decode_parse(result->text, result->length, arena, &tree, failure);

	if (status != STATUS_OK)
		return status;
	recommended = get_member(tree, "recommended");
	if (!recommended)
		return failure_set(failure, STATUS_INTERNAL, "the stored result recommends nothing");
	cost = get_member(recommended, "cost");
	offer = get_member(cost, "offer");
	*figures = (struct plan_figures){
		.accelerator = node_text(get_member(recommended, "accelerator")),
		.gpu_count = get_count(recommended, "gpu_count"),
		.hours = get_number(recommended, "wall_clock_hours"),
		.usd_per_gpu_hour = given_or(get_number(cost, "usd_per_gpu_hour"), get_number(offer, "usd_per_gpu_hour")),
		.usd = get_either_number(cost, "total_usd", "usd_per_month"),
		.kwh = get_either_number(get_member(recommended, "energy"), "total_kwh", "kwh_per_month"),
		.kgco2e = get_either_number(get_member(recommended, "carbon"), "total_kgco2e", "kgco2e_per_month"),
	};
	if (offer)
		figures->offer = arena_printf(arena, "%s %s %s %s", text_or(offer, "provider"), text_or(offer, "instance_type"),
			text_or(offer, "region"), text_or(offer, "term"));
	return offer && !figures->offer ? STATUS_NO_MEMORY : STATUS_OK;
}

static const char *get_text(const struct node *object, const char *key)
{
	const struct node *value = get_member(object, key);

	return value ? node_text(value) : NULL;
}

static void read_table(const struct field_table *table, const struct node *object, struct arena *arena, struct failure *failure, void *out)
{
	struct decoder decoder = {.arena = arena, .failure = failure, .answer = true};

	field_table_clear(table, out);
	if (object && object->kind == NODE_OBJECT)
		decode_object(&decoder, table, NULL, object, out);
}

/* Returns the number in the plan's assumption about a field; NaN if there is none. */
static double assumed_number(const struct node *tree, const char *field)
{
	const struct node *list = get_member(tree, "assumptions");

	for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item; item = item->next)
		if (get_text(item, "field") && strcmp(get_text(item, "field"), field) == 0)
			return get_number(item, "value");
	return ABSENT_NUMBER;
}

enum status api_stored_layout(const struct plan_record *plan, struct arena *arena, struct stored_layout *layout, struct failure *failure)
{
	const struct node *best, *cost, *batch;
	const struct json_text *as_it_came = plan->asked.text ? &plan->asked : &plan->request;
	struct node *tree = NULL, *request = NULL, *asked = NULL;
	struct parallelism pins;
	struct failure unread;
	enum status status = decode_parse(plan->result.text, plan->result.length, arena, &tree, failure);

	if (status == STATUS_OK)
		status = decode_parse(plan->request.text, plan->request.length, arena, &request, failure);
	if (status == STATUS_OK)
		status = decode_parse(as_it_came->text, as_it_came->length, arena, &asked, failure);
	*layout = (struct stored_layout){.gpu_count = ABSENT_COUNT};
	if (status != STATUS_OK)
		return status;
	best = get_member(tree, "recommended");
	if (!best || !get_text(best, "accelerator"))
		return failure_set(failure, STATUS_INTERNAL, "the stored result recommends nothing");
	failure_clear(&unread);
	cost = get_member(best, "cost");
	batch = get_member(best, "batch");
	read_table(&table_parallelism, get_member(best, "parallelism"), arena, &unread, &layout->training);
	failure_clear(&unread);
	read_table(&table_serving_parallelism, get_member(best, "parallelism"), arena, &unread, &layout->serving);
	layout->accelerator = get_text(best, "accelerator");
	layout->gpu_count = get_count(best, "gpu_count");
	layout->precision = get_text(best, "precision") ? precision_of_name(get_text(best, "precision"))
		: get_text(request, "precision")            ? precision_of_name(get_text(request, "precision"))
													: PRECISION_UNSET; /* a training's precision is that of the resolved request */
	layout->kv_precision = get_text(best, "kv_precision") ? precision_of_name(get_text(best, "kv_precision")) : PRECISION_UNSET;
	layout->batch = get_number(batch, "mean");
	layout->usd = given_or(get_number(cost, "total_usd"), get_number(cost, "usd_per_month"));
	layout->step_tokens = get_number(get_member(tree, "batch"), "global_batch_tokens");
	layout->predicted.step_time_s = get_number(get_member(best, "step"), "time_s");
	layout->predicted.tokens_per_s = given_or(
		get_number(best, "tokens_per_s"), get_number(get_member(best, "throughput"), "output_tokens_per_s"));
	layout->predicted.mean_gpu_w = get_number(get_member(best, "energy"), "mean_gpu_w");
	layout->predicted.hours = get_number(best, "wall_clock_hours");
	layout->predicted.total_kwh = get_number(get_member(best, "energy"), "total_kwh");
	layout->predicted.total_usd = get_number(cost, "total_usd");
	layout->stack_likeness = is_given(assumed_number(tree, "calibration.stack_speed"))
		? given_or(assumed_number(tree, "calibration.stack_likeness"), 1)
		: 0;
	layout->release_given = get_text(asked, "stack_release") != NULL;
	failure_clear(&unread);
	read_table(&table_parallelism, get_member(asked, "parallelism"), arena, &unread, &pins);
	layout->layout_given = practice_layout_is_known(&pins);
	layout->node_count = get_count(best, "node_count") > 0 ? get_count(best, "node_count") : 1;
	layout->practice = given_or(get_number(get_member(best, "practice"), "value"), 1);
	layout->params_active = get_number(get_member(tree, "workload"), "params_active");
	layout->hfu = get_number(best, "hfu");
	layout->stack_speed = given_or(assumed_number(tree, "calibration.stack_speed"), 1);
	layout->stack = get_text(request, "stack");
	layout->pinned = is_given(get_number(request, "mfu"));
	return STATUS_OK;
}

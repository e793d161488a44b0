#include "api/stored_plan.h"

#include "api/tables/shared.h"
#include "api/tables/tables.h"
#include "planner/training/practice.h"
#include "schema/decode.h"

static const struct node *member(const struct node *object, const char *key)
{
	return object && object->kind == NODE_OBJECT ? node_named(object->first, key) : NULL;
}

static double number(const struct node *object, const char *key)
{
	const struct node *value = member(object, key);

	return value && node_is_number(value) ? node_number(value) : ABSENT_NUMBER;
}

/* Up to 2^53, beyond which a double skips whole numbers. */
static int64_t count(const struct node *object, const char *key)
{
	double value = number(object, key);

	return value >= 0 && value <= 9007199254740992.0 ? (int64_t)value : ABSENT_COUNT;
}

/* The figures of a table that are there; what an older version did not have stays `otherwise`. */
static void read_figures(const struct field_table *table, const struct node *object, double otherwise, void *out)
{
	for (size_t i = 0; i < table->row_count; i++)
		if (table->rows[i].kind == FIELD_NUMBER) {
			double figure = given_or(number(object, table->rows[i].key), otherwise);

			memcpy((char *)out + table->rows[i].offset, &figure, sizeof figure);
		}
}

static void read_bottleneck(const struct node *object, struct bottleneck_use *use)
{
	const struct node *shares = member(object, "shares"), *kind = member(object, "kind");

	for (enum bottleneck i = BOTTLENECK_COMPUTE; i < BOTTLENECK_COUNT; i++) {
		use->shares[i] = given_or(number(shares, bottleneck_words[i]), 0);
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
	recommended = member(tree, "recommended");
	step = member(recommended, "step");
	field_table_clear(&table_training_option, option);
	read_figures(&table_step_time, step, 0, &option->step);
	if (!(option->step.time_s > 0))
		return failure_set(failure, STATUS_INTERNAL, "the stored result holds no step");
	read_figures(&table_interval, member(member(recommended, "interval"), "step_time_s"), ABSENT_NUMBER, &option->interval.step_time_s);
	read_bottleneck(member(recommended, "bottleneck"), &option->bottleneck);
	option->accelerator.id = node_text(member(recommended, "accelerator"));
	option->gpu_count = count(recommended, "gpu_count");
	option->cost.usd_per_gpu_hour = number(member(recommended, "cost"), "usd_per_gpu_hour");
	option->energy.total_kwh = number(member(recommended, "energy"), "total_kwh");
	option->wall_clock_hours = number(recommended, "wall_clock_hours");
	return STATUS_OK;
}

/* The first of two keys that is there. */
static double either(const struct node *object, const char *key, const char *other)
{
	return given_or(number(object, key), number(object, other));
}

static const char *text_or(const struct node *object, const char *key)
{
	const char *text = node_text(member(object, key));

	return text ? text : "";
}

enum status api_stored_figures(const struct json_text *result, struct arena *arena, struct plan_figures *figures, struct failure *failure)
{
	const struct node *recommended, *cost, *offer;
	struct node *tree = NULL;
	enum status status = decode_parse(result->text, result->length, arena, &tree, failure);

	if (status != STATUS_OK)
		return status;
	recommended = member(tree, "recommended");
	if (!recommended)
		return failure_set(failure, STATUS_INTERNAL, "the stored result recommends nothing");
	cost = member(recommended, "cost");
	offer = member(cost, "offer");
	*figures = (struct plan_figures){
		.accelerator = node_text(member(recommended, "accelerator")),
		.gpu_count = count(recommended, "gpu_count"),
		.hours = number(recommended, "wall_clock_hours"),
		.usd_per_gpu_hour = given_or(number(cost, "usd_per_gpu_hour"), number(offer, "usd_per_gpu_hour")),
		.usd = either(cost, "total_usd", "usd_per_month"),
		.kwh = either(member(recommended, "energy"), "total_kwh", "kwh_per_month"),
		.kgco2e = either(member(recommended, "carbon"), "total_kgco2e", "kgco2e_per_month"),
	};
	if (offer)
		figures->offer = arena_printf(arena, "%s %s %s %s", text_or(offer, "provider"), text_or(offer, "instance_type"),
			text_or(offer, "region"), text_or(offer, "term"));
	return offer && !figures->offer ? STATUS_NO_MEMORY : STATUS_OK;
}

static const char *text(const struct node *object, const char *key)
{
	const struct node *value = member(object, key);

	return value ? node_text(value) : NULL;
}

static void read_table(const struct field_table *table, const struct node *object, struct arena *arena, struct failure *failure, void *out)
{
	struct decoder decoder = {.arena = arena, .failure = failure, .answer = true};

	field_table_clear(table, out);
	if (object && object->kind == NODE_OBJECT)
		decode_object(&decoder, table, NULL, object, out);
}

/* What an assumption of the plan says in numbers; NaN: it makes none of that field. */
static double assumed(const struct node *tree, const char *field)
{
	const struct node *list = member(tree, "assumptions");

	for (const struct node *item = list && list->kind == NODE_LIST ? list->first : NULL; item; item = item->next)
		if (text(item, "field") && strcmp(text(item, "field"), field) == 0)
			return number(item, "value");
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
	best = member(tree, "recommended");
	if (!best || !text(best, "accelerator"))
		return failure_set(failure, STATUS_INTERNAL, "the stored result recommends nothing");
	failure_clear(&unread);
	cost = member(best, "cost");
	batch = member(best, "batch");
	read_table(&table_parallelism, member(best, "parallelism"), arena, &unread, &layout->training);
	failure_clear(&unread);
	read_table(&table_serving_parallelism, member(best, "parallelism"), arena, &unread, &layout->serving);
	layout->accelerator = text(best, "accelerator");
	layout->gpu_count = count(best, "gpu_count");
	layout->precision = text(best, "precision") ? precision_of_name(text(best, "precision"))
		: text(request, "precision") ? precision_of_name(text(request, "precision")) : PRECISION_UNSET; /* a training's is the request's, as resolved */
	layout->kv_precision = text(best, "kv_precision") ? precision_of_name(text(best, "kv_precision")) : PRECISION_UNSET;
	layout->batch = number(batch, "mean");
	layout->usd = given_or(number(cost, "total_usd"), number(cost, "usd_per_month"));
	layout->step_tokens = number(member(tree, "batch"), "global_batch_tokens");
	layout->predicted.step_time_s = number(member(best, "step"), "time_s");
	layout->predicted.tokens_per_s = given_or(number(best, "tokens_per_s"), number(member(best, "throughput"), "output_tokens_per_s"));
	layout->predicted.mean_gpu_w = number(member(best, "energy"), "mean_gpu_w");
	layout->predicted.hours = number(best, "wall_clock_hours");
	layout->predicted.total_kwh = number(member(best, "energy"), "total_kwh");
	layout->predicted.total_usd = number(cost, "total_usd");
	layout->stack_likeness = is_given(assumed(tree, "calibration.stack_speed")) ? given_or(assumed(tree, "calibration.stack_likeness"), 1) : 0;
	layout->release_given = text(asked, "stack_release") != NULL;
	failure_clear(&unread);
	read_table(&table_parallelism, member(asked, "parallelism"), arena, &unread, &pins);
	layout->layout_given = practice_layout_is_known(&pins);
	layout->node_count = count(best, "node_count") > 0 ? count(best, "node_count") : 1;
	layout->practice = given_or(number(member(best, "practice"), "value"), 1);
	layout->params_active = number(member(tree, "workload"), "params_active");
	layout->hfu = number(best, "hfu");
	layout->stack_speed = given_or(assumed(tree, "calibration.stack_speed"), 1);
	layout->stack = text(request, "stack");
	layout->pinned = is_given(number(request, "mfu"));
	return STATUS_OK;
}

/* Any bytes as a feed's answers. The first byte chooses the feed, a NUL ends an answer, and the rows of all answers are
 * vetted. Accepted rows are always within their limits, and a walk that goes on requests its next page. */
#include "base/clock.h"
#include "fuzz/input.h"
#include "hwdb/feeds/hugging_face.h"
#include "hwdb/feeds/safetensors.h"
#include "hwdb/feeds/vet.h"
#include "hwdb/rows/builtin.h"

static struct catalogue *catalogue_of_builtin(void)
{
	static struct failure failure;
	struct catalogue_rows rows;
	struct catalogue *catalogue;
	struct arena arena;

	arena_init(&arena, 32 << 20);
	CHECK(builtin_rows_read(&arena, &rows, &failure) == STATUS_OK);
	catalogue = catalogue_new(&arena, &rows, 1, 1, 0, &failure);
	CHECK(catalogue);
	return catalogue;
}

static void believed_check(const struct feed_vetted *vetted)
{
	for (size_t i = 0; i < vetted->rows.price_count; i++) {
		const struct price_row *row = &vetted->rows.prices[i];
		double each = row->price_usd_per_hour / (double)row->gpus;

		CHECK(each >= FEED_PRICE_LEAST_USD && each <= FEED_PRICE_MOST_USD && row->id && row->pricing_model);
		CHECK(i == 0 || strcmp(vetted->rows.prices[i - 1].id, row->id) < 0);
	}
	for (size_t i = 0; i < vetted->point_count; i++)
		CHECK(vetted->points[i].gco2e_per_kwh >= 0 && vetted->points[i].gco2e_per_kwh <= 1500 &&
			vetted->points[i].start_us % FEED_HOUR_US == 0);
}

/* Reads one answer after another, as long as the walk requests them. */
static enum status walk_answers(struct feed_walk *walk, const char *text, size_t length, struct failure *failure)
{
	enum status status = STATUS_OK;

	while (status == STATUS_OK && length > 0 && !walk->done) {
		struct feed_request request = {0};
		const char *end = memchr(text, 0, length);
		size_t one = end ? (size_t)(end - text) : length;

		status = walk->feed->request(walk, &request, failure);
		CHECK(status != STATUS_OK || (request.url && !strstr(request.url, "secret")));
		if (status == STATUS_OK && !request.streamed)
			status = walk->feed->read(walk, text, one, failure);
		for (size_t at = 0; status == STATUS_OK && request.streamed && at < one; at += 7)
			status = walk->feed->take(walk, text + at, at + 7 < one ? 7 : one - at, failure);
		if (status == STATUS_OK && request.streamed)
			status = walk->feed->take(walk, "", 0, failure);
		text += one + (end != NULL);
		length -= one + (end != NULL);
	}
	return status == STATUS_OK && walk->feed->finish ? walk->feed->finish(walk, failure) : status;
}

/* Reads the same bytes as a file's length, a header and an index. */
static void safetensors_check(const char *text, size_t length, struct arena *arena)
{
	struct safetensors found;
	struct failure failure;
	uint64_t header;

	failure_clear(&failure);
	if (safetensors_header_length(text, length < 8 ? length : 8, &header, &failure) == STATUS_OK)
		CHECK(header >= 2 && header <= SAFETENSORS_HEADER_MAX_BYTES);
	if (safetensors_header_read(text, length, arena, &found, &failure) == STATUS_OK)
		CHECK(found.dtypes && found.tensors >= 1 && !(found.params_total < 0) && found.bytes >= 0);
	if (safetensors_index_read(text, length, arena, &found, &failure) == STATUS_OK)
		CHECK(found.first_file && !strchr(found.first_file, '/') && !(found.bytes <= 0));
}

void fuzz_one(struct input *input)
{
	static struct catalogue *catalogue;
	static struct failure failure;
	static struct arena arena;
	struct feed_vetted vetted;
	struct hub_model model;
	struct feed_walk walk;
	enum feed_id id;
	size_t length;
	char *text;

	if (!catalogue) {
		catalogue = catalogue_of_builtin();
		arena_init(&arena, 64 << 20);
	}
	if (input->left == 0 || memmem(input->at, input->left, "secret", 6)) /* a server could repeat the key in a link */
		return;
	arena_reset(&arena);
	failure_clear(&failure);
	id = (enum feed_id)(input_byte(input) % FEED_COUNT);
	text = input_rest(input, &length);
	if (feeds[id].kind == FEED_MODELS) {
		if (hub_model_read(text, length, "a/b", &arena, &model, &failure) == STATUS_OK)
			CHECK(hub_repo_is_valid(model.repo) && strlen(model.sha) == 40);
		safetensors_check(text, length, &arena);
		return;
	}
	CHECK(feed_walk_begin(&walk, &feeds[id], NULL, NULL, INT64_C(1795262400000000), &arena, &failure) == STATUS_OK);
	walk.catalogue = catalogue;
	walk.key = "secret";
	if (walk_answers(&walk, text, length, &failure) == STATUS_OK && feed_vet(&walk, &vetted, &failure) == STATUS_OK)
		believed_check(&vetted);
}

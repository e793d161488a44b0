/* `fleetplan diff BASE HEAD`: plans two request files without a daemon, with one catalogue and one moment, compares the
 * plans, and fails if the change exceeds a limit. service/plan_gate.h decides; docs/gate.md describes it. */
#include <errno.h>
#include <sodium.h>
#include <unistd.h>

#include "api/tables/tables.h"
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "hwdb/rows/builtin.h"
#include "server/inference_body.h"
#include "server/server.h"
#include "service/gate_text.h"
#include "service/plan_gate.h"
#include "service/site_hours.h"
#include "storage/storage.h"

enum {
	DIFF_FILE_MAX_BYTES = 64 * 1024 * 1024,
	DIFF_WRITTEN_MAX_BYTES = 1024 * 1024, /* of longer requests, with a trace, the understood request is compared */
	DIFF_ARENA_BYTES = 1024 * 1024 * 1024,
	DIFF_OUT_MAX_BYTES = 16 * 1024 * 1024
};
enum diff_flag { FLAG_FAIL_IF, FLAG_AS_OF, FLAG_KIND, FLAG_FORMAT, FLAG_DATABASE, FLAG_TITLE, FLAG_COUNT };

static const struct flag_row diff_flag_rows[FLAG_COUNT] = {[FLAG_FAIL_IF] = {.name = "fail-if",
															   .argument = "LIMIT",
															   .doc = "exit with 1 above this limit: cost>10%, carbon>+2t, gpus>64",
															   .repeats = true},
	[FLAG_AS_OF] = {.name = "as-of", .argument = "DATE", .doc = "use the prices of this date for both requests"},
	[FLAG_KIND] = {.name = "kind",
		.argument = "KIND",
		.choices = "training inference",
		.doc = "kind of the requests; by default their fields decide"},
	[FLAG_FORMAT] = {.name = "format", .argument = "FORMAT", .choices = "text markdown json", .standard = "text", .doc = "form of the report"},
	[FLAG_DATABASE] = {.name = "database", .argument = "FILE", .doc = "use the catalogue of this database; by default the built-in one"},
	[FLAG_TITLE] = {.name = "title", .argument = "TEXT", .doc = "title of the report; by default the name of the file"}};
const struct flag_table diff_flags = {diff_flag_rows, FLAG_COUNT};

/* One of the two requests. */
struct side {
	const char *name; /* BASE, HEAD */
	struct gate_side *gate;
	struct buffer file;
	struct body_sink sink; /* of a service: its trace lives here */
	struct estimate estimate;
	struct json_text text; /* as written */
};

struct comparing {
	struct plan_gate gate;
	struct side base, head;
	struct arena arena;
	struct failure failure;
	const char *database; /* NULL: the built-in catalogue */
	struct storage *storage;
	struct catalogue *catalogue;
};

static struct json_text *text_or_none(struct side *side)
{
	return side->gate->state == GATE_ABSENT ? NULL : &side->text;
}

/* Prints the fault with the side that it is in. */
static int side_report(const struct comparing *it, const struct side *side, int code)
{
	fprintf(stderr, "fleetplan: %s, %s: ", side->name, side->gate->file);
	fprintf(stderr, "%s\n", it->failure.detail[0] ? it->failure.detail : status_title(it->failure.status));
	for (size_t i = 0; i < it->failure.fault_count; i++)
		fprintf(stderr, "  %s: %s\n", it->failure.faults[i].pointer, it->failure.faults[i].detail);
	return it->failure.status == STATUS_NO_MEMORY ? EXIT_CODE_SOFTWARE : code;
}

/* Reads a file. An empty file, such as /dev/null, is an absent request. */
static int side_read(struct comparing *it, struct side *side)
{
	FILE *file = strcmp(side->gate->file, "-") == 0 ? stdin : fopen(side->gate->file, "re");
	char piece[BUFSIZ];
	bool unread;
	size_t got;

	if (!file) {
		(void)failure_set(&it->failure, STATUS_NOT_FOUND, "%s. For a request that does not exist, give /dev/null", strerror(errno));
		return side_report(it, side, EXIT_CODE_NO_INPUT);
	}
	buffer_init(&side->file, DIFF_FILE_MAX_BYTES);
	while (!side->file.failed && (got = fread(piece, 1, sizeof piece, file)) > 0)
		buffer_append(&side->file, piece, got);
	unread = ferror(file) != 0;
	if (file != stdin)
		fclose(file);
	if (unread || side->file.failed) {
		(void)failure_set(&it->failure, STATUS_TOO_LARGE,
			unread ? "the file cannot be read" : "a request file has at most 64 MiB, and this file is longer");
		return side_report(it, side, unread ? EXIT_CODE_NO_INPUT : EXIT_CODE_DATA);
	}
	side->text = (struct json_text){side->file.bytes ? side->file.bytes : "", side->file.length};
	if (strspn(side->text.text, " \t\r\n") == side->text.length)
		side->gate->state = GATE_ABSENT;
	return EXIT_CODE_OK;
}

/* Decodes the request of a side: a service through the reader of its trace. */
static enum status side_decode(struct comparing *it, struct side *side, const struct estimate_kind *kind)
{
	enum status status;

	side->estimate = (struct estimate){.kind = kind, .arena = &it->arena, .failure = &it->failure};
	if (kind == &estimate_training)
		return estimate_decode(&side->estimate, side->text.text, side->text.length);
	status = inference_body_open(&side->sink, &it->failure);
	if (status == STATUS_OK)
		status = side->sink.receive(side->sink.state, side->text.text, side->text.length, &it->failure);
	if (status == STATUS_OK)
		status = side->sink.end(side->sink.state, &it->failure);
	return status == STATUS_OK ? inference_body_decode(side->sink.state, &side->estimate) : status;
}

/* --- the catalogue ------------------------------------------------------------------------------------------------- */
/* Leaves out the built-in prices that are newer than the moment. Other rows have no date at which they became known. */
static void leave_out_newer(struct plan_gate *gate, struct catalogue_rows *rows)
{
	size_t kept = 0;

	for (size_t i = 0; i < rows->price_count; i++) {
		int64_t as_of_us;

		if (rows->prices[i].as_of && clock_parse(rows->prices[i].as_of, &as_of_us) && as_of_us > gate->as_of_us)
			gate->prices_left_out++;
		else
			rows->prices[kept++] = rows->prices[i];
	}
	rows->price_count = kept;
}

static enum status catalogue_open(struct comparing *it)
{
	const struct storage_options options = {.path = it->database, .use = STORAGE_TOOL};
	bool now = strcmp(it->gate.as_of_from, "now") == 0;
	struct catalogue_rows rows = {0};
	int64_t revision = 0, calibration_revision = 0;
	struct arena arena;
	enum status status;

	arena_init(&arena, DIFF_ARENA_BYTES);
	if (it->database) {
		status = storage_open(&options, &it->storage, &it->failure);
		if (status == STATUS_OK)
			status = storage_catalogue_load(
				it->storage, now ? 0 : it->gate.as_of_us, &arena, &rows, &revision, &calibration_revision, &it->failure);
		if (status == STATUS_OK && rows.accelerator_count == 0)
			status = failure_set(&it->failure, STATUS_INVALID,
				"the catalogue of this database has no rows at that moment; give a later --as-of, or start a daemon with the database once");
	} else {
		status = builtin_rows_read(&arena, &rows, &it->failure);
		leave_out_newer(&it->gate, &rows);
	}
	if (status == STATUS_OK)
		it->catalogue = catalogue_new(&arena, &rows, revision, calibration_revision, now ? 0 : it->gate.as_of_us, &it->failure);
	if (!it->catalogue) {
		arena_release(&arena);
		return it->failure.status;
	}
	it->gate.catalogue_revision = revision;
	return STATUS_OK;
}

/* Sets the moment for both sides: --as-of, else the as_of of HEAD, else that of BASE, else now. */
static enum status choose_moment(struct comparing *it, const char *as_of)
{
	struct side *sides[] = {&it->head, &it->base};
	int64_t as_of_us = 0;

	it->gate.as_of_from = as_of ? "option" : "request";
	if (as_of && !clock_parse(as_of, &as_of_us))
		return failure_set(&it->failure, STATUS_INVALID, "--as-of must be a date like 2026-11-01 or a time like 2026-11-01T12:00:00Z");
	for (size_t i = 0; i < COUNT_OF(sides) && !as_of_us; i++)
		if (sides[i]->gate->state != GATE_ABSENT && estimate_as_of(&sides[i]->estimate, &as_of_us) != STATUS_OK)
			return failure_set(
				&it->failure, STATUS_INVALID, "as_of of %s should be an RFC 3339 time, like 2026-01-31T00:00:00Z", sides[i]->gate->file);
	if (as_of_us > clock_wall_us())
		return failure_set(&it->failure, STATUS_INVALID, "the moment of the catalogue lies in the future; give a date up to today");
	it->gate.as_of_us = as_of_us;
	if (!as_of_us) {
		it->gate.as_of_from = "now";
		it->gate.as_of_us = clock_wall_us();
	}
	return STATUS_OK;
}

/* Reports the faults of a request, with those of names that the catalogue lacks. */
static int side_faults(struct comparing *it, struct side *side)
{
	struct failure *failure = &it->failure;

	it->gate.as_of_from = "now";
	if (failure->status == STATUS_INVALID && !it->database) {
		it->gate.as_of_us = clock_wall_us();
		if (catalogue_open(it) == STATUS_OK)
			estimate_fault_names(&side->estimate, it->catalogue);
	}
	return side_report(it, side, EXIT_CODE_DATA);
}

/* --- the comparison ------------------------------------------------------------------------------------------------ */
static int side_plan(struct comparing *it, struct side *side)
{
	struct estimate *estimate = &side->estimate;
	enum status status = STATUS_OK;

	if (side->gate->state == GATE_ABSENT)
		return EXIT_CODE_OK;
	if (it->storage && estimate_site(estimate))
		status = site_hours_fill(it->storage, it->catalogue, &it->arena, estimate_site(estimate), &it->failure);
	if (status == STATUS_OK)
		status = estimate_compute(estimate, it->catalogue, it->gate.as_of_us);
	if (status == STATUS_OK) {
		gate_side_planned(side->gate, estimate);
	} else if (status == STATUS_INFEASIBLE) {
		side->gate->state = GATE_INFEASIBLE;
		side->gate->detail = arena_strdup(&it->arena, it->failure.detail);
		failure_clear(&it->failure);
		if (!side->gate->detail)
			status = STATUS_NO_MEMORY;
	}
	if (status == STATUS_OK || status == STATUS_INFEASIBLE)
		return EXIT_CODE_OK;
	if (status == STATUS_NO_MEMORY)
		it->failure.status = status;
	return side_report(it, side, EXIT_CODE_DATA);
}

/* Compares the texts as written. A request with a long trace is compared as understood: its trace is then a digest. */
static enum status list_differences(struct comparing *it)
{
	struct side *sides[] = {&it->base, &it->head};
	struct json_text texts[2] = {it->base.text, it->head.text};
	bool longer = texts[0].length > DIFF_WRITTEN_MAX_BYTES || texts[1].length > DIFF_WRITTEN_MAX_BYTES;

	if (it->base.gate->state == GATE_ABSENT || it->head.gate->state == GATE_ABSENT)
		return STATUS_OK;
	for (size_t i = 0; i < COUNT_OF(sides) && longer; i++) {
		struct plan_record record;

		if (sides[i]->gate->state != GATE_PLANNED)
			return STATUS_OK;
		if (estimate_record(&sides[i]->estimate, &record) != STATUS_OK)
			return it->failure.status != STATUS_OK ? it->failure.status : STATUS_NO_MEMORY;
		texts[i] = record.request;
	}
	return gate_differences(&it->gate, &texts[0], &texts[1], &it->arena, &it->failure);
}

static void write_gate(const struct plan_gate *gate, const char *format, struct buffer *out)
{
	struct json_writer writer;

	if (strcmp(format, "markdown") == 0) {
		gate_text_markdown(gate, out);
	} else if (strcmp(format, "text") == 0) {
		gate_text_plain(gate, out);
	} else {
		json_writer_init(&writer, out);
		writer.rounded = true; /* as in an estimate */
		record_encode(&table_plan_gate, gate, &writer);
		buffer_append_text(out, "\n");
		out->failed |= writer.not_finite;
	}
}

static int diff_decode(struct comparing *it, const char *kind_word)
{
	struct side *sides[] = {&it->base, &it->head};
	const struct estimate_kind *kind = kind_word ? estimate_kind_of_plan(kind_word) : NULL;
	int code = EXIT_CODE_OK;

	for (size_t i = 0; i < COUNT_OF(sides) && code == EXIT_CODE_OK; i++)
		code = side_read(it, sides[i]);
	if (code != EXIT_CODE_OK)
		return code;
	if (it->base.gate->state == GATE_ABSENT && it->head.gate->state == GATE_ABSENT) {
		fprintf(stderr, "fleetplan: both files are empty; give a request as BASE, as HEAD, or as both\n");
		return EXIT_CODE_DATA;
	}
	if (!kind && gate_kind(text_or_none(&it->base), text_or_none(&it->head), &kind, &it->failure) != STATUS_OK)
		return exit_code_report(&it->failure, EXIT_CODE_DATA);
	if (!it->gate.title)
		it->gate.title = it->head.gate->state == GATE_ABSENT ? it->base.gate->file : it->head.gate->file;
	it->gate.kind = kind == &estimate_training ? "training" : "inference";
	for (size_t i = 0; i < COUNT_OF(sides); i++)
		if (sides[i]->gate->state != GATE_ABSENT && side_decode(it, sides[i], kind) != STATUS_OK)
			return side_faults(it, sides[i]);
	return EXIT_CODE_OK;
}

static int diff_run(struct comparing *it, const struct command_flag *flags)
{
	int code = diff_decode(it, flags[FLAG_KIND].value);
	struct buffer out;
	bool written;

	if (code != EXIT_CODE_OK)
		return code;
	if (choose_moment(it, flags[FLAG_AS_OF].value) != STATUS_OK)
		return exit_code_report(&it->failure, flags[FLAG_AS_OF].value ? EXIT_CODE_USAGE : EXIT_CODE_DATA);
	if (it->database && access(it->database, F_OK) != 0) { /* storage_open() would create an empty database */
		fprintf(stderr, "fleetplan: database %s does not exist; leave out --database for the built-in catalogue\n", it->database);
		return EXIT_CODE_NO_INPUT;
	}
	if (catalogue_open(it) != STATUS_OK)
		return exit_code_report(&it->failure, it->database ? EXIT_CODE_STORAGE : EXIT_CODE_SOFTWARE);
	code = side_plan(it, &it->base);
	if (code == EXIT_CODE_OK)
		code = side_plan(it, &it->head);
	if (code != EXIT_CODE_OK)
		return code;
	if (list_differences(it) != STATUS_OK || gate_decide(&it->gate, &it->arena) != STATUS_OK)
		return exit_code_report(&it->failure, EXIT_CODE_SOFTWARE);
	buffer_init(&out, DIFF_OUT_MAX_BYTES);
	write_gate(&it->gate, flags[FLAG_FORMAT].value, &out);
	written = !out.failed && fputs(out.bytes, stdout) != EOF && fflush(stdout) == 0;
	buffer_release(&out);
	if (!written) {
		fprintf(stderr, "fleetplan: the comparison cannot be written\n");
		return EXIT_CODE_SOFTWARE;
	}
	return it->gate.passed ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

static bool is_one_of(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

/* Checks the arguments and reads the limits. */
static int diff_arguments(struct comparing *it, const struct command_flag *flags, const char *const *operands)
{
	static const char *const formats[] = {"text", "markdown", "json"}, *const kinds[] = {"training", "inference"};

	if (!operands[1] || (strcmp(operands[0], "-") == 0 && strcmp(operands[1], "-") == 0)) {
		fprintf(stderr, "usage: fleetplan %s\n", command_find("diff")->usage);
		return EXIT_CODE_USAGE;
	}
	if (!is_one_of(flags[FLAG_FORMAT].value, formats, COUNT_OF(formats)) ||
		(flags[FLAG_KIND].value && !is_one_of(flags[FLAG_KIND].value, kinds, COUNT_OF(kinds)))) {
		fprintf(stderr, "fleetplan: --format must be text, markdown or json, and --kind training or inference\n");
		return EXIT_CODE_USAGE;
	}
	if (flags[FLAG_FAIL_IF].value_count > GATE_LIMITS_MAX) {
		fprintf(stderr, "fleetplan: --fail-if may be given %d times at most\n", GATE_LIMITS_MAX);
		return EXIT_CODE_USAGE;
	}
	for (size_t i = 0; i < flags[FLAG_FAIL_IF].value_count; i++)
		if (gate_limit_parse(flags[FLAG_FAIL_IF].values[i], &it->gate.limits[it->gate.limit_count++], &it->failure) != STATUS_OK)
			return exit_code_report(&it->failure, EXIT_CODE_USAGE);
	it->base = (struct side){.name = "BASE", .gate = &it->gate.base};
	it->head = (struct side){.name = "HEAD", .gate = &it->gate.head};
	it->gate.base = (struct gate_side){.file = operands[0], .gpu_count = ABSENT_COUNT};
	it->gate.head = (struct gate_side){.file = operands[1], .gpu_count = ABSENT_COUNT};
	it->database = flags[FLAG_DATABASE].value;
	it->gate.title = flags[FLAG_TITLE].value;
	it->gate.catalogue = it->database ? "database" : "builtin";
	it->gate.planner_version = FLEETPLAN_VERSION;
	return sodium_init() < 0 ? EXIT_CODE_SOFTWARE : EXIT_CODE_OK;
}

int diff_main(int argc, char **argv)
{
	static struct comparing comparing;
	const char *limits[GATE_LIMITS_MAX];
	struct command_flag flags[FLAG_COUNT] = {[FLAG_FAIL_IF] = {.values = limits, .value_most = GATE_LIMITS_MAX}};
	const char *operands[2];
	struct options options;
	int code = command_read(argc, argv, flags, operands, COUNT_OF(operands), &options);
	struct side *sides[] = {&comparing.base, &comparing.head};

	if (code == EXIT_CODE_OK)
		code = diff_arguments(&comparing, flags, operands);
	if (code == EXIT_CODE_OK) {
		arena_init(&comparing.arena, DIFF_ARENA_BYTES);
		code = diff_run(&comparing, flags);
		for (size_t i = 0; i < COUNT_OF(sides); i++) {
			if (sides[i]->sink.state)
				sides[i]->sink.release(sides[i]->sink.state);
			buffer_release(&sides[i]->file);
		}
		arena_release(&comparing.arena);
		catalogue_release(comparing.catalogue);
		storage_close(comparing.storage);
	}
	options_release(&options);
	return code;
}

/* `fleetplan plan training|inference FILE|-`: computes one plan for a request from a file, without a daemon and without a
 * database. It runs the daemon's handler with the built-in catalogue. It prints a memo on a terminal, else the same JSON. */
#include <errno.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "hwdb/rows/builtin.h"
#include "server/exchange.h"
#include "server/handlers.h"
#include "server/http_private.h"
#include "server/server.h"
#include "server/streamed.h"

enum { PLAN_CATALOGUE_MAX_BYTES = 256 * 1024 * 1024 };

static enum status plan_catalogue(struct server *server, struct failure *failure)
{
	struct catalogue_rows rows = {0};
	struct arena arena;
	enum status status;

	pthread_mutex_init(&server->snapshot.mutex, NULL);
	arena_init(&arena, PLAN_CATALOGUE_MAX_BYTES);
	status = builtin_rows_read(&arena, &rows, failure);
	if (status == STATUS_OK)
		server->snapshot.current = catalogue_new(&arena, &rows, 0, 0, 0, failure);
	if (server->snapshot.current)
		return STATUS_OK;
	arena_release(&arena);
	return failure->status;
}

static enum status plan_read(const char *path, struct exchange *exchange)
{
	struct body *body = &exchange->body;
	struct failure *failure = &exchange->call.failure;
	const struct route *route = exchange->call.route;
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char piece[BUFSIZ];
	struct body_sink sink;
	enum status status;
	size_t got;

	if (!file)
		return failure_set(failure, STATUS_NOT_FOUND, "%s: %s", path, strerror(errno));
	status = body_begin(body, NULL, 0, route->body_maximum_bytes, NULL, failure);
	if (status == STATUS_OK && route->streamed) {
		status = streamed_open(route, MEDIA_JSON, &sink, failure);
		if (status == STATUS_OK)
			body_stream(body, &sink);
	}
	while (status == STATUS_OK && (got = fread(piece, 1, sizeof piece, file)) > 0)
		status = body_receive(body, piece, got, failure);
	if (file != stdin)
		fclose(file);
	return status == STATUS_OK ? body_end(body, failure) : status;
}

/* Prints a row of a table, "| Time | 22.5 days | 14.4 to 34.7 |", in columns. */
static void plan_print_row(const char *line, size_t length)
{
	static const int widths[] = {-38, 30, -1}; /* negative: the text is on the left */
	char cell[256];

	for (size_t column = 0; column < COUNT_OF(widths) && length > 1; column++) {
		const char *begin = line + 1 + (line[1] == ' ');
		const char *end = memchr(line + 1, '|', length - 1);
		size_t used = end ? (size_t)(end - line) : length;

		snprintf(cell, sizeof cell, "%.*s", (int)(line + used - begin), begin);
		while (cell[0] && cell[strlen(cell) - 1] == ' ')
			cell[strlen(cell) - 1] = '\0';
		printf("%*s%s", widths[column], cell, column + 1 < COUNT_OF(widths) ? "  " : "");
		line += used;
		length -= used;
	}
	putchar('\n');
}

/* Prints a memo up to its details. On a terminal with colours headings and the bold sentence are bold; the Markdown
 * marks are left out. */
static void plan_print_memo(const char *markdown)
{
	bool colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && getenv("TERM") && strcmp(getenv("TERM"), "dumb") != 0;
	const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";
	const char *details = strstr(markdown, "\n---\n");
	const char *end = details ? details : markdown + strlen(markdown);

	for (const char *line = markdown; line < end;) {
		size_t length = strcspn(line, "\n");
		bool heading = line[0] == '#' || strncmp(line, "**", 2) == 0;
		size_t marks = heading ? strspn(line, "#* ") : 0, tail = heading && length > 2 && strncmp(line + length - 2, "**", 2) == 0 ? 2 : 0;

		if (line[0] == '|' && strncmp(line, "| --- |", 7) != 0) {
			plan_print_row(line, length);
		} else if (line[0] != '|') {
			fputs(heading ? bold : "", stdout);
			for (size_t i = marks; i < length - tail; i++)
				if (line[i] != '\\' || !strchr("|<>[]*`\\", line[i + 1])) /* an escape of report_text() */
					putchar(line[i]);
			printf("%s\n", heading ? plain : "");
		}
		line += length + (line[length] == '\n');
	}
}

static int plan_answer(struct server *server, enum route_id route, const char *path, enum media media)
{
	struct exchange_pool pool;
	struct exchange *exchange;
	handler_function *handler = handler_of(route);
	struct call *call;
	enum status status;

	exchange_pool_init(&pool);
	exchange = exchange_take(&pool);
	CHECK(exchange);
	call = &exchange->call;
	call->server = server;
	call->route = &routes[route];
	call->method = routes[route].method;
	call->path = routes[route].path;
	call->body_media = MEDIA_JSON;
	call->accept = call->answer_media = media;
	json_writer_init(&call->json, &call->answer);
	status = plan_read(path, exchange);
	call->body = exchange->body.bytes.bytes ? exchange->body.bytes.bytes : "";
	call->body_length = exchange->body.bytes.length;
	call->streamed = exchange->body.sink.state;
	if (status == STATUS_OK)
		status = handler ? handler(call) : STATUS_NOT_IMPLEMENTED;
	response_finish(exchange, status);
	if (status == STATUS_OK && media == MEDIA_MARKDOWN)
		plan_print_memo(call->answer.bytes);
	else
		puts(call->answer.bytes);
	exchange_give(&pool, exchange);
	exchange_pool_release(&pool);
	return status == STATUS_OK        ? EXIT_CODE_OK
		: status == STATUS_NOT_FOUND  ? EXIT_CODE_NO_INPUT
		: status == STATUS_INFEASIBLE ? EXIT_CODE_FAILED
									  : EXIT_CODE_DATA;
}

enum plan_flag { FLAG_JSON, FLAG_MEMO, FLAG_COUNT };

static const struct flag_row plan_flag_rows[FLAG_COUNT] = {
	[FLAG_JSON] = {.name = "json", .doc = "print the answer of the API as JSON; the default if the output is not a terminal"},
	[FLAG_MEMO] = {.name = "memo", .doc = "print a memo; the default on a terminal"}};
const struct flag_table plan_flags = {plan_flag_rows, FLAG_COUNT};

int plan_main(int argc, char **argv)
{
	static struct failure failure;
	static struct server server;
	const char *operands[2];
	struct command_flag flags[FLAG_COUNT] = {0};
	struct options options;
	int code = command_read(argc, argv, flags, operands, COUNT_OF(operands), &options);
	bool memo = flags[FLAG_MEMO].value || (!flags[FLAG_JSON].value && isatty(STDOUT_FILENO));
	bool training = operands[0] && strcmp(operands[0], "training") == 0;
	bool inference = operands[0] && strcmp(operands[0], "inference") == 0;

	if (code == EXIT_CODE_OK && (!operands[1] || (!training && !inference))) {
		fprintf(stderr, "usage: fleetplan %s\n", command_find("plan")->usage);
		code = EXIT_CODE_USAGE;
	} else if (code == EXIT_CODE_OK) {
		server.options = &options;
		if (plan_catalogue(&server, &failure) != STATUS_OK) {
			code = exit_code_report(&failure, EXIT_CODE_SOFTWARE);
		} else {
			code = plan_answer(
				&server, training ? ROUTE_TRAINING_ESTIMATE : ROUTE_INFERENCE_ESTIMATE, operands[1], memo ? MEDIA_MARKDOWN : MEDIA_JSON);
			catalogue_release(server.snapshot.current);
		}
	}
	options_release(&options);
	return code;
}

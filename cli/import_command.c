/* `fleetplan import KIND FILE|-`: imports a file. With --server it sends the file to a running daemon. Otherwise it opens
 * the database itself, which no daemon may use, and runs the daemon's handler. It prints the answer for people. */
#include <errno.h>
#include <unistd.h>

#include "api/tables/tables.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "net/http_client.h"
#include "server/exchange.h"
#include "server/handlers.h"
#include "server/http_private.h"
#include "server/import_service.h"
#include "server/server.h"
#include "server/streamed.h"
#include "storage/imports.h"

enum { IMPORT_FILE_MAX_BYTES = ROUTE_BODY_TRACE_BYTES, IMPORT_ANSWER_MAX_BYTES = 64 * 1024 * 1024, IMPORT_KEY_MAX_BYTES = 4096 };
#define IMPORT_TIMEOUT_S 1800.0

enum import_flag { FLAG_SERVER, FLAG_KEY_FILE, FLAG_CA_FILE, FLAG_DRY_RUN, FLAG_REPLACE, FLAG_OVERWRITE, FLAG_COUNT };

static const struct flag_row import_flag_rows[FLAG_COUNT] = {
	[FLAG_SERVER] = {.name = "server", .argument = "URL", .doc = "import into the catalogue of this running daemon"},
	[FLAG_KEY_FILE] = {.name = "key-file", .argument = "FILE", .doc = "file with an API key of the role admin, for --server"},
	[FLAG_CA_FILE] = {.name = "ca-file", .argument = "FILE", .doc = "certificate authorities to trust (PEM), for --server"},
	[FLAG_DRY_RUN] = {.name = "dry-run", .doc = "report what would change, and change nothing"},
	[FLAG_REPLACE] = {.name = "replace", .doc = "end the imported rows that the file does not contain"},
	[FLAG_OVERWRITE] = {.name = "overwrite", .doc = "also overwrite rows of users and of measurements"}};
const struct flag_table import_flags = {import_flag_rows, FLAG_COUNT};

struct import_request {
	const struct route *route;
	const char *path; /* of the file; "-": standard input */
	struct buffer file;
	enum media media;
	bool packed;
	const struct command_flag *flags;
};

/* --- the file ------------------------------------------------------------------------------------------------------ */

static bool name_ends(const char *name, const char *suffix)
{
	size_t length = strlen(name), n = strlen(suffix);

	return length > n && strcmp(name + length - n, suffix) == 0;
}

/* The format of the file: JSON if it begins with a list or an object. For a packed file the name decides. */
static enum media form_of(const struct import_request *request)
{
	size_t at = request->file.length ? strspn(request->file.bytes, " \t\r\n") : 0;

	if (request->packed)
		return strstr(request->path, ".csv") ? MEDIA_CSV : MEDIA_JSON;
	return request->file.length && (request->file.bytes[at] == '[' || request->file.bytes[at] == '{') ? MEDIA_JSON : MEDIA_CSV;
}

static enum status read_file(struct import_request *request, struct failure *failure)
{
	FILE *file = strcmp(request->path, "-") == 0 ? stdin : fopen(request->path, "re");
	char piece[BUFSIZ];
	size_t got;

	if (!file)
		return failure_set(failure, STATUS_NOT_FOUND, "%s: %s", request->path, strerror(errno));
	while ((got = fread(piece, 1, sizeof piece, file)) > 0 && !request->file.failed)
		buffer_append(&request->file, piece, got);
	if (ferror(file))
		failure_set(failure, STATUS_NOT_FOUND, "%s: %s", request->path, strerror(errno));
	else if (request->file.failed)
		failure_set(
			failure, STATUS_TOO_LARGE, "%s is larger than the limit of %d bytes; import it in parts", request->path, IMPORT_FILE_MAX_BYTES);
	if (file != stdin)
		fclose(file);
	request->packed = request->file.length > 2 && memcmp(request->file.bytes, "\x1f\x8b", 2) == 0;
	request->media = form_of(request);
	return failure->status;
}

/* --- printing the answer -------------------------------------------------------------------------------------------- */

static void print_change(const struct import_change *change)
{
	static const struct {
		const char *what, *mark;
	} marks[] = {{"added", "+"}, {"changed", "~"}, {"removed", "-"}, {"kept", "="}};

	for (size_t i = 0; i < COUNT_OF(marks); i++)
		if (strcmp(change->what, marks[i].what) == 0)
			printf("%s %s", marks[i].mark, change->id);
	for (size_t i = 0; i < change->columns.count; i++) {
		const struct import_column *column = &change->columns.items[i];

		printf("%s %s: %s -> %s", i ? "," : " ", column->column, column->before ? column->before : "(empty)",
			column->after ? column->after : "(empty)");
	}
	puts("");
}

static int print_view(const struct import_view *view, const char *path)
{
	const struct import_record *record = &view->record;

	for (size_t i = 0; i < view->changes.count; i++)
		print_change(&view->changes.items[i]);
	if (view->changes.count == 1000)
		puts("... and more");
	for (size_t i = 0; i < view->faults.count; i++) {
		const struct import_fault *fault = &view->faults.items[i];

		fprintf(stderr, "row %lld%s%s: %s\n", (long long)fault->row, fault->column ? ", " : "", fault->column ? fault->column : "",
			fault->detail);
	}
	printf("%s: %lld rows: %lld added, %lld changed, %lld removed, %lld unchanged, %lld kept", path, (long long)record->rows,
		(long long)record->added, (long long)record->changed, (long long)record->removed, (long long)record->unchanged,
		(long long)record->kept);
	if (view->fault_count > 0)
		printf(", %lld faults: an import would be rejected\n", (long long)view->fault_count);
	else if (view->dry_run)
		puts(" (a dry run: nothing was written)");
	else if (record->revision > 0)
		printf("; revision %lld of the catalogue\n", (long long)record->revision);
	else
		puts("; the catalogue is unchanged");
	return view->fault_count > 0 ? EXIT_CODE_DATA : EXIT_CODE_OK;
}

static int exit_code_of_status(int status)
{
	return status == 507                 ? EXIT_CODE_STORAGE
		: status >= 500                  ? EXIT_CODE_UNAVAILABLE
		: status == 401 || status == 403 ? EXIT_CODE_NO_PERMISSION
										 : EXIT_CODE_DATA;
}

static int print_problem(const char *answer, size_t length, int status, struct arena *arena)
{
	static struct failure failure;
	struct problem_view problem;

	if (record_decode_answer(&table_problem_view, answer, length, arena, &problem, &failure) != STATUS_OK || !problem.detail) {
		fprintf(stderr, "fleetplan: the server returned status %d\n", status);
		return EXIT_CODE_UNAVAILABLE;
	}
	fprintf(stderr, "fleetplan: %s\n", problem.detail);
	for (size_t i = 0; i < problem.errors.count; i++)
		fprintf(stderr, "  %s: %s\n", problem.errors.items[i].pointer ? problem.errors.items[i].pointer : "",
			problem.errors.items[i].detail ? problem.errors.items[i].detail : "");
	return exit_code_of_status(status);
}

static int print_answer(const struct import_request *request, const char *answer, size_t length, int status)
{
	static struct failure failure;
	struct import_view view;
	struct arena arena;
	int code;

	arena_init(&arena, 4 * (size_t)IMPORT_ANSWER_MAX_BYTES);
	if (status / 100 != 2)
		code = print_problem(answer, length, status, &arena);
	else if (record_decode_answer(&table_import_view, answer, length, &arena, &view, &failure) != STATUS_OK)
		code = exit_code_report(&failure, EXIT_CODE_UNAVAILABLE);
	else
		code = print_view(&view, request->path);
	arena_release(&arena);
	return code;
}

/* --- with a daemon ------------------------------------------------------------------------------------------------- */

/* Reads the API key: the first line of the file. */
static enum status read_key(const char *path, char key[IMPORT_KEY_MAX_BYTES], struct failure *failure)
{
	FILE *file = fopen(path, "re");

	key[0] = '\0';
	if (!file)
		return failure_set(failure, STATUS_NOT_FOUND, "key-file: %s: %s", path, strerror(errno));
	if (!fgets(key, IMPORT_KEY_MAX_BYTES, file) || strspn(key, " \r\n") == strlen(key))
		failure_set(failure, STATUS_INVALID, "key-file: the first line of %s has no key", path);
	key[strcspn(key, "\r\n")] = '\0';
	fclose(file);
	return failure->status;
}

static bool is_on(const struct command_flag *flag)
{
	return flag->value && strcmp(flag->value, "true") == 0;
}

static int send_file(const struct import_request *request, struct http_client *client, const char *key)
{
	static const char *const packed[] = {"Content-Encoding: gzip", NULL};
	const struct command_flag *flags = request->flags;
	struct http_answer answer;
	char url[2048];
	const struct http_request http = {.method = "POST",
		.url = url,
		.bearer = key[0] ? key : NULL,
		.body = request->file.length ? request->file.bytes : "",
		.body_length = request->file.length,
		.timeout_s = IMPORT_TIMEOUT_S,
		.wake_fd = -1,
		.headers = request->packed ? packed : NULL,
		.content_type = request->media == MEDIA_CSV ? "text/csv" : "application/json"};
	int code;

	snprintf(url, sizeof url, "%.1500s%s?dry_run=%s&replace=%s&overwrite=%s", flags[FLAG_SERVER].value, request->route->path,
		is_on(&flags[FLAG_DRY_RUN]) ? "true" : "false", is_on(&flags[FLAG_REPLACE]) ? "true" : "false",
		is_on(&flags[FLAG_OVERWRITE]) ? "true" : "false");
	http_client_run(client, &http, &answer);
	if (answer.end == HTTP_ANSWERED) {
		code = print_answer(request, answer.body.bytes ? answer.body.bytes : "", answer.body.length, answer.status);
	} else {
		fprintf(stderr, "fleetplan: %s: %s\n", flags[FLAG_SERVER].value, answer.detail);
		code = EXIT_CODE_UNAVAILABLE;
	}
	http_answer_release(&answer);
	return code;
}

static int import_by_server(const struct import_request *request, struct failure *failure)
{
	const struct command_flag *flags = request->flags;
	const struct http_client_options options = {.ca_file = flags[FLAG_CA_FILE].value, .answer_max_bytes = IMPORT_ANSWER_MAX_BYTES};
	struct http_client *client;
	char key[IMPORT_KEY_MAX_BYTES] = "";
	int code;

	if (flags[FLAG_KEY_FILE].value && read_key(flags[FLAG_KEY_FILE].value, key, failure) != STATUS_OK)
		return exit_code_report(failure, EXIT_CODE_NO_INPUT);
	if (http_client_open(&options, &client, failure) != STATUS_OK)
		return exit_code_report(failure, EXIT_CODE_CONFIGURATION);
	code = send_file(request, client, key);
	http_client_close(client);
	explicit_bzero(key, sizeof key);
	return code;
}

/* --- without a daemon -------------------------------------------------------------------------------------------------- */

static enum status feed_body(const struct import_request *request, struct exchange *exchange)
{
	struct failure *failure = &exchange->call.failure;
	struct body_sink sink;
	enum status status = body_begin(&exchange->body, request->packed ? "gzip" : NULL, 0, request->route->body_maximum_bytes, NULL, failure);

	if (status == STATUS_OK)
		status = streamed_open(request->route, request->media, &sink, failure);
	if (status == STATUS_OK)
		body_stream(&exchange->body, &sink);
	if (status == STATUS_OK && request->file.length)
		status = body_receive(&exchange->body, request->file.bytes, request->file.length, failure);
	return status == STATUS_OK ? body_end(&exchange->body, failure) : status;
}

static int answer_request(const struct import_request *request, struct server *server)
{
	const struct query_parameter query[] = {{"dry_run", is_on(&request->flags[FLAG_DRY_RUN]) ? "true" : "false"},
		{"replace", is_on(&request->flags[FLAG_REPLACE]) ? "true" : "false"},
		{"overwrite", is_on(&request->flags[FLAG_OVERWRITE]) ? "true" : "false"}};
	struct exchange_pool pool;
	struct exchange *exchange;
	struct call *call;
	enum status status;
	int code;

	exchange_pool_init(&pool);
	exchange = exchange_take(&pool);
	CHECK(exchange);
	call = &exchange->call;
	call->server = server;
	call->route = request->route;
	call->method = request->route->method;
	call->path = request->route->path;
	call->query = query;
	call->query_count = COUNT_OF(query);
	call->principal = (struct principal){.role = ROLE_ADMIN, .id = "command", .name = "fleetplan import", .owner = "command"};
	call->body_media = request->media;
	call->accept = call->answer_media = MEDIA_JSON;
	json_writer_init(&call->json, &call->answer);
	status = feed_body(request, exchange);
	call->streamed = exchange->body.sink.state;
	call->streamed_sha256 = exchange->body.sink.sha256;
	if (status == STATUS_OK)
		status = import_answer(call);
	response_finish(exchange, status);
	code = print_answer(request, call->answer.bytes, call->answer.length, call->http_status);
	exchange_give(&pool, exchange);
	exchange_pool_release(&pool);
	return code;
}

static int import_by_itself(const struct import_request *request, const struct options *options, struct failure *failure)
{
	const struct storage_options storage = {.path = options->database, .use = STORAGE_DAEMON};
	struct server server = {.options = options};
	enum status status;
	int code = EXIT_CODE_OK;

	if (access(options->database, F_OK) != 0) { /* storage_open() would create an empty database */
		fprintf(stderr, "fleetplan: database %s does not exist; name one with --database, or a daemon with --server\n", options->database);
		return EXIT_CODE_NO_INPUT;
	}
	status = storage_open(&storage, &server.storage, failure);
	if (status == STATUS_CONFLICT) { /* a daemon uses it with the catalogue in memory, and would not see rows that this process writes */
		fprintf(stderr,
			"fleetplan: %s\nfleetplan: to import into the catalogue of a running daemon, give its address: --server http://127.0.0.1:8080\n",
			failure->detail);
		return EXIT_CODE_TEMPORARY;
	}
	if (status != STATUS_OK)
		return exit_code_report(failure, EXIT_CODE_STORAGE);
	pthread_mutex_init(&server.snapshot.mutex, NULL);
	pthread_mutex_init(&server.snapshot.reload, NULL);
	status = server_catalogue_reload(&server, failure);
	if (status == STATUS_OK)
		status = imports_start(&server, &server.imports, failure);
	if (status == STATUS_OK)
		code = answer_request(request, &server);
	else
		code = exit_code_report(failure, EXIT_CODE_STORAGE);
	if (server.imports)
		imports_stop(server.imports);
	catalogue_release(server.snapshot.current);
	(void)!storage_import_tidy(server.storage, failure);
	storage_close(server.storage);
	return code;
}

/* --- the command --------------------------------------------------------------------------------------------------- */

static const struct route *route_of_kind(const char *kind)
{
	static const enum route_id imports[] = {ROUTE_ACCELERATOR_IMPORT, ROUTE_MODELS_IMPORT, ROUTE_PRICE_IMPORT, ROUTE_REGION_IMPORT};

	for (size_t i = 0; kind && i < COUNT_OF(imports); i++)
		if (name_ends(routes[imports[i]].path, kind) && strcmp(strrchr(routes[imports[i]].path, '/') + 1, kind) == 0)
			return &routes[imports[i]];
	return NULL;
}

int import_main(int argc, char **argv)
{
	static struct failure failure;
	struct command_flag flags[FLAG_COUNT] = {0};
	const char *operands[2];
	struct options options;
	struct import_request request = {.flags = flags};
	int code = command_read(argc, argv, flags, operands, COUNT_OF(operands), &options);

	request.route = route_of_kind(operands[0]);
	request.path = operands[1];
	buffer_init(&request.file, IMPORT_FILE_MAX_BYTES);
	if (code == EXIT_CODE_OK && (!request.route || !request.path)) {
		fprintf(stderr, "usage: fleetplan %s [--database FILE]\n", command_find("import")->usage);
		code = EXIT_CODE_USAGE;
	} else if (code == EXIT_CODE_OK && read_file(&request, &failure) != STATUS_OK) {
		code = exit_code_report(&failure, failure.status == STATUS_NOT_FOUND ? EXIT_CODE_NO_INPUT : EXIT_CODE_DATA);
	} else if (code == EXIT_CODE_OK) {
		code = flags[FLAG_SERVER].value ? import_by_server(&request, &failure) : import_by_itself(&request, &options, &failure);
	}
	buffer_release(&request.file);
	options_release(&options);
	return code;
}

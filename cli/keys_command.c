/* `fleetplan keys create|rotate|list|revoke`: may run beside a daemon, which uses a change after AUTH_REMEMBER_SECONDS. */
#include <sodium.h>

#include "base/clock.h"
#include "base/uuid.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "hwdb/catalogue/records.h"
#include "server/keys.h"

enum { KEYS_ARENA_BYTES = 16 * 1024 * 1024, KEYS_DAYS_MAX = 36500 };

enum { KEYS_OVERLAP_MAX = 8784 };
enum keys_flag { FLAG_NAME, FLAG_ROLE, FLAG_DAYS, FLAG_SCOPE, FLAG_OVERLAP, FLAG_COUNT };

static const struct flag_row keys_flag_rows[FLAG_COUNT] = {
	[FLAG_NAME] = {.name = "name", .argument = "TEXT", .standard = "key", .doc = "name of the new key, for people"},
	[FLAG_ROLE] = {.name = "role",
		.argument = "ROLE",
		.choices = "viewer planner admin agent",
		.standard = "planner",
		.doc = "what the new key may do"},
	[FLAG_DAYS] = {.name = "days", .argument = "N", .standard = "0", .doc = "the new key expires after this number of days; 0: never"},
	[FLAG_SCOPE] = {.name = "scope",
		.argument = "LABEL=VALUE",
		.standard = "",
		.doc = "limit the new key, a viewer's or a planner's, to the plans with this label"},
	[FLAG_OVERLAP] = {.name = "overlap-hours",
		.argument = "N",
		.standard = "24",
		.doc = "the rotated key stays valid for this number of hours; 0: it ends at once"}};
const struct flag_table keys_flags = {keys_flag_rows, FLAG_COUNT};

static bool keys_number(const char *flag, const char *text, unsigned maximum, const char *meaning, unsigned *value)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	*value = (unsigned)number;
	if (*text >= '0' && *text <= '9' && !*end && number <= maximum)
		return true;
	fprintf(stderr, "fleetplan: %s must be a whole number from 0 to %u; %s\n", flag, maximum, meaning);
	return false;
}

static void keys_show(const char *id, const char *role, char text[AUTH_KEY_TEXT_SIZE])
{
	fprintf(stderr, "id %s, role %s. The key is shown only once:\n", id, role);
	puts(text);
	sodium_memzero(text, AUTH_KEY_TEXT_SIZE);
}

/* Splits the label "team=a". Only planners and viewers can have a scope. */
static bool keys_scope(char *text, enum role role, const char **key, const char **value)
{
	char *equals = strchr(text, '=');

	*key = *value = NULL;
	if (!*text)
		return true;
	if (!equals || equals == text || equals - text > LABEL_KEY_MAX || !equals[1] || strlen(equals + 1) > LABEL_VALUE_MAX) {
		fprintf(stderr, "fleetplan: --scope must be a label like team=a: at most %d bytes before the =, at most %d after it\n",
			LABEL_KEY_MAX, LABEL_VALUE_MAX);
		return false;
	}
	if (role != ROLE_VIEWER && role != ROLE_PLANNER) {
		fprintf(stderr, "fleetplan: --scope is only for the roles viewer and planner, not for the role %s\n", auth_role_name(role));
		return false;
	}
	*equals = '\0';
	*key = text;
	*value = equals + 1;
	return true;
}

static int keys_create_command(struct storage *storage, const struct command_flag *flags, struct failure *failure)
{
	char id[UUID_TEXT_SIZE], text[AUTH_KEY_TEXT_SIZE], scope[LABEL_KEY_MAX + LABEL_VALUE_MAX + 8];
	const char *scope_key, *scope_value;
	enum role role;
	unsigned days;

	if (!auth_role_parse(flags[FLAG_ROLE].value, &role)) {
		fprintf(stderr, "fleetplan: --role must be one of viewer, planner, admin, agent, not \"%s\"\n", flags[FLAG_ROLE].value);
		return EXIT_CODE_USAGE;
	}
	snprintf(scope, sizeof scope, "%s", flags[FLAG_SCOPE].value);
	if (!keys_number("--days", flags[FLAG_DAYS].value, KEYS_DAYS_MAX, "0: never expires", &days) ||
		!keys_scope(scope, role, &scope_key, &scope_value))
		return EXIT_CODE_USAGE;
	if (keys_create(storage, flags[FLAG_NAME].value, role, scope_key, scope_value, days, id, text, failure) != STATUS_OK)
		return exit_code_report(failure, EXIT_CODE_STORAGE);
	keys_show(id, auth_role_name(role), text);
	return EXIT_CODE_OK;
}

static int keys_rotate_command(struct storage *storage, const char *of, const struct command_flag *flags, struct failure *failure)
{
	char id[UUID_TEXT_SIZE], text[AUTH_KEY_TEXT_SIZE];
	unsigned days, overlap_hours;
	struct key_record key;
	struct arena arena;
	enum status status;

	if (!keys_number("--days", flags[FLAG_DAYS].value, KEYS_DAYS_MAX, "0: never expires", &days) ||
		!keys_number("--overlap-hours", flags[FLAG_OVERLAP].value, KEYS_OVERLAP_MAX, "both keys are valid for this time", &overlap_hours))
		return EXIT_CODE_USAGE;
	arena_init(&arena, KEYS_ARENA_BYTES);
	status = keys_rotate(storage, of, days, overlap_hours, id, text, &arena, &key, failure);
	if (status == STATUS_OK) {
		fprintf(stderr, "key %s is valid for %u more hours.\n", of, overlap_hours);
		keys_show(id, key.role, text);
	}
	arena_release(&arena);
	if (status == STATUS_NOT_FOUND)
		return exit_code_report(failure, EXIT_CODE_FAILED);
	return status == STATUS_OK ? EXIT_CODE_OK : exit_code_report(failure, EXIT_CODE_STORAGE);
}

static void keys_print(const struct key_record *key)
{
	char created[CLOCK_TEXT_MAX], expires[CLOCK_TEXT_MAX] = "never";

	clock_format(created, key->created_at_us);
	if (key->expires_at_us != ABSENT_COUNT)
		clock_format(expires, key->expires_at_us);
	printf("%s  %-8s %-10s created %s expires %s%s  %s", key->id, key->role, key->prefix ? key->prefix : "", created, expires,
		key->revoked_at_us != ABSENT_COUNT ? " REVOKED" : "", key->name ? key->name : "");
	if (key->scope_key)
		printf("  scope %s=%s", key->scope_key, key->scope_value);
	if (key->family)
		printf("  after %s", key->family);
	puts("");
}

static int keys_list_command(struct storage *storage, struct failure *failure)
{
	struct page_request page = {.limit = 1000};
	struct arena arena;
	enum status status;

	arena_init(&arena, KEYS_ARENA_BYTES);
	do {
		struct key_list list = {0};

		status = storage_key_list(storage, &page, &arena, &list, failure);
		for (size_t i = 0; status == STATUS_OK && i < list.count; i++)
			keys_print(&list.items[i]);
		page.cursor = status == STATUS_OK ? list.next_cursor : NULL;
	} while (page.cursor);
	arena_release(&arena);
	return status == STATUS_OK ? EXIT_CODE_OK : exit_code_report(failure, EXIT_CODE_STORAGE);
}

static int keys_revoke_command(struct storage *storage, const char *id, struct failure *failure)
{
	const struct audit_record entry = keys_audit("keys revoke", id);
	struct key_revoke revoke = {.job = {.kind = STORAGE_KEY_REVOKE, .failure = failure, .audit = &entry}, .id = id};
	enum status status = storage_run(storage, &revoke.job);

	if (status == STATUS_NOT_FOUND)
		return exit_code_report(failure, EXIT_CODE_FAILED);
	if (status == STATUS_OK)
		printf("revoked; a running daemon rejects it within %d seconds\n", AUTH_REMEMBER_SECONDS);
	return status == STATUS_OK ? EXIT_CODE_OK : exit_code_report(failure, EXIT_CODE_STORAGE);
}

int keys_main(int argc, char **argv)
{
	static struct failure failure;
	struct command_flag flags[FLAG_COUNT] = {0};
	const char *operands[2];
	struct options options;
	struct storage_options storage_options = {.use = STORAGE_TOOL};
	struct storage *storage;
	int code = command_read(argc, argv, flags, operands, COUNT_OF(operands), &options);
	bool create = operands[0] && strcmp(operands[0], "create") == 0, list = operands[0] && strcmp(operands[0], "list") == 0;
	bool revoke = operands[0] && strcmp(operands[0], "revoke") == 0 && operands[1],
		 rotate = operands[0] && strcmp(operands[0], "rotate") == 0 && operands[1];

	storage_options.path = options.database;
	if (code == EXIT_CODE_OK && !create && !list && !revoke && !rotate) {
		fprintf(stderr, "usage: fleetplan %s\n", command_find("keys")->usage);
		code = EXIT_CODE_USAGE;
	} else if (code == EXIT_CODE_OK && sodium_init() < 0) {
		code = EXIT_CODE_SOFTWARE;
	} else if (code == EXIT_CODE_OK && storage_open(&storage_options, &storage, &failure) != STATUS_OK) {
		code = exit_code_report(&failure, EXIT_CODE_STORAGE);
	} else if (code == EXIT_CODE_OK) {
		code = create ? keys_create_command(storage, flags, &failure)
			: rotate  ? keys_rotate_command(storage, operands[1], flags, &failure)
			: list    ? keys_list_command(storage, &failure)
					  : keys_revoke_command(storage, operands[1], &failure);
		storage_close(storage);
	}
	options_release(&options);
	return code;
}

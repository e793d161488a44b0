/* Checks that no field is without effect. Changes every field of every request's table on its own, in each base
 * request: a number both ways, a choice to each of its words. The change must move a figure of the answer, or be
 * refused, or the answer must say that the field has no effect there and why. A figure may move only in the direction
 * that tests/effects/signs.json allows.
 *
 * usage: sweep FOLDER [BASE]: reads FOLDER/bases/NAME.json, values.json and signs.json. Writes the table of effects to
 * standard output, and the faults to standard error. The exit status is 1 if there is a fault. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "effects/answer.h"
#include "effects/change.h"

enum { BASES_MAX = 64, FIGURES_SHOWN = 16 };

static const double equal_relative = 1e-9; /* a smaller difference is rounding */

struct sweep {
	const struct kind *kind;
	const char *base;
	const json_t *only;            /* fields, or prefixes of fields, that the base tests; NULL: all fields */
	const json_t *signs, *excused; /* "field" or "base field" -> why it may have no effect */
	json_t *alive;                 /* "training accelerator.tdp_w" -> true if any base answered a change of it */
	json_t *words;                 /* "training stack" -> {word: true if the answer differed from the answer without a word in any base} */
	size_t fields, wrong;
};

static json_t *load_json(const char *folder, const char *name)
{
	char path[512];
	json_error_t error;
	json_t *value;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	value = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!value) {
		fprintf(stderr, "%s: line %d: %s\n", path, error.line, error.text);
		exit(2);
	}
	return value;
}

static bool same_value(const json_t *a, const json_t *b)
{
	double x, y;

	if (!a || !b)
		return a == b;
	if (!json_is_number(a) || !json_is_number(b))
		return json_equal(a, b);
	x = json_number_value(a);
	y = json_number_value(b);
	return fabs(x - y) <= equal_relative * fmax(fabs(x), fabs(y));
}

/* Returns the first figure in which two answers differ; NULL: none. */
static const char *difference(const struct answer *a, const struct answer *b)
{
	const char *key;
	json_t *value;

	json_object_foreach (a->figures, key, value) {
		if (!same_value(value, json_object_get(b->figures, key)))
			return key;
	}
	json_object_foreach (b->figures, key, value) {
		if (!json_object_get(a->figures, key))
			return key;
	}
	return NULL;
}

/* True if the text contains the name as a whole word. */
static bool names_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word)) != NULL) {
		bool begins = at == text || !(at[-1] == '_' || at[-1] == '.' || (at[-1] >= 'a' && at[-1] <= 'z'));

		if (begins && !(at[length] == '_' || (at[length] >= 'a' && at[length] <= 'z')))
			return true;
		at += length;
	}
	return false;
}

/* True for "FIELD is not used: WHY", "FIELD, OTHER are not used: WHY", and for an assumption about the field or one
 * that names it. */
static bool says_unused(const char *said, const char *field, const char *about)
{
	const char *verb = strstr(said, "not used");
	char subject[512];

	if (!verb)
		return false;
	snprintf(subject, sizeof subject, "%.*s", (int)(verb - said), said);
	return names_word(subject, field) || (about && strcmp(about, field) == 0);
}

/* Returns the text of the answer that says, by the field's full name, that the field has no effect; NULL: there is
 * none. */
static const char *no_effect_text(const struct answer *answer, const char *field)
{
	json_t *text;
	size_t index;

	json_array_foreach (answer->texts, index, text) {
		const char *about = json_string_value(json_array_get(text, 0)), *said = json_string_value(json_array_get(text, 1));

		if (said && says_unused(said, field, about))
			return said;
	}
	return NULL;
}

static void complain(struct sweep *sweep, const struct change *change, const char *what, const char *detail)
{
	fprintf(stderr, "%s: %s: %s%s%s\n", sweep->base, change->field, what, detail ? ": " : "", detail ? detail : "");
	sweep->wrong++;
}

/* True if the request has the field. In a list, only the first item counts. */
static bool request_has(const json_t *request, const char *field)
{
	char part[FIELD_NAME_MAX];

	while (request && *field) {
		size_t length = strcspn(field, ".");

		snprintf(part, sizeof part, "%.*s", (int)length, field);
		request = json_object_get(json_is_array(request) ? json_array_get(request, 0) : request, part);
		field += length + (field[length] == '.');
	}
	return request != NULL;
}

/* m: moved a figure, r: refused, s: the answer says that it has no effect, =: none of these */
static char verdict(struct sweep *sweep, const struct change *change, size_t index)
{
	const struct answer *reference = answer_to(sweep->kind, change->reference), *answer = answer_to(sweep->kind, change->requests[index]);
	const char *said, *moved;

	if (!answer->ok)
		return 'r';
	if (!reference->ok)
		return 'm';
	moved = difference(reference, answer);
	said = no_effect_text(answer, change->field);
	/* A figure may move where a value with an effect is replaced by a value without one. It is a fault where the
	 * reference lacks the field, or where both answers say that the field has no effect. */
	if (moved && said && (!request_has(change->reference, change->field) || no_effect_text(reference, change->field)) &&
		strncmp(moved, "front", 5) != 0)
		complain(sweep, change, "is said to have no effect, but moves a figure", moved);
	return moved ? 'm' : said ? 's' : '=';
}

/* -1, 0, 1: the sign of the figure's change from the first answer to the second; 2: one answer lacks the figure. */
static int sign_of(const struct answer *a, const struct answer *b, const char *path)
{
	const json_t *x = json_object_get(a->figures, path), *y = json_object_get(b->figures, path);

	if (!x && !y)
		return 0;
	if (!x || !y)
		return 2;
	return same_value(x, y) ? 0 : json_number_value(x) < json_number_value(y) ? 1 : -1;
}

/* Returns the rule for a field and figure: an array [field, figure, sign, why, exempt bases...]; NULL: none. */
static const json_t *sign_rule(const struct sweep *sweep, const char *field, const char *figure)
{
	json_t *rule, *exempt;
	size_t index, other;

	json_array_foreach (sweep->signs, index, rule) {
		const char *name = json_string_value(json_object_get(rule, "field"));
		size_t length = strlen(name), whole = strlen(field);

		if (*name == '=' && strcmp(field, name + 1) != 0)
			continue;
		if (*name != '=' &&
			(whole < length || strcmp(field + whole - length, name) != 0 || (whole > length && field[whole - length - 1] != '.')))
			continue;
		if (strcmp(json_string_value(json_object_get(rule, "figure")), figure) != 0)
			continue;
		json_array_foreach (json_object_get(rule, "but"), other, exempt) {
			if (strcmp(json_string_value(exempt), sweep->base) == 0)
				return NULL;
		}
		return rule;
	}
	return NULL;
}

static void print_signs(struct sweep *sweep, const struct change *change, const struct answer *from, const struct answer *to, bool ordered)
{
	static const char *const marks[] = {"-", "", "+", "~"};
	bool any = false;

	/* `ordered`: the second answer has the larger value. */
	for (size_t i = 0; i < FIGURES_SHOWN && sweep->kind->figures[i].name; i++) {
		const char *name = sweep->kind->figures[i].name;
		int sign = sign_of(from, to, sweep->kind->figures[i].path);
		const json_t *rule = ordered ? sign_rule(sweep, change->field, name) : NULL;
		const char *allowed = rule ? json_string_value(json_object_get(rule, "sign")) : NULL;

		if (sign)
			printf(" %s%s", name, marks[sign + 1]);
		any = any || sign;
		if (allowed && ((sign == 1 && *allowed == '-') || (sign == -1 && *allowed == '+'))) {
			char detail[512];

			snprintf(detail, sizeof detail, "%s: %s", name, json_string_value(json_object_get(rule, "why")));
			complain(sweep, change, sign == 1 ? "raised, it raises" : "raised, it lowers", detail);
		}
	}
	if (!any && difference(from, to))
		printf(" other");
}

static void value_text(const json_t *value, char *text, size_t size)
{
	char *dump = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(5));

	snprintf(text, size, "%.*s%s", 40, dump, strlen(dump) > 40 ? "..." : "");
	free(dump);
}

static void print_ordered(struct sweep *sweep, const struct change *change, const char verdicts[2])
{
	const struct answer *from = answer_to(sweep->kind, change->requests[0]), *to = answer_to(sweep->kind, change->requests[1]);
	const struct answer *reference = answer_to(sweep->kind, change->reference);
	char low[64], high[64];

	value_text(change->values[0], low, sizeof low);
	value_text(change->values[1], high, sizeof high);
	printf("%-22s %-44s %s..%s %.2s:", sweep->base, change->field, low, high, verdicts);
	if (from->ok && to->ok)
		print_signs(sweep, change, from, to, true);
	else if (reference->ok && (from->ok || to->ok))
		print_signs(sweep, change, from->ok ? from : reference, from->ok ? reference : to, change->between);
	printf("\n");
}

static void print_each(struct sweep *sweep, const struct change *change, const char *verdicts)
{
	const struct answer *reference = answer_to(sweep->kind, change->reference);

	for (size_t i = 0; i < change->count; i++) {
		const struct answer *answer = answer_to(sweep->kind, change->requests[i]);
		char text[64];

		value_text(change->values[i], text, sizeof text);
		printf("%-22s %-44s %s %c:", sweep->base, change->field, text, verdicts[i]);
		if (answer->ok && reference->ok)
			print_signs(sweep, change, reference, answer, false);
		printf("\n");
	}
}

static bool is_accepted(const json_t *request, void *context)
{
	const struct sweep *sweep = context;

	return answer_to(sweep->kind, request)->ok;
}

static bool is_excused(const struct sweep *sweep, const char *field)
{
	char name[FIELD_NAME_MAX + 64];

	snprintf(name, sizeof name, "%s %s", sweep->base, field);
	return json_object_get(sweep->excused, field) || json_object_get(sweep->excused, name);
}

static bool is_wanted(const struct sweep *sweep, const char *field)
{
	json_t *name;
	size_t index;

	json_array_foreach (sweep->only, index, name) {
		size_t length = strlen(json_string_value(name));

		if (strncmp(field, json_string_value(name), length) == 0 && (!field[length] || field[length] == '.'))
			return true;
	}
	return !sweep->only;
}

/* Records for each word whether it has an effect. One word of a field may have none: the default. */
static void note_words(struct sweep *sweep, const struct change *change, const char *verdicts)
{
	char name[FIELD_NAME_MAX + 32];
	json_t *words;

	if (change->row->word_count == 0)
		return;
	snprintf(name, sizeof name, "%s %s", sweep->kind->name, change->field);
	words = json_object_get(sweep->words, name);
	if (!words) {
		words = json_object();
		json_object_set_new(sweep->words, name, words);
	}
	for (size_t i = 0; i < change->count; i++) {
		const json_t *value = json_is_array(change->values[i]) ? json_array_get(change->values[i], 0) : change->values[i];

		if (verdicts[i] != '=' || !json_object_get(words, json_string_value(value)))
			json_object_set_new(words, json_string_value(value),
				json_boolean(verdicts[i] != '=' || json_is_true(json_object_get(words, json_string_value(value)))));
	}
}

static void judge_words(struct sweep *sweep, const char *name, const json_t *words)
{
	char dead[512] = "", whole[FIELD_NAME_MAX + 64];
	const char *word;
	json_t *alive;
	size_t count = 0;

	json_object_foreach ((json_t *)words, word, alive) {
		snprintf(whole, sizeof whole, "%s %s", name, word);
		if (json_is_true(alive) || json_object_get(sweep->excused, whole))
			continue;
		snprintf(dead + strlen(dead), sizeof dead - strlen(dead), " %s", word);
		count++;
	}
	if (count < 2)
		return;
	fprintf(stderr, "%s: more than one word does nothing in any base request:%s\n", name, dead);
	sweep->wrong++;
}

static void judge_change(const struct change *change, void *context)
{
	struct sweep *sweep = context;
	char verdicts[VALUES_MAX + 1] = "", name[FIELD_NAME_MAX + 32];
	bool moved, answered;

	if (!is_wanted(sweep, change->field))
		return;
	for (size_t i = 0; i < change->count; i++)
		verdicts[i] = verdict(sweep, change, i);
	moved = strchr(verdicts, 'm') != NULL;
	answered = strpbrk(verdicts, "ms") != NULL;
	sweep->fields++;
	note_words(sweep, change, verdicts);
	if (change->row->flags & NOTE) {
		if (moved)
			complain(sweep, change, "is marked as a note, but moves a figure", NULL);
		return;
	}
	if (change->ordered)
		print_ordered(sweep, change, verdicts);
	else
		print_each(sweep, change, verdicts);
	if (change->count > 0 && !strpbrk(verdicts, "mrs") && !is_excused(sweep, change->field))
		complain(sweep, change, "no value of it moves a figure, is refused or is said to have no effect", NULL);
	snprintf(name, sizeof name, "%s %s", sweep->kind->name, change->field);
	if (change->row->kind != FIELD_OBJECT && change->row->kind != FIELD_LIST && (answered || !json_object_get(sweep->alive, name)))
		json_object_set_new(sweep->alive, name, json_boolean(answered));
}

static void sweep_base(struct sweep *sweep, const char *folder, const char *file, json_t *values)
{
	json_t *base = load_json(folder, file), *own = json_object_get(base, "values"), *all = json_copy(values);
	char name[64];
	size_t without;

	snprintf(name, sizeof name, "%.*s", (int)strcspn(file + strlen("bases/"), "."), file + strlen("bases/"));
	sweep->base = name;
	sweep->kind = kind_find(json_string_value(json_object_get(base, "kind")));
	sweep->only = json_object_get(base, "only");
	CHECK(sweep->kind);
	if (own)
		json_object_update(all, own);
	if (!answer_to(sweep->kind, json_object_get(base, "request"))->ok) {
		fprintf(stderr, "%s: refused: %s\n", name, answer_to(sweep->kind, json_object_get(base, "request"))->refusal);
		sweep->wrong++;
	}
	without = changes_of(sweep->kind->table, json_object_get(base, "request"), all, is_accepted, judge_change, sweep);
	sweep->wrong += without;
	json_decref(all);
	json_decref(base);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t base_files(const char *folder, char *files[BASES_MAX])
{
	char path[512];
	struct dirent *entry;
	size_t count = 0;
	DIR *directory;

	snprintf(path, sizeof path, "%s/bases", folder);
	directory = opendir(path);
	CHECK(directory);
	while ((entry = readdir(directory)) != NULL) {
		if (!strstr(entry->d_name, ".json"))
			continue;
		CHECK(count < BASES_MAX && asprintf(&files[count], "bases/%s", entry->d_name) > 0);
		count++;
	}
	closedir(directory);
	qsort(files, count, sizeof files[0], by_name);
	return count;
}

int main(int argc, char **argv)
{
	struct sweep sweep = {.alive = json_object(), .words = json_object()};
	char *files[BASES_MAX];
	const char *key;
	json_t *values, *signs, *excused, *moved;
	size_t count;

	CHECK(argc >= 2);
	count = base_files(argv[1], files);
	values = load_json(argv[1], "values.json");
	signs = load_json(argv[1], "signs.json");
	excused = load_json(argv[1], "excused.json");
	sweep.signs = signs;
	sweep.excused = excused;
	for (size_t i = 0; i < count; i++) {
		if (argc < 3 || strstr(files[i], argv[2]))
			sweep_base(&sweep, argv[1], files[i], values);
		free(files[i]);
	}
	json_object_foreach (sweep.alive, key, moved) {
		if (argc < 3 && !json_is_true(moved) && !json_object_get(excused, strchr(key, ' ') + 1)) {
			fprintf(stderr,
				"%s: every change of it is refused in every base request, so its effect is unknown: add a base request that allows it\n",
				key);
			sweep.wrong++;
		}
	}
	json_object_foreach (sweep.words, key, moved) {
		if (argc < 3)
			judge_words(&sweep, key, moved);
	}
	fprintf(stderr, "%zu fields in %zu base requests, %zu answers, %zu wrong\n", sweep.fields, count, answers_computed(), sweep.wrong);
	json_decref(sweep.alive);
	json_decref(sweep.words);
	json_decref(values);
	json_decref(signs);
	json_decref(excused);
	answers_release();
	return sweep.wrong > 0;
}

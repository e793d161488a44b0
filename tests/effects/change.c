#include "effects/change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct walk {
	const json_t *values;
	accepted_function *accepted;
	change_function *visit;
	void *context;
	bool refused; /* inside an object that the request may not have: visits its fields without values */
	size_t without_values;
};

/* Returns the value at a path such as "stages/0/tokens"; NULL: there is none. */
static json_t *json_at(json_t *root, const char *path)
{
	char part[FIELD_NAME_MAX];

	while (root && *path) {
		size_t length = strcspn(path, "/");

		snprintf(part, sizeof part, "%.*s", (int)length, path);
		root = json_is_array(root) ? json_array_get(root, (size_t)(part[0] - '0')) : json_object_get(root, part);
		path += length + (path[length] == '/');
	}
	return root;
}

/* Returns a copy of the request with the value at that path. Creates missing objects on the way. */
static json_t *json_with(const json_t *root, const char *path, const json_t *value)
{
	json_t *copy = json_deep_copy(root), *place = copy;
	char part[FIELD_NAME_MAX];

	for (;;) {
		size_t length = strcspn(path, "/");
		json_t *next;

		snprintf(part, sizeof part, "%.*s", (int)length, path);
		if (!path[length])
			break;
		next = json_is_array(place) ? json_array_get(place, (size_t)(part[0] - '0')) : json_object_get(place, part);
		if (!next) {
			next = path[length + 1] == '0' ? json_array() : json_object();
			if (json_is_array(place))
				json_array_append_new(place, next);
			else
				json_object_set_new(place, part, next);
		}
		place = next;
		path += length + 1;
	}
	if (!json_is_array(place))
		json_object_set_new(place, part, json_deep_copy(value));
	else if (json_array_size(place) > 0)
		json_array_set_new(place, (size_t)(part[0] - '0'), json_deep_copy(value));
	else
		json_array_append_new(place, json_deep_copy(value));
	return copy;
}

/* Converts "stages/0/tokens" to "stages.tokens". */
static void field_name(const char *path, char name[FIELD_NAME_MAX])
{
	size_t length = 0;

	for (; *path && length + 1 < FIELD_NAME_MAX; path++) {
		if (*path == '/' && path[1] == '0') {
			path++;
			continue;
		}
		name[length++] = *path == '/' ? '.' : *path;
	}
	name[length] = '\0';
}

/* Returns the entry of a field's full name, or of its last words. */
static json_t *values_of(const json_t *values, const char *name)
{
	for (;;) {
		json_t *found = json_object_get(values, name);

		if (found)
			return found;
		name = strchr(name, '.');
		if (!name)
			return NULL;
		name++;
	}
}

static bool is_number(enum field_kind kind)
{
	return kind == FIELD_NUMBER || kind == FIELD_COUNT || kind == FIELD_HOURS || kind == FIELD_INTEGER;
}

static json_t *number(const struct field *row, double value)
{
	value = fmin(fmax(value, row->minimum), row->maximum);
	return row->kind == FIELD_INTEGER || (value == floor(value) && fabs(value) < 1e15) ? json_integer((json_int_t)value) : json_real(value);
}

static void add_value(struct change *change, json_t *value)
{
	if (change->count < VALUES_MAX)
		change->values[change->count++] = value;
}

static void add_word_values(struct change *change, const struct field *row, const json_t *current)
{
	for (size_t i = 0; i < row->word_count; i++) {
		if (row->words[i] && !(json_is_string(current) && strcmp(row->words[i], json_string_value(current)) == 0))
			add_value(change, row->kind == FIELD_TEXTS ? json_pack("[s]", row->words[i]) : json_string(row->words[i]));
	}
}

static void add_scaled_values(struct change *change, const json_t *list)
{
	static const double factors[2] = {0.5, 2};
	json_t *item;
	size_t index;

	for (size_t i = 0; i < COUNT_OF(factors); i++) {
		json_t *scaled = json_array();

		json_array_foreach (list, index, item)
			json_array_append_new(scaled, json_real(json_number_value(item) * factors[i]));
		add_value(change, scaled);
	}
	change->ordered = true;
}

static void visit_leaf(struct walk *walk, const json_t *reference, const char *path, const struct field *row)
{
	struct change change = {.row = row, .reference = (json_t *)reference};
	json_t *current = json_at((json_t *)reference, path), *given, *item;
	size_t index;

	field_name(path, change.field);
	if (walk->refused) {
		walk->visit(&change, walk->context);
		return;
	}
	given = values_of(walk->values, change.field);
	if (given) {
		json_array_foreach (given, index, item)
			add_value(&change, json_incref(item));
		change.ordered = change.count == 2 && json_is_number(change.values[0]) &&
			json_number_value(change.values[0]) < json_number_value(change.values[1]);
	} else if (is_number(row->kind) && json_is_number(current)) {
		double value = json_number_value(current);

		add_value(&change, number(row, row->kind == FIELD_INTEGER ? floor(value / 2) : value / 2));
		add_value(&change, number(row, value > 0 ? value * 2 : 1));
		change.ordered = change.between = true;
	} else if (row->kind == FIELD_TRUTH) {
		add_value(&change, json_false());
		add_value(&change, json_true());
	} else if (row->word_count > 0) {
		add_word_values(&change, row, current);
	} else if (row->kind == FIELD_NUMBERS && json_is_array(current)) {
		add_scaled_values(&change, current);
	} else {
		fprintf(stderr, "no values for %s: add them to tests/effects/values.json\n", change.field);
		walk->without_values++;
	}
	for (size_t i = 0; i < change.count; i++)
		change.requests[i] = json_with(reference, path, change.values[i]);
	if (change.count > 0)
		walk->visit(&change, walk->context);
	for (size_t i = 0; i < change.count; i++) {
		json_decref(change.values[i]);
		json_decref(change.requests[i]);
	}
}

/* Fills in the required members of a table, each with its first value. */
static void fill_required(struct walk *walk, const struct field_table *table, const char *path, json_t *object)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		char below[FIELD_NAME_MAX], name[FIELD_NAME_MAX];
		json_t *given;

		if (row->kind == FIELD_MERGE)
			fill_required(walk, row->table, path, object);
		if (!(row->flags & REQUIRED))
			continue;
		snprintf(below, sizeof below, "%s/%s", path, row->key);
		field_name(below, name);
		given = values_of(walk->values, name);
		json_object_set_new(object, row->key,
			given                     ? json_incref(json_is_array(given) ? json_array_get(given, 0) : given)
				: row->word_count > 0 ? json_string(row->words[0] ? row->words[0] : row->words[1])
									  : json_null());
	}
}

static void visit_rows(struct walk *walk, const struct field_table *table, const json_t *reference, const char *prefix);

/* Visits an object of the request: the existing object, the object that a bare value stands for, or a new object with
 * its required members. */
static void visit_object(struct walk *walk, const json_t *reference, const char *path, const struct field *row)
{
	json_t *current = json_at((json_t *)reference, path), *begun = NULL, *copy;
	const struct field *bare = row->table->shorthand;
	char name[FIELD_NAME_MAX];

	field_name(path, name);
	if (current && bare && !json_is_object(current) && bare->kind == FIELD_TEXT) {
		char below[FIELD_NAME_MAX];

		snprintf(below, sizeof below, "%s/%s", path, bare->key);
		begun = json_object();
		json_object_set(begun, bare->key, current);
		copy = json_with(reference, path, begun);
		visit_leaf(walk, copy, below, bare);
	} else {
		if (current && bare && !json_is_object(current)) {
			begun = json_object();
			json_object_set(begun, bare->key, current);
		} else if (!current) {
			json_t *given = values_of(walk->values, name);

			begun = json_is_object(given) ? json_deep_copy(given) : json_object();
			if (!json_is_object(given))
				fill_required(walk, row->table, path, begun);
		}
		copy = begun && json_object_size(begun) > 0 ? json_with(reference, path, begun) : json_deep_copy(reference);
		if (!current && !walk->refused && !walk->accepted(copy, walk->context)) {
			struct change change = {.row = row, .reference = (json_t *)reference, .count = 1, .values = {begun}, .requests = {copy}};

			field_name(path, change.field);
			walk->visit(&change, walk->context);
			walk->refused = true;
			visit_rows(walk, row->table, copy, path);
			walk->refused = false;
		} else {
			visit_rows(walk, row->table, copy, path);
		}
	}
	json_decref(copy);
	json_decref(begun);
}

static void visit_rows(struct walk *walk, const struct field_table *table, const json_t *reference, const char *prefix)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct field *row = &table->rows[i];
		char path[FIELD_NAME_MAX];

		snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "/" : "", row->key);
		if (row->kind == FIELD_MERGE) {
			visit_rows(walk, row->table, reference, prefix);
		} else if (row->flags & READ_ONLY) {
			continue;
		} else if (row->kind == FIELD_OBJECT) {
			visit_object(walk, reference, path, row);
		} else if (row->kind == FIELD_LIST) {
			snprintf(path + strlen(path), sizeof path - strlen(path), "/0");
			visit_object(walk, reference, path, row);
		} else {
			visit_leaf(walk, reference, path, row);
		}
	}
}

size_t changes_of(const struct field_table *table, const json_t *request, const json_t *values, accepted_function *accepted,
	change_function *visit, void *context)
{
	struct walk walk = {.values = values, .accepted = accepted, .visit = visit, .context = context};

	visit_rows(&walk, table, request, "");
	return walk.without_values;
}

#include "api/scan.h"

#include <stdint.h>

#include "api/decode.h"

/* From the opening quote to past the closing one (or the end of the text). */
static size_t scan_string_end(const char *json, size_t length, size_t at)
{
	for (at++; at < length && json[at] != '"'; at++)
		at += json[at] == '\\';
	return at < length ? at + 1 : length;
}

bool scan_too_deep(const char *json, size_t length, size_t maximum)
{
	size_t depth = 0, at = 0;

	while (at < length) {
		char c = json[at];

		if (c == '"') {
			at = scan_string_end(json, length, at);
			continue;
		}
		if ((c == '{' || c == '[') && ++depth > maximum)
			return true;
		if ((c == '}' || c == ']') && depth > 0)
			depth--;
		at++;
	}
	return false;
}

struct seen_key {
	size_t object; /* where its object opens, plus 1; 0 is an empty slot */
	size_t at, length;
};

struct scan_level {
	size_t object; /* as above; 0 for an array */
	size_t index; /* of the array's element */
	size_t key, key_length;
};

struct scan {
	const char *json;
	size_t length, depth, slot_count;
	struct seen_key *slots;
	struct scan_level levels[API_JSON_DEPTH_MAX + 1];
};

/* Whether the object had this key; remembers it. The table is never more than half full: a key takes three bytes. */
static bool scan_seen(struct scan *scan, size_t object, size_t at, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325U ^ object;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)scan->json[at + i]) * 0x100000001b3U;
	for (size_t i = (size_t)(hash % scan->slot_count);; i = (i + 1) % scan->slot_count) {
		struct seen_key *slot = &scan->slots[i];

		if (slot->object == 0) {
			*slot = (struct seen_key){.object = object, .at = at, .length = length};
			return false;
		}
		if (slot->object == object && slot->length == length &&
			memcmp(scan->json + slot->at, scan->json + at, length) == 0)
			return true;
	}
}

static void scan_report(const struct scan *scan, struct failure *failure)
{
	struct path paths[API_JSON_DEPTH_MAX + 1];
	char pointer[FAULT_POINTER_MAX];
	char keys[API_JSON_DEPTH_MAX + 1][64];

	for (size_t i = 0; i < scan->depth; i++) {
		const struct scan_level *level = &scan->levels[i];
		size_t shown;

		paths[i] = (struct path){.up = i ? &paths[i - 1] : NULL, .index = level->index};
		if (level->object == 0)
			continue;
		shown = level->key_length < sizeof keys[i]
					? level->key_length
					: decode_whole_characters(scan->json + level->key, sizeof keys[i] - 1);
		snprintf(keys[i], sizeof keys[i], "%.*s", (int)shown, scan->json + level->key);
		paths[i].key = keys[i];
	}
	path_pointer(&paths[scan->depth - 1], pointer, sizeof pointer);
	failure_add(failure, pointer, "duplicate_key", "this key stands twice in its object; leave one");
}

static void scan_open(struct scan *scan, size_t at)
{
	CHECK(scan->depth < COUNT_OF(scan->levels));
	scan->levels[scan->depth++] = (struct scan_level){.object = scan->json[at] == '{' ? at + 1 : 0};
}

/* A string followed by a colon is a key. Returns where to go on. */
static size_t scan_string(struct scan *scan, size_t at, struct failure *failure)
{
	size_t end = scan_string_end(scan->json, scan->length, at), next = end;
	struct scan_level *level = &scan->levels[scan->depth - 1];

	while (next < scan->length && strchr(" \t\r\n", scan->json[next]))
		next++;
	if (next < scan->length && scan->json[next] == ':') {
		level->key = at + 1;
		level->key_length = end - at - 2;
		if (scan_seen(scan, level->object, level->key, level->key_length))
			scan_report(scan, failure);
	}
	return end;
}

bool scan_duplicates(const char *json, size_t length, struct arena *arena, struct failure *failure)
{
	struct scan scan = {.json = json, .length = length, .slot_count = length + 2};

	scan.slots = ARENA_ARRAY(arena, struct seen_key, scan.slot_count);
	if (!scan.slots)
		return false;
	for (size_t at = 0; at < length;) {
		char c = json[at];

		if (c == '"' && scan.depth > 0) {
			at = scan_string(&scan, at, failure);
			continue;
		}
		if (c == '{' || c == '[')
			scan_open(&scan, at);
		else if ((c == '}' || c == ']') && scan.depth > 0)
			scan.depth--;
		else if (c == ',' && scan.depth > 0)
			scan.levels[scan.depth - 1].index++;
		at++;
	}
	return true;
}

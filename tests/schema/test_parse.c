/* Compares the JSON reader with jansson on well-formed and on damaged text. */
#include <jansson.h>

#include "schema/decode.h"
#include "support/assert.h"

static struct arena arena;
static struct failure failure;

/* Every kind of value, escape and white space in JSON. */
static const char *const seeds[] = {
	"{\"a\":1,\"b\":[-2.5e-3,1E+2,0,-0,0.125],\"c\":{\"d\":null,\"e\":true,\"f\":false},\"g\":[],\"h\":{}}",
	"[\"plain\",\"\\\"\\\\\\/\\b\\f\\n\\r\\t\",\"\\u00e4\\uD83D\\uDE00\\u20ac\",\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\x7f\",\"\"]",
	" \t\r\n{ \"long enough for a run of eights\" : \"and another one, which ends in an escape: \\n\" , \"x\" : [ [ [ 1 ] ] , { } ] } \n",
	"{\"big\":300000000000000000000000000,\"real\":1.7976931348623157e308,\"tiny\":4e-320,\"whole\":123456789012345678}",
};

static void same(const struct node *ours, const json_t *theirs);

/* Both readers keep the last of several members with one key. */
static void same_members(const struct node *ours, const json_t *theirs)
{
	size_t members = 0;

	for (const struct node *member = ours->first; member; member = member->next, members++) {
		assert_non_null(json_object_get(theirs, member->key));
		same(member, json_object_get(theirs, member->key));
	}
	assert_int_equal(members, ours->length);
	assert_int_equal(members, json_object_size(theirs));
}

static void same_elements(const struct node *ours, const json_t *theirs)
{
	size_t elements = 0;

	for (const struct node *element = ours->first; element; element = element->next)
		same(element, json_array_get(theirs, elements++));
	assert_int_equal(elements, ours->length);
	assert_int_equal(elements, json_array_size(theirs));
}

static void same(const struct node *ours, const json_t *theirs)
{
	static const json_type types[NODE_KIND_COUNT] = {
		JSON_OBJECT, JSON_ARRAY, JSON_STRING, JSON_INTEGER, JSON_REAL, JSON_TRUE, JSON_FALSE, JSON_NULL};
	double number = json_number_value(theirs);

	if (ours->kind == NODE_OBJECT && json_is_object(theirs)) {
		same_members(ours, theirs);
	} else if (ours->kind == NODE_LIST && json_is_array(theirs)) {
		same_elements(ours, theirs);
	} else if (node_is_number(ours)) { /* up to 18 digits make an integer, more a real */
		assert_true(json_is_number(theirs));
		assert_true(node_number(ours) >= number && node_number(ours) <= number);
		assert_true(ours->kind != NODE_INTEGER || ours->integer == json_integer_value(theirs));
	} else {
		assert_int_equal(types[ours->kind], json_typeof(theirs));
	}
	if (ours->kind == NODE_TEXT) {
		assert_int_equal(ours->length, json_string_length(theirs));
		assert_string_equal(ours->text, json_string_value(theirs));
	}
}

/* Checks that both readers give the same verdict and the same tree. */
static void agree(const char *text, size_t length)
{
	json_t *theirs = json_loadb(text, length, JSON_DECODE_INT_AS_REAL, NULL);
	struct node *ours;
	enum status status;

	failure_clear(&failure);
	status = decode_parse(text, length, &arena, &ours, &failure);
	if ((status == STATUS_OK) != (theirs != NULL))
		print_error("verdicts differ on %.*s: %s\n", (int)length, text, failure.detail);
	assert_true((status == STATUS_OK) == (theirs != NULL));
	if (ours) {
		json_decref(theirs);
		theirs = json_loadb(text, length, 0, NULL);
		if (theirs) /* NULL: an integer beyond 64 bits */
			same(ours, theirs);
	} else {
		assert_int_equal(status, STATUS_MALFORMED);
		assert_contains(failure.detail, "not JSON: line ");
	}
	json_decref(theirs);
	arena_reset(&arena);
}

static void what_is_well_formed_reads_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(seeds); i++)
		agree(seeds[i], strlen(seeds[i]));
}

static void what_is_cut_short_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(seeds); i++) {
		for (size_t length = 0; length < strlen(seeds[i]); length++)
			agree(seeds[i], length);
	}
}

static void what_is_damaged_has_the_same_verdict(void **state)
{
	static const char bytes[] = "\"\\{}[]:,. \n\t0123456789eE+-nulltruefalsux/\x01\x7f\x80\xc2\xe4\xff";

	(void)state;
	for (size_t i = 0; i < COUNT_OF(seeds); i++) {
		size_t length = strlen(seeds[i]);

		for (size_t at = 0; at < length; at++) {
			for (size_t b = 0; b < sizeof bytes - 1; b++) {
				char text[256];

				assert_true(length < sizeof text);
				memcpy(text, seeds[i], length);
				text[at] = bytes[b];
				agree(text, length);
			}
		}
	}
}

/* jansson accepts a NUL after a number. Our reader must reject it. */
static void a_nul_byte_is_never_json(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(seeds); i++) {
		for (size_t at = 0; at < strlen(seeds[i]); at++) {
			char text[256];
			struct node *tree;

			memcpy(text, seeds[i], strlen(seeds[i]));
			text[at] = '\0';
			assert_int_equal(decode_parse(text, strlen(seeds[i]), &arena, &tree, &failure), STATUS_MALFORMED);
			arena_reset(&arena);
		}
	}
}

static void a_fault_says_where(void **state)
{
	struct node *tree;

	(void)state;
	failure_clear(&failure);
	assert_int_equal(decode_parse("{\"a\":1,\n\"b\":tru}", 16, &arena, &tree, &failure), STATUS_MALFORMED);
	assert_contains(failure.detail, "line 2, column 5: ");
	assert_null(tree);
}

static void duplicates_are_named_even_when_escaped(void **state)
{
	static const char text[] = "{\"a\":[{\"b/\":1,\"b\\u002f\":2}],\"\\u0061\":3}";
	struct node *tree;

	(void)state;
	failure_clear(&failure);
	assert_int_equal(decode_parse(text, sizeof text - 1, &arena, &tree, &failure), STATUS_OK);
	assert_int_equal(failure.fault_total, 2);
	assert_string_equal(failure.faults[0].pointer, "/a/0/b~1");
	assert_string_equal(failure.faults[1].pointer, "/a");
	arena_reset(&arena);
}

/* The reader sorts objects with many members to find duplicates, and compares the members of small ones. */
static void duplicates_are_found_among_many(void **state)
{
	struct node *tree;

	(void)state;
	for (int count = 3; count < 200; count++) {
		char text[4096];
		int length = snprintf(text, sizeof text, "{\"list\":[0,{\"twice\":\"before\"");

		for (int i = 0; i < count; i++)
			length += snprintf(text + length, sizeof text - (size_t)length, ",\"key%d\":%d", i, i);
		length += snprintf(text + length, sizeof text - (size_t)length, ",\"twice\":\"after\"}]}");
		failure_clear(&failure);
		assert_int_equal(decode_parse(text, (size_t)length, &arena, &tree, &failure), STATUS_OK);
		assert_int_equal(failure.fault_total, 1);
		assert_string_equal(failure.faults[0].pointer, "/list/1/twice");
		tree = tree->first->first->next;
		assert_int_equal(tree->length, count + 1);
		assert_string_equal(node_text(node_named(tree->first, "twice")), "after");
		arena_reset(&arena);
	}
}

static void a_number_alone_is_read_whole(void **state)
{
	(void)state;
	assert_int_equal(decode_parse_number("-42", &arena)->integer, -42);
	assert_close(decode_parse_number("2.5e1", &arena)->real, 25, 0);
	assert_int_equal(decode_parse_number("123456789012345678", &arena)->kind, NODE_INTEGER);
	assert_int_equal(decode_parse_number("1234567890123456789", &arena)->kind, NODE_REAL);
	assert_null(decode_parse_number("", &arena));
	assert_null(decode_parse_number("8b", &arena));
	assert_null(decode_parse_number("0x10", &arena));
	assert_null(decode_parse_number("1e999", &arena));
	arena_reset(&arena);
}

static void without_memory_it_says_so(void **state)
{
	struct arena small;
	struct node *tree;

	(void)state;
	arena_init(&small, 8);
	failure_clear(&failure);
	assert_int_equal(decode_parse("{\"a\":\"\\n12345678901234567890\"}", 30, &small, &tree, &failure), STATUS_NO_MEMORY);
	arena_release(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_well_formed_reads_the_same),
		cmocka_unit_test(what_is_cut_short_is_refused),
		cmocka_unit_test(what_is_damaged_has_the_same_verdict),
		cmocka_unit_test(a_nul_byte_is_never_json),
		cmocka_unit_test(a_fault_says_where),
		cmocka_unit_test(duplicates_are_named_even_when_escaped),
		cmocka_unit_test(duplicates_are_found_among_many),
		cmocka_unit_test(a_number_alone_is_read_whole),
		cmocka_unit_test(without_memory_it_says_so),
	};
	int result;

	arena_init(&arena, 1 << 20);
	result = cmocka_run_group_tests(tests, NULL, NULL);
	arena_release(&arena);
	return result;
}

#include <ctype.h>
#include <math.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "base/spelling.h"
#include "base/units.h"
#include "base/uuid.h"
#include "schema/decode.h"

/* --- numbers --------------------------------------------------------------------------------------------------- */
/* A smaller number is read as 0: the inverse of a tiny number would exceed the range of a double. */
static const double decode_least = 1e-30;

static void decode_range_fault(struct decoder *decoder, const struct field *row, const struct path *path, double number)
{
	char low[40], high[40], is[40];
	const char *unit = field_unit(row->key);

	json_format_double(low, row->minimum);
	json_format_double(high, row->maximum);
	json_format_double(is, number);
	decoder_fault(decoder, path, "out_of_range", "should be %s %s and at most %s%s%s, is %s", row->open_minimum ? "more than" : "at least",
		low, high, unit ? " " : "", unit ? unit : "", is);
}

static bool decode_in_range(struct decoder *decoder, const struct field *row, const struct path *path, double number)
{
	if (isfinite(number) && number <= row->maximum && (row->open_minimum ? number > row->minimum : number >= row->minimum))
		return true;
	decode_range_fault(decoder, row, path, number);
	return false;
}

/* Reads numbers as people write them: "15.6T", "18h". */
static bool decode_number_text(const struct field *row, const char *text, double *number)
{
	if (row->kind == FIELD_COUNT && units_parse_count(text, number))
		return true;
	return row->kind != FIELD_COUNT && field_time_s(row->key) > 0 && units_parse_time(text, field_time_s(row->key), number);
}

static const char *decode_number_wanted(const struct field *row)
{
	if (row->kind == FIELD_COUNT)
		return "a number, or text like \"15.6T\" (K, M, B or G, T, P, E)";
	if (field_time_s(row->key) > 3600)
		return "a number of days, or text like \"18h\", \"30d\", \"2w\"";
	if (field_time_s(row->key) > 60)
		return "a number of hours, or text like \"18h\", \"30d\", \"90m\", \"2w\"";
	if (field_time_s(row->key) > 0)
		return field_time_s(row->key) > 1 ? "a number of minutes, or text like \"90s\", \"5m\", \"2h\""
			: field_time_s(row->key) < 1  ? "a number of milliseconds, or text like \"500ms\", \"1s\""
										  : "a number of seconds, or text like \"500ms\", \"30s\", \"5m\"";
	return "a number";
}

void decode_number(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, double *out)
{
	const char *text = node_text(value);
	double number;

	if (text && row->number_word.word && strcmp(text, row->number_word.word) == 0) {
		*out = row->number_word.number;
		return;
	}
	if (node_is_number(value)) {
		number = node_number(value);
	} else if (!text || !decode_number_text(row, text, &number)) {
		if (text && (row->kind == FIELD_COUNT || field_time_s(row->key) > 0))
			decoder_fault(decoder, path, "bad_format", "should be %s; \"%.*s\" is neither", decode_number_wanted(row),
				(int)(strlen(text) > 40 ? decode_whole_characters(text, 40) : strlen(text)), text);
		else if (row->number_word.word)
			decoder_fault(decoder, path, "wrong_type", "should be %s, or \"%s\"", decode_number_wanted(row), row->number_word.word);
		else
			decode_wrong_type(decoder, path, decode_number_wanted(row), value);
		return;
	}
	if (fabs(number) < decode_least)
		number = 0; /* -0 too */
	if (decode_in_range(decoder, row, path, number))
		*out = number;
}

void decode_integer(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, int64_t *out)
{
	const char *text = node_text(value);
	double number;

	if (text && decode_number_text(row, text, &number)) {
		number = fabs(number - round(number)) < 1e-9 ? round(number) : number; /* 1.0000000000000002 is 1; "90s" in minutes is 1.5 */
	} else if (!node_is_number(value)) {
		decode_wrong_type(decoder, path, field_time_s(row->key) > 0 ? decode_number_wanted(row) : "a whole number", value);
		return;
	} else {
		number = node_number(value);
	}
	if (!decode_in_range(decoder, row, path, number))
		return;
	if (floor(number) < number)
		decoder_fault(decoder, path, "not_integer", "should be a whole number, is %.15g", number);
	else
		*out = value->kind == NODE_INTEGER ? value->integer : (int64_t)number;
}

void decode_boolean(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, void *out)
{
	bool truth = value->kind == NODE_TRUE;

	if (!truth && value->kind != NODE_FALSE)
		decode_wrong_type(decoder, path, "true or false", value);
	else if (row->kind == FIELD_BOOL)
		*(bool *)out = truth;
	else
		*(enum truth *)out = truth ? TRUTH_TRUE : TRUTH_FALSE;
}

/* --- text ------------------------------------------------------------------------------------------------------ */
static bool decode_form_fits(enum text_form form, const char *text, size_t length)
{
	char date[16];
	int64_t wall_us;

	switch (form) {
	case FORM_FREE:
		return true;
	case FORM_SLUG:
		return isalnum((unsigned char)text[0]) &&
			strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") == length;
	case FORM_UUID:
		return length == UUID_TEXT_SIZE - 1 && uuid_valid(text);
	case FORM_DATE:
		return length == 10 && clock_parse(text, &wall_us);
	case FORM_MONTH:
		snprintf(date, sizeof date, "%s-01", text);
		return length == 7 && clock_parse(date, &wall_us);
	case FORM_MOMENT:
		return clock_parse(text, &wall_us);
	case FORM_COUNT:
		break;
	}
	return false;
}

static const char *const decode_forms[FORM_COUNT] = {[FORM_FREE] = "text",
	[FORM_SLUG] = "an id: letters, digits and . _ : -, beginning with a letter or digit",
	[FORM_UUID] = "a UUID in lower case",
	[FORM_DATE] = "a date like 2026-11-21",
	[FORM_MONTH] = "a year and month like 2026-11",
	[FORM_MOMENT] = "an RFC 3339 time like 2026-11-21T01:44:21Z, or a date"};

static bool decode_has_control(const char *text, size_t length, bool multiline)
{
	for (size_t i = json_plain_length(text, length, false); i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < 0x20 || c == 0x7f) && !(multiline && (c == '\n' || c == '\t' || c == '\r')))
			return true;
	}
	return false;
}

/* Reports an unknown word. Lists all words if there are at most 14, else the nearest ones. */
static void decode_word_fault(struct decoder *decoder, const struct field *row, const struct path *path, const char *text)
{
	struct spelling spelling;
	char words[300] = "";
	size_t length = 0;

	if (decoder_is_full(decoder)) {
		decoder_fault(decoder, path, "bad_choice", "is not a known value");
		return;
	}
	spelling_init(&spelling, text);
	for (size_t i = 0; i < row->word_count; i++) {
		if (row->words[i])
			spelling_offer(&spelling, row->words[i]);
	}
	if (row->word_count > 14) {
		spelling_list(&spelling, words, sizeof words);
		decoder_fault(
			decoder, path, "bad_choice", "is not a known value; %s%s", words[0] ? "did you mean " : "/docs lists the values", words);
		return;
	}
	for (size_t i = 0; i < row->word_count && length < sizeof words; i++) {
		if (row->words[i])
			length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", length ? ", " : "", row->words[i]);
	}
	if (spelling.count > 0)
		decoder_fault(decoder, path, "bad_choice", "should be one of %s; did you mean %s?", words, spelling.nearest[0]);
	else
		decoder_fault(decoder, path, "bad_choice", "should be one of %s", words);
}

static bool decode_word_known(const struct field *row, const char *text, size_t *index)
{
	for (*index = 0; *index < row->word_count; (*index)++) {
		if (row->words[*index] && strcmp(row->words[*index], text) == 0)
			return true;
	}
	return false;
}

bool decode_check_text(struct decoder *decoder, const struct field *row, const struct path *path, const char *text, size_t length)
{
	double longest = row->kind == FIELD_TEXTS ? row->item_maximum : row->maximum;
	size_t index;

	if (length == 0 && (!(row->flags & VERBATIM) || row->flags & REQUIRED)) {
		decoder_fault(decoder, path, "empty", "should not be empty; leave it out instead");
		return false;
	}
	if ((double)length > longest) {
		decoder_fault(decoder, path, "too_long", "should have at most %.0f bytes, has %zu", longest, length);
		return false;
	}
	if (!(row->flags & VERBATIM) && decode_has_control(text, length, row->flags & MULTILINE)) {
		decoder_fault(decoder, path, "control_character", "should have no control characters");
		return false;
	}
	if (row->words && !decode_word_known(row, text, &index)) {
		decode_word_fault(decoder, row, path, text);
		return false;
	}
	CHECK(row->form < FORM_COUNT);
	if (!decode_form_fits(row->form, text, length)) {
		decoder_fault(decoder, path, "bad_format", "should be %s", decode_forms[row->form]);
		return false;
	}
	return true;
}

bool field_text_fits(const struct field_table *table, const char *key, const char *text)
{
	void *nowhere = NULL;
	const struct field *row = field_find(table, key, &nowhere);
	size_t length = strlen(text);

	CHECK(row && row->kind == FIELD_TEXT);
	return length > 0 && (double)length <= row->maximum && !decode_has_control(text, length, row->flags & MULTILINE) &&
		decode_form_fits(row->form, text, length);
}

void decode_text(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, const char **out)
{
	const char *text = node_text(value);

	if (!text)
		decode_wrong_type(decoder, path, "text", value);
	else if (decode_check_text(decoder, row, path, text, value->length))
		*out = text;
}

void decode_time(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, int64_t *out)
{
	const char *text = node_text(value);

	(void)row;
	if (!text)
		decode_wrong_type(decoder, path, "text", value);
	else if (!clock_parse(text, out))
		decoder_fault(decoder, path, "bad_format", "should be %s", decode_forms[FORM_MOMENT]);
}

void decode_choice(struct decoder *decoder, const struct field *row, const struct path *path, const struct node *value, unsigned *out)
{
	const char *text = node_text(value);
	size_t index;

	if (!text)
		decode_wrong_type(decoder, path, "text", value);
	else if (decode_word_known(row, text, &index))
		*out = (unsigned)index;
	else
		decode_word_fault(decoder, row, path, text);
}

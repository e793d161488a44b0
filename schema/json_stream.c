#include "schema/json_stream.h"

#include <math.h>

#include "base/json_text.h"
#include "base/utf8.h"

_Static_assert(JSON_DEPTH_MAX <= 32, "one bit for each level");

/* The element of the grammar that comes next, or the one being read. */
enum stream_state {
	STATE_VALUE,       /* a value */
	STATE_FIRST_VALUE, /* a value, or the end of the list */
	STATE_FIRST_KEY,   /* a key, or the end of the object */
	STATE_KEY,
	STATE_COLON,
	STATE_AFTER, /* a comma, or the end of the object or list */
	STATE_DONE,
	STATE_STRING,
	STATE_ESCAPE,
	STATE_UNICODE,
	STATE_NUMBER,
	STATE_WORD
};

/* The piece being read, and the position in it. */
struct piece {
	const char *begin, *at, *end;
	struct failure *failure;
};

void json_stream_init(struct json_stream *stream, json_stream_function *function, void *context)
{
	*stream = (struct json_stream){.function = function, .context = context, .state = STATE_VALUE, .line = 1, .column = 1};
}

static enum status stream_malformed(const struct json_stream *stream, struct failure *failure, const char *problem)
{
	return failure_set(failure, STATUS_MALFORMED, "not JSON: line %zu, column %zu: %s", stream->line, stream->column, problem);
}

static bool stream_in_object(const struct json_stream *stream)
{
	return stream->depth > 0 && (stream->objects >> (stream->depth - 1) & 1);
}

static enum status stream_report(struct json_stream *stream, const struct piece *piece, enum json_token token)
{
	stream->at = (size_t)(piece->at - piece->begin);
	return stream->function(stream->context, stream, token, piece->failure);
}

/* Moves past one byte of the piece. */
static void stream_advance(struct json_stream *stream, struct piece *piece)
{
	stream->column = *piece->at == '\n' ? 1 : stream->column + 1;
	stream->line += *piece->at == '\n';
	piece->at++;
}

static void stream_after_value(struct json_stream *stream)
{
	stream->state = stream->depth == 0 ? STATE_DONE : STATE_AFTER;
}

/* --- strings ------------------------------------------------------------------------------------------------------- */

static void stream_append(struct json_stream *stream, const char *bytes, size_t length)
{
	size_t room = JSON_STREAM_TEXT_MAX - stream->length, kept = length < room ? length : room;

	memcpy(stream->text + stream->length, bytes, kept);
	stream->length += kept;
	stream->cut |= kept < length;
}

static enum status stream_string(struct json_stream *stream, struct piece *piece)
{
	size_t plain = json_plain_length(piece->at, (size_t)(piece->end - piece->at), false);
	enum status status;

	if (plain > 0) {
		stream_append(stream, piece->at, plain);
		stream->column += plain;
		piece->at += plain;
		return STATUS_OK;
	}
	if (*piece->at == '\\') {
		stream->state = STATE_ESCAPE;
	} else if (*piece->at == '"') {
		stream->text[stream->length] = '\0';
		status = stream_report(stream, piece, stream->is_key ? TOKEN_KEY : TOKEN_TEXT);
		if (status != STATUS_OK)
			return status;
		if (stream->is_key)
			stream->state = STATE_COLON;
		else
			stream_after_value(stream);
	} else if (*piece->at == 0x7f) {
		stream_append(stream, piece->at, 1);
	} else {
		return stream_malformed(stream, piece->failure, "a control byte in a string");
	}
	stream_advance(stream, piece);
	return STATUS_OK;
}

static enum status stream_escape(struct json_stream *stream, struct piece *piece)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *found = *piece->at ? strchr(escapes, *piece->at) : NULL;

	if (*piece->at == 'u') {
		stream->state = STATE_UNICODE;
		stream->unit = stream->unit_digits = 0;
	} else if (found) {
		stream_append(stream, &meanings[found - escapes], 1);
		stream->state = STATE_STRING;
	} else {
		return stream_malformed(stream, piece->failure, "JSON does not have this escape");
	}
	stream_advance(stream, piece);
	return STATUS_OK;
}

/* Reads a digit of \u. Stores each half of a surrogate pair as U+FFFD: callers do not compare such texts. */
static enum status stream_unicode(struct json_stream *stream, struct piece *piece)
{
	char c = *piece->at, lower = (char)(c | 0x20), encoded[4];

	if (c >= '0' && c <= '9')
		stream->unit = stream->unit << 4 | (uint32_t)(c - '0');
	else if (lower >= 'a' && lower <= 'f')
		stream->unit = stream->unit << 4 | (uint32_t)(lower - 'a' + 10);
	else
		return stream_malformed(stream, piece->failure, "four hexadecimal digits must follow \\u");
	stream_advance(stream, piece);
	if (++stream->unit_digits < 4)
		return STATUS_OK;
	if (stream->unit == 0 || (stream->unit >= 0xd800 && stream->unit <= 0xdfff))
		stream->unit = 0xfffd;
	stream_append(stream, encoded, utf8_encode(encoded, stream->unit));
	stream->state = STATE_STRING;
	return STATUS_OK;
}

/* --- numbers and words --------------------------------------------------------------------------------------------- */

static const char *number_digits(const char *text)
{
	while (*text >= '0' && *text <= '9')
		text++;
	return text;
}

/* The problem of a number that violates the grammar; NULL: none. */
static const char *number_problem(const char *text)
{
	const char *first = text + (*text == '-'), *end = number_digits(first);

	if (end == first)
		return "a JSON value is expected; NaN and Infinity are not JSON";
	if (*first == '0' && end - first > 1)
		return "a number must not have leading zeros";
	if (*end == '.') {
		first = end + 1;
		end = number_digits(first);
		if (end == first)
			return "digits must follow the point of a number";
	}
	if (*end == 'e' || *end == 'E') {
		first = end + 1 + (end[1] == '+' || end[1] == '-');
		end = number_digits(first);
		if (end == first)
			return "digits must follow the e of a number";
	}
	return *end ? "a JSON value is expected; NaN and Infinity are not JSON" : NULL;
}

/* Reads a number of up to 15 digits, with or without a point. Mantissa and power of ten are exact doubles, so their
 * quotient is correctly rounded. False: the number has more digits or an exponent. */
static bool number_is_short(const char *text, double *number)
{
	static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	bool negative = *text == '-', fraction = false;
	size_t digits = 0, places = 0;
	int64_t mantissa = 0;

	for (text += negative; *text; text++) {
		if (*text == '.') {
			fraction = true;
			continue;
		}
		if (*text < '0' || *text > '9' || ++digits > 15)
			return false;
		mantissa = mantissa * 10 + (*text - '0');
		places += fraction;
	}
	*number = (double)(negative ? -mantissa : mantissa) / powers[places];
	return true;
}

/* Reads a number. The first byte that cannot be part of it ends it and is not consumed. */
static enum status stream_number(struct json_stream *stream, struct piece *piece)
{
	const char *problem;

	while (piece->at < piece->end && *piece->at && strchr("0123456789+-.eE", *piece->at)) {
		if (stream->length == JSON_STREAM_NUMBER_MAX)
			return stream_malformed(stream, piece->failure, "a number of more than 64 characters");
		stream->text[stream->length++] = *piece->at;
		stream_advance(stream, piece);
	}
	if (piece->at == piece->end)
		return STATUS_OK;
	stream->text[stream->length] = '\0';
	problem = number_problem(stream->text);
	if (problem)
		return stream_malformed(stream, piece->failure, problem);
	if (!number_is_short(stream->text, &stream->number))
		stream->number = strtod(stream->text, NULL);
	if (!isfinite(stream->number))
		return stream_malformed(stream, piece->failure, "a number above 1.8e308");
	stream_after_value(stream);
	return stream_report(stream, piece, TOKEN_NUMBER);
}

static enum status stream_word(struct json_stream *stream, struct piece *piece)
{
	if (*piece->at != stream->word[stream->length])
		return stream_malformed(stream, piece->failure, "a JSON value is expected; NaN and Infinity are not JSON");
	stream_advance(stream, piece);
	stream->length++;
	if (stream->word[stream->length])
		return STATUS_OK;
	stream_after_value(stream);
	return stream_report(stream, piece, stream->word[0] == 't' ? TOKEN_TRUE : stream->word[0] == 'f' ? TOKEN_FALSE : TOKEN_NULL);
}

/* --- structure ------------------------------------------------------------------------------------------------------ */

static void stream_begin_string(struct json_stream *stream, struct piece *piece, bool is_key)
{
	stream->is_key = is_key;
	stream->length = 0;
	stream->cut = false;
	stream->state = STATE_STRING;
	stream_advance(stream, piece);
}

static enum status stream_open(struct json_stream *stream, struct piece *piece, bool object)
{
	enum status status;

	if (stream->depth == JSON_DEPTH_MAX)
		return failure_set(piece->failure, STATUS_MALFORMED, "nested deeper than %d levels", JSON_DEPTH_MAX);
	stream->objects = (stream->objects & ~(1U << stream->depth)) | (uint32_t)object << stream->depth;
	stream->depth++;
	stream->state = object ? STATE_FIRST_KEY : STATE_FIRST_VALUE;
	status = stream_report(stream, piece, object ? TOKEN_BEGIN_OBJECT : TOKEN_BEGIN_ARRAY);
	stream_advance(stream, piece);
	return status;
}

static enum status stream_close(struct json_stream *stream, struct piece *piece)
{
	bool object = *piece->at == '}';
	enum status status;

	if (object != stream_in_object(stream))
		return stream_malformed(stream, piece->failure, object ? "a list must end with ]" : "an object must end with }");
	status = stream_report(stream, piece, object ? TOKEN_END_OBJECT : TOKEN_END_ARRAY);
	stream->depth--;
	stream_after_value(stream);
	stream_advance(stream, piece);
	return status;
}

static enum status stream_value(struct json_stream *stream, struct piece *piece)
{
	static const char *const words[] = {"true", "false", "null"};
	char c = *piece->at;

	if (c == '"') {
		stream_begin_string(stream, piece, false);
		return STATUS_OK;
	}
	if (c == '{' || c == '[')
		return stream_open(stream, piece, c == '{');
	if (c == ']' && stream->state == STATE_FIRST_VALUE)
		return stream_close(stream, piece);
	stream->length = 0;
	stream->word = NULL;
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (c == words[i][0])
			stream->word = words[i];
	stream->state = stream->word ? STATE_WORD : STATE_NUMBER;
	return STATUS_OK;
}

static enum status stream_between(struct json_stream *stream, struct piece *piece)
{
	char c = *piece->at;

	switch ((enum stream_state)stream->state) {
	case STATE_VALUE:
	case STATE_FIRST_VALUE:
		return stream_value(stream, piece);
	case STATE_FIRST_KEY:
	case STATE_KEY:
		if (c == '}' && stream->state == STATE_FIRST_KEY)
			return stream_close(stream, piece);
		if (c != '"')
			return stream_malformed(stream, piece->failure, "a member must begin with its key in quotes");
		stream_begin_string(stream, piece, true);
		return STATUS_OK;
	case STATE_COLON:
		if (c != ':')
			return stream_malformed(stream, piece->failure, "a colon must follow a key");
		stream->state = STATE_VALUE;
		break;
	case STATE_AFTER:
		if (c == '}' || c == ']')
			return stream_close(stream, piece);
		if (c != ',')
			return stream_malformed(stream, piece->failure, "a comma, or the end of the object or list, must follow a value");
		stream->state = stream_in_object(stream) ? STATE_KEY : STATE_VALUE;
		break;
	case STATE_DONE:
		return stream_malformed(stream, piece->failure, "text follows the end of the value");
	case STATE_STRING:
	case STATE_ESCAPE:
	case STATE_UNICODE:
	case STATE_NUMBER:
	case STATE_WORD:
		CHECK(false);
	}
	stream_advance(stream, piece);
	return STATUS_OK;
}

static bool stream_is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

enum status json_stream_feed(struct json_stream *stream, const char *bytes, size_t length, struct failure *failure)
{
	struct piece piece = {bytes, bytes, bytes + length, failure};
	enum status status = STATUS_OK;

	while (piece.at < piece.end && status == STATUS_OK) {
		if (stream->state == STATE_STRING)
			status = stream_string(stream, &piece);
		else if (stream->state == STATE_ESCAPE)
			status = stream_escape(stream, &piece);
		else if (stream->state == STATE_UNICODE)
			status = stream_unicode(stream, &piece);
		else if (stream->state == STATE_NUMBER)
			status = stream_number(stream, &piece);
		else if (stream->state == STATE_WORD)
			status = stream_word(stream, &piece);
		else if (stream_is_space(*piece.at))
			stream_advance(stream, &piece);
		else
			status = stream_between(stream, &piece);
	}
	return status;
}

enum status json_stream_end(struct json_stream *stream, struct failure *failure)
{
	enum status status = STATUS_OK;

	if (stream->state == STATE_NUMBER && stream->depth == 0)
		status = json_stream_feed(stream, " ", 1, failure);
	if (status == STATUS_OK && stream->state != STATE_DONE)
		status = stream_malformed(stream, failure, "the text ends before the value is complete");
	return status;
}

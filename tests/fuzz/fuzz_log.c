/* Any bytes as the fields of a log line. Each written line is one JSON object with the given members, whatever the
 * texts contain. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "fuzz/input.h"

enum { FIELDS_MAX = 8, WRITTEN_MAX = 256 * 1024 };

static int log_into(void)
{
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("log", MFD_CLOEXEC);
		CHECK(fd >= 0);
		log_set_file(fd);
	}
	CHECK(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	return fd;
}

static void check_line(const char *line, size_t length, const struct log_field *fields, size_t count)
{
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);

	CHECK(object && json_is_object(object) && json_object_size(object) == count + 3);
	for (size_t i = 0; i < count; i++) {
		const json_t *value = json_object_get(object, fields[i].key);

		CHECK(value);
		if (fields[i].kind == LOG_KIND_INTEGER)
			CHECK(json_is_real(value) && fabs(json_real_value(value) - (double)fields[i].integer) <= 0);
		else if (fields[i].kind == LOG_KIND_TEXT)
			CHECK(fields[i].text ? json_is_string(value) : json_is_null(value));
		else
			CHECK(isfinite(fields[i].number) ? json_is_number(value) : json_is_null(value));
	}
	json_decref(object);
}

/* One byte chooses level and way. Each field has a byte for its kind, and a text up to a NUL or eight bytes. */
void fuzz_one(struct input *input)
{
	static const char *const keys[FIELDS_MAX] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	static char written[WRITTEN_MAX];
	struct log_field fields[FIELDS_MAX];
	unsigned how = input_byte(input);
	enum log_level level = (enum log_level)(how & 3);
	uint64_t dropped = log_dropped_lines(), bits;
	int fd = log_into();
	size_t count = 0;
	ssize_t length;
	bool whole = true;

	while (input->left > 0 && count < FIELDS_MAX) {
		struct log_field *field = &fields[count];

		switch (input_byte(input) % 4) {
		case 0:
			bits = input_bits(input);
			*field = LOG_INTEGER(keys[count], bits);
			break;
		case 1:
			bits = input_bits(input);
			*field = LOG_DOUBLE(keys[count], 0);
			memcpy(&field->number, &bits, sizeof field->number);
			break;
		case 2:
			*field = LOG_TEXT(keys[count], NULL);
			break;
		default:
			*field = LOG_TEXT(keys[count], input_until(input, '\0', NULL));
			break;
		}
		count++;
	}
	log_set_level(how & 4 ? LOG_WARNING : LOG_DEBUG);
	if (how & 8)
		(void)log_start();
	log_write(level, "fuzzed", fields, count);
	if (how & 8)
		whole = log_stop(5000);
	CHECK(whole);
	length = pread(fd, written, sizeof written, 0);
	CHECK(length >= 0);
	if ((how & 4) && level < LOG_WARNING)
		CHECK(length == 0);
	else
		CHECK(length > 0 && written[length - 1] == '\n' && !memchr(written, '\n', (size_t)length - 1));
	CHECK(log_dropped_lines() == dropped);
	if (length > 0)
		check_line(written, (size_t)length - 1, fields, count);
}

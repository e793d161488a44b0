#include "base/log.h"

#include <math.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_writer.h"

enum { LOG_LINE_MAX = 16 * 1024 };

static _Atomic int log_least = LOG_INFO;
static _Atomic int log_fd = 2;

void log_set_level(enum log_level level)
{
	atomic_store(&log_least, (int)level);
}

void log_set_file(int fd)
{
	atomic_store(&log_fd, fd);
}

static void log_write_field(struct json_writer *writer, const struct log_field *field)
{
	json_key(writer, field->key);
	switch (field->kind) {
	case LOG_KIND_TEXT:
		json_string(writer, field->text);
		break;
	case LOG_KIND_INTEGER:
		json_integer(writer, field->integer);
		break;
	case LOG_KIND_DOUBLE:
		if (isfinite(field->number))
			json_double(writer, field->number);
		else
			json_null(writer);
		break;
	}
}

void log_write(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
	static const char *const names[LOG_LEVEL_COUNT] = {"debug", "info", "warning", "error"};
	char now[CLOCK_TEXT_MAX];
	struct buffer line;
	struct json_writer writer;

	if ((int)level < atomic_load(&log_least))
		return;
	buffer_init(&line, LOG_LINE_MAX);
	json_writer_init(&writer, &line);
	clock_format(now, clock_wall_us());
	json_begin_object(&writer);
	json_key(&writer, "time");
	json_string(&writer, now);
	json_key(&writer, "level");
	json_string(&writer, names[level]);
	json_key(&writer, "event");
	json_string(&writer, event);
	for (size_t i = 0; i < count; i++)
		log_write_field(&writer, &fields[i]);
	json_end_object(&writer);
	buffer_append_char(&line, '\n');
	if (!line.failed && write(atomic_load(&log_fd), line.bytes, line.length) < 0) {
		/* Nowhere left to complain to. */
	}
	buffer_release(&line);
}

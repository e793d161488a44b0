/* One JSON line an event, to stderr, each written with a single write(2) so that threads never interleave.
 *
 * Every line has time, level and event; fields follow. Secrets never go here. Thread-safe. */
#ifndef FLEETPLAN_BASE_LOG_H
#define FLEETPLAN_BASE_LOG_H

#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR, LOG_LEVEL_COUNT };

enum log_kind { LOG_KIND_TEXT, LOG_KIND_INTEGER, LOG_KIND_DOUBLE };

struct log_field {
	const char *key;
	enum log_kind kind;
	const char *text; /* NULL is written as null */
	int64_t integer;
	double number;
};

#define LOG_TEXT(key_, value) ((struct log_field){.key = (key_), .kind = LOG_KIND_TEXT, .text = (value)})
#define LOG_INTEGER(key_, value) ((struct log_field){.key = (key_), .kind = LOG_KIND_INTEGER, .integer = (int64_t)(value)})
#define LOG_DOUBLE(key_, value) ((struct log_field){.key = (key_), .kind = LOG_KIND_DOUBLE, .number = (value)})

/* log_event(LOG_INFO, "started", LOG_TEXT("listen", address), LOG_INTEGER("port", port)) */
#define log_event(level, event, ...) \
	log_write((level), (event), (const struct log_field[]){__VA_ARGS__}, \
		sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))

void log_write(enum log_level level, const char *event, const struct log_field *fields, size_t count);

void log_set_level(enum log_level level); /* the least level written; LOG_INFO at start */
void log_set_file(int fd);                /* 2 at start */

#endif

/* One JSON line an event, to stderr.
 *
 * Every line has time, level and event; fields follow. A text is cut after 2 KB, and bytes of it that are no UTF-8 become "?". Secrets never go
 * here. Thread-safe.
 * A line is written with a single write(2) until log_start(). From then on it goes into a ring of LOG_RING_BYTES, which a thread of the log's own
 * writes: a reader that stopped reading delays no caller. Lines that find no room are dropped and counted; the next that finds room is preceded by
 * the event "log_dropped" with their number. */
#ifndef FLEETPLAN_BASE_LOG_H
#define FLEETPLAN_BASE_LOG_H

#include <stdbool.h>
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

enum { LOG_RING_BYTES = 1024 * 1024 };

bool log_start(void); /* false: no thread could be made; lines are written at once, as before */

/* Waits at most `wait_ms` until all lines are written. True when they are: then lines are written at once again; else they are dropped from then on. */
bool log_stop(unsigned wait_ms);

uint64_t log_dropped_lines(void); /* since the start, also those that a write failed to write */

void log_set_level(enum log_level level); /* the least level written; LOG_INFO at start */
void log_set_file(int fd);                /* 2 at start */

#endif

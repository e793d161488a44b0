/* Log: writes one JSON line per event, to stderr by default.
 *
 * Each line has the time, the level and the event; fields follow. A text is cut after 2 KB, and its bytes that are
 * not UTF-8 become "?". Do not log secrets. Thread-safe.
 * Before log_start() each line is one write(2). After it, lines go into a ring of LOG_RING_BYTES, and the log's
 * thread writes them: a reader that stops reading does not delay a caller. When the ring is full, lines are dropped
 * and counted. The event "log_dropped" with their number precedes the next line that fits. */
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

#define LOG_TEXT(key_, value)    ((struct log_field){.key = (key_), .kind = LOG_KIND_TEXT, .text = (value)})
#define LOG_INTEGER(key_, value) ((struct log_field){.key = (key_), .kind = LOG_KIND_INTEGER, .integer = (int64_t)(value)})
#define LOG_DOUBLE(key_, value)  ((struct log_field){.key = (key_), .kind = LOG_KIND_DOUBLE, .number = (value)})

/* log_event(LOG_INFO, "started", LOG_TEXT("listen", address), LOG_INTEGER("port", port)) */
#define log_event(level, event, ...) \
	log_write((level), (event), (const struct log_field[]){__VA_ARGS__}, \
		sizeof((const struct log_field[]){__VA_ARGS__}) / sizeof(struct log_field))

void log_write(enum log_level level, const char *event, const struct log_field *fields, size_t count);

enum { LOG_RING_BYTES = 1024 * 1024 };

bool log_start(void); /* false: the thread cannot be started; callers write their lines as before */

/* Waits at most `wait_ms` until all lines are written. True: they are, and callers write their lines themselves
 * again. False: later lines are dropped. */
bool log_stop(unsigned wait_ms);

uint64_t log_dropped_lines(void); /* since the start; includes lines that write(2) failed to write */

void log_set_level(enum log_level level); /* lines below this level are not written; LOG_INFO at start */
void log_set_file(int fd);                /* stderr (2) at start */

#endif

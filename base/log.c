#include "base/log.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_writer.h"
#include "base/utf8.h"

/* A line with sixteen texts of LOG_TEXT_MAX bytes fits even if each byte is a six-byte escape. */
enum { LOG_LINE_MAX = 256 * 1024, LOG_TEXT_MAX = 2048 };

/* LOG_WRITE_MAX: bytes of one write, so that a slow file frees room in the ring step by step. */
enum { LOG_WRITE_MAX = 64 * 1024, DROPPED_ROOM_BYTES = 256 };

enum log_way { LOG_DIRECT, LOG_RING, LOG_CLOSED };

static _Atomic int log_least = LOG_INFO;
static _Atomic int log_fd = 2;
static _Atomic uint64_t log_dropped;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled, emptied;
	pthread_t writer;
	enum log_way way;
	bool stopping;
	uint64_t unsaid;      /* dropped lines that no "log_dropped" event has reported yet */
	size_t begin, length; /* of the bytes that are not written yet; they wrap around */
	char bytes[LOG_RING_BYTES];
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER, .emptied = PTHREAD_COND_INITIALIZER};

uint64_t log_dropped_lines(void)
{
	return atomic_load(&log_dropped);
}

void log_set_level(enum log_level level)
{
	atomic_store(&log_least, (int)level);
}

void log_set_file(int fd)
{
	atomic_store(&log_fd, fd);
}

/* Writes a text of any bytes and any length, such as a client's header: cuts it after LOG_TEXT_MAX bytes and replaces
 * bytes that are not UTF-8, so that the line is valid JSON. */
static void write_text(struct json_writer *writer, const char *text)
{
	static const char more[] = "...";
	char clean[LOG_TEXT_MAX];
	size_t length = text ? strlen(text) : 0, at = 0;

	if (!text || (length < sizeof clean && utf8_valid(text, length))) {
		json_string(writer, text);
		return;
	}
	for (size_t used; at < length && at < sizeof clean - UTF8_CHARACTER_MAX - sizeof more; at += used) {
		used = utf8_character_length(text + at, length - at);
		memcpy(clean + at, text + at, used);
		if (used == 0) {
			clean[at] = '?';
			used = 1;
		}
	}
	memcpy(clean + at, at < length ? more : "", at < length ? sizeof more : 1);
	json_string(writer, clean);
}

static void log_write_field(struct json_writer *writer, const struct log_field *field)
{
	json_key(writer, field->key);
	switch (field->kind) {
	case LOG_KIND_TEXT:
		write_text(writer, field->text);
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

static void line_format(struct buffer *line, enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
	static const char *const names[LOG_LEVEL_COUNT] = {"debug", "info", "warning", "error"};
	char now[CLOCK_TEXT_MAX];
	struct json_writer writer;

	json_writer_init(&writer, line);
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
	buffer_append_char(line, '\n');
}

/* The caller holds the lock. False: the ring has too little room. */
static bool ring_put(const char *bytes, size_t length)
{
	size_t at = (ring.begin + ring.length) % LOG_RING_BYTES, first = length < LOG_RING_BYTES - at ? length : LOG_RING_BYTES - at;

	if (length > LOG_RING_BYTES - ring.length)
		return false;
	memcpy(ring.bytes + at, bytes, first);
	memcpy(ring.bytes, bytes + first, length - first);
	ring.length += length;
	pthread_cond_signal(&ring.filled);
	return true;
}

/* Puts a "log_dropped" event into the ring if lines were dropped. False: it has no room. The caller holds the lock. */
static bool ring_put_dropped(void)
{
	struct buffer line;
	bool reported;

	if (ring.unsaid == 0)
		return true;
	if (LOG_RING_BYTES - ring.length < DROPPED_ROOM_BYTES)
		return false; /* do not format a line that does not fit */
	buffer_init(&line, LOG_LINE_MAX);
	line_format(&line, LOG_WARNING, "log_dropped", &LOG_INTEGER("lines", ring.unsaid), 1);
	reported = !line.failed && ring_put(line.bytes, line.length);
	if (reported)
		ring.unsaid = 0;
	buffer_release(&line);
	return reported;
}

static void lines_drop(uint64_t count)
{
	ring.unsaid += count;
	atomic_fetch_add(&log_dropped, count);
}

/* Writes all bytes, and waits while the pipe is full. False when write(2) fails. */
static bool write_whole(const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(atomic_load(&log_fd), bytes, length);

		if (written >= 0) {
			bytes += written;
			length -= (size_t)written;
		} else if (errno == EAGAIN) {
			(void)poll(&(struct pollfd){.fd = atomic_load(&log_fd), .events = POLLOUT}, 1, -1);
		} else if (errno != EINTR) {
			return false;
		}
	}
	return true;
}

static uint64_t lines_in(const char *bytes, size_t length)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < length; i++)
		lines += bytes[i] == '\n';
	return lines;
}

static void *ring_write(void *nothing)
{
	(void)nothing;
	pthread_mutex_lock(&ring.lock);
	for (;;) {
		const char *bytes = ring.bytes + ring.begin;
		size_t length = ring.length;
		bool written;

		if (length == 0) {
			pthread_cond_broadcast(&ring.emptied);
			if (ring.stopping)
				break;
			pthread_cond_wait(&ring.filled, &ring.lock);
			continue;
		}
		length = length < LOG_RING_BYTES - ring.begin ? length : LOG_RING_BYTES - ring.begin;
		length = length < LOG_WRITE_MAX ? length : LOG_WRITE_MAX;
		pthread_mutex_unlock(&ring.lock); /* ring.length still counts these bytes: ring_put() does not overwrite them */
		written = write_whole(bytes, length);
		pthread_mutex_lock(&ring.lock);
		if (!written)
			lines_drop(lines_in(bytes, length));
		ring.begin = (ring.begin + length) % LOG_RING_BYTES;
		ring.length -= length;
	}
	pthread_mutex_unlock(&ring.lock);
	return NULL;
}

bool log_start(void)
{
	pthread_mutex_lock(&ring.lock);
	ring.stopping = false;
	if (ring.way == LOG_DIRECT && pthread_create(&ring.writer, NULL, ring_write, NULL) == 0)
		ring.way = LOG_RING;
	pthread_mutex_unlock(&ring.lock);
	return ring.way == LOG_RING;
}

bool log_stop(unsigned wait_ms)
{
	int64_t until_ns = clock_monotonic_ns() + wait_ms * INT64_C(1000000);
	const struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
	bool whole;

	while (pthread_mutex_trylock(&ring.lock) != 0) { /* this thread may hold it: after a CHECK in the log failed */
		if (clock_monotonic_ns() >= until_ns)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	if (ring.way != LOG_RING) {
		whole = ring.way == LOG_DIRECT;
		pthread_mutex_unlock(&ring.lock);
		return whole;
	}
	(void)ring_put_dropped();
	ring.stopping = true;
	pthread_cond_signal(&ring.filled);
	while (ring.length > 0 && pthread_cond_clockwait(&ring.emptied, &ring.lock, CLOCK_MONOTONIC, &until) == 0)
		;
	whole = ring.length == 0;
	ring.way = whole ? LOG_DIRECT : LOG_CLOSED;
	pthread_mutex_unlock(&ring.lock);
	if (whole)
		pthread_join(ring.writer, NULL);
	else
		pthread_detach(ring.writer); /* the thread waits for a reader and ends with the process */
	return whole;
}

void log_write(enum log_level level, const char *event, const struct log_field *fields, size_t count)
{
	struct buffer line;

	if ((int)level < atomic_load(&log_least))
		return;
	buffer_init(&line, LOG_LINE_MAX);
	line_format(&line, level, event, fields, count);
	pthread_mutex_lock(&ring.lock);
	if (ring.way == LOG_DIRECT && !line.failed)
		(void)!write(atomic_load(&log_fd), line.bytes, line.length); /* there is no other place for an error */
	else if (line.failed || ring.way == LOG_CLOSED || !ring_put_dropped() || !ring_put(line.bytes, line.length))
		lines_drop(1);
	pthread_mutex_unlock(&ring.lock);
	buffer_release(&line);
}

/* The log: a caller never waits for the reader; the log counts the lines that it drops and reports the count. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/status.h"
#include "support/assert.h"

enum { LINES = 20000, READ_MAX = 8 * 1024 * 1024, ENOUGH_MS = 20000 };

struct reading {
	int fd;
	size_t length;
	char text[READ_MAX];
};
static struct reading reading;

static void *read_all(void *nothing)
{
	ssize_t got;

	(void)nothing;
	while ((got = read(reading.fd, reading.text + reading.length, READ_MAX - 1 - reading.length)) > 0)
		reading.length += (size_t)got;
	reading.text[reading.length] = '\0';
	return NULL;
}

static void count_lines(size_t *numbered, uint64_t *said, bool *in_order)
{
	const char *number;
	long long last = -1;

	*numbered = 0;
	*said = 0;
	*in_order = true;
	for (char *line = reading.text; *line; line = strchr(line, '\n') + 1) {
		char *end = strchr(line, '\n');

		assert_non_null(end); /* whole lines only */
		*end = '\0';
		if ((number = strstr(line, "\"number\":"))) {
			long long value = strtoll(number + 9, NULL, 10);

			*in_order &= value > last;
			last = value;
			(*numbered)++;
		}
		if (strstr(line, "\"event\":\"log_dropped\"")) {
			number = strstr(line, "\"lines\":");
			assert_non_null(number);
			*said += strtoull(number + 8, NULL, 10);
		}
		*end = '\n';
	}
}

static void nobody_waits_for_a_reader(void **state)
{
	uint64_t said, before = log_dropped_lines();
	pthread_t reader;
	size_t numbered;
	bool in_order;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	log_set_file(ends[1]);
	assert_true(log_start());
	for (int i = 0; i < LINES; i++) /* log_event() must not wait: a pipe takes 64 kB, the ring 1 MiB */
		log_event(LOG_INFO, "counted", LOG_INTEGER("number", i),
			LOG_TEXT("padding", "some eighty bytes that make the lines longer than the ring has room for, in all"));
	assert_true(log_dropped_lines() > before);
	reading.fd = ends[0];
	reading.length = 0;
	assert_int_equal(pthread_create(&reader, NULL, read_all, NULL), 0);
	for (uint64_t dropped = log_dropped_lines(), last = dropped + 1; last != dropped;
		 dropped = log_dropped_lines()) { /* until the ring has room for a line */
		last = dropped;
		log_event(LOG_INFO, "counted", LOG_INTEGER("number", LINES));
	}
	assert_true(log_stop(ENOUGH_MS));
	log_event(LOG_INFO, "counted", LOG_INTEGER("number", LINES + 1)); /* after the stop, written at once again */
	log_set_file(2);
	close(ends[1]);
	pthread_join(reader, NULL);
	close(ends[0]);
	count_lines(&numbered, &said, &in_order);
	assert_true(in_order);
	assert_int_equal(said, log_dropped_lines() - before);
	assert_true(numbered > 1000 && numbered + said >= LINES + 2);
}

/* Logs texts as long as a client can make them: the line is written, and its text is cut between whole characters. */
static void a_long_text_does_not_lose_its_line(void **state)
{
	uint64_t before = log_dropped_lines();
	static char text[20000];
	size_t length;
	char *cut;
	int ends[2];

	(void)state;
	for (size_t i = 0; i + 2 < sizeof text; i += 2)
		memcpy(text + i, i % 4 ? "\xc3\xa4" : "\x01\"", 2);
	assert_int_equal(pipe(ends), 0);
	log_set_file(ends[1]);
	log_event(LOG_INFO, "long", LOG_TEXT("a", text), LOG_TEXT("b", text + 1), LOG_TEXT("c", "short"));
	log_set_file(2);
	close(ends[1]);
	reading.fd = ends[0];
	reading.length = 0;
	read_all(NULL);
	close(ends[0]);
	length = strlen(reading.text);
	assert_int_equal(log_dropped_lines(), before);
	assert_true(length > 4000 && length < 40000);
	assert_true(reading.text[length - 1] == '\n' && strchr(reading.text, '\n') == reading.text + length - 1);
	assert_contains(reading.text, "\"c\":\"short\"}");
	cut = strstr(reading.text, "...\",\"b\"");
	assert_non_null(cut);
	assert_true(cut[-1] == '"' || (unsigned char)cut[-1] == 0xa4);
}

static void a_stop_does_not_wait_for_a_reader(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	log_set_file(ends[1]);
	assert_true(log_start());
	for (int i = 0; i < LINES; i++)
		log_event(LOG_INFO, "counted", LOG_INTEGER("number", i));
	assert_false(log_stop(10));
	log_event(LOG_INFO, "late", LOG_INTEGER("number", 0)); /* must return */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_waits_for_a_reader), cmocka_unit_test(a_long_text_does_not_lose_its_line),
		cmocka_unit_test(a_stop_does_not_wait_for_a_reader), /* last: its thread still waits */
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}

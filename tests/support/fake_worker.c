#include "support/fake_worker.h"

#include <signal.h>
#include <unistd.h>

#include "base/status.h"

enum { LINES_FD = 3 };

static const char hello[] = "{\"type\":\"hello\",\"proto\":1,\"worker_version\":\"fake\",\"pid\":1}\n";
static const char result_ok[] = "{\"type\":\"result\",\"status\":\"ok\",\"suite\":\"quick\",\"budget_s\":10,\"elapsed_s\":1}\n";

static void write_text(const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t wrote = write(LINES_FD, text, length);

		if (wrote <= 0)
			_exit(3);
		text += wrote;
		length -= (size_t)wrote;
	}
}

static void write_measure(const char *test, const char *method, const char *more, double median)
{
	char line[512];

	snprintf(line, sizeof(line),
		"{\"type\":\"measure\",\"test\":\"%s\",\"method\":\"%s\"%s,\"unit\":\"x\",\"n\":9,\"min\":%.17g,\"p10\":%.17g,\"median\":%.17g,"
		"\"p90\":%.17g,\"max\":%.17g,\"verified\":true,\"unstable\":false}\n",
		test, method, more, median * 0.98, median * 0.99, median, median * 1.01, median * 1.02);
	write_text(line);
}

static int play_ok(void)
{
	write_text(
		"{\"type\":\"device\",\"id\":\"cpu-fake\",\"backend\":\"cpu\",\"name\":\"Fake CPU\",\"uuid\":\"cpu-fake\","
		"\"vendor\":\"fake\",\"accelerator\":\"cpu-fake-2t\",\"driver\":\"none\",\"instruction_set\":\"fake\",\"memory_bytes\":16000000000,"
		"\"threads\":2}\n");
	write_text("{\"type\":\"progress\",\"test\":\"stream_triad\",\"i\":1,\"n\":7,\"elapsed_ms\":100,\"budget_ms\":10000}\n");
	write_measure("launch_round_trip", "thread_wake", "", 1e-5);
	write_measure("stream_read", "stream", "", 50e9);
	write_measure("stream_triad", "stream", "", 40e9);
	write_measure("issue_rate_fp32", "issue_rate", ",\"precision\":\"fp32\"", 500e9);
	write_measure("gemm_library_fp32", "library_gemm", ",\"precision\":\"fp32\",\"flops\":1e10", 250e9);
	write_measure("gemm_kernel_fp32", "kernel_gemm", ",\"precision\":\"fp32\",\"flops\":1e10", 400e9);
	write_text("{\"type\":\"skip\",\"test\":\"stream_copy\",\"reason\":\"fake\"}\n");
	write_text(result_ok);
	return 0;
}

static void play_hang(void)
{
	signal(SIGTERM, SIG_IGN);
	for (;;) {
		write_text("{\"type\":\"progress\",\"test\":\"stream_read\",\"elapsed_ms\":1}\n");
		usleep(100000);
	}
}

/* Runs longer than the longest allowed silence, but is never silent. */
static int play_talking(void)
{
	for (int i = 0; i < 7; i++) {
		write_text("{\"type\":\"progress\",\"test\":\"stream_read\",\"elapsed_ms\":1}\n");
		usleep(200000);
	}
	return play_ok();
}

/* The work hangs, but the thread beside it still reports the sensors. */
static int play_sampling(void)
{
	for (int i = 0; i < 600; i++) {
		write_text("{\"type\":\"sample\",\"t_s\":1,\"power_w\":90}\n");
		usleep(100000);
	}
	return 0;
}

static int play_oversized(void)
{
	char piece[1024];

	memset(piece, 'x', sizeof(piece) - 1);
	piece[sizeof(piece) - 1] = '\0';
	write_text("{\"type\":\"sample\",\"text\":\"");
	for (int i = 0; i < 10 * 1024; i++) /* ten megabytes without a newline */
		write_text(piece);
	write_text("\"}\n");
	return play_ok();
}

static int play_grandchild(void)
{
	pid_t child = fork();

	if (child == 0) {
		sleep(3600);
		_exit(0);
	}
	dprintf(STDOUT_FILENO, "%ld", (long)child);
	return play_ok();
}

static int play_loud(void)
{
	char piece[1024];

	memset(piece, 'y', sizeof(piece));
	for (int i = 0; i < 2048; i++)
		(void)!write(STDOUT_FILENO, piece, sizeof(piece));
	return play_ok();
}

static int play_failed(const char *status, int code)
{
	char line[256];

	snprintf(line, sizeof(line),
		"{\"type\":\"result\",\"status\":\"%s\",\"budget_s\":10,\"elapsed_s\":1,\"reason\":\"as the script says\"}\n", status);
	write_text(line);
	return code;
}

static int play_crash(void)
{
	write_measure("stream_read", "stream", "", 50e9);
	signal(SIGSEGV, SIG_DFL); /* a sanitizer would turn the signal into an exit */
	raise(SIGSEGV);
	return 0;
}

static int play_lines(const char *first, const char *second)
{
	write_text(first);
	write_text(second);
	return 0;
}

int fake_worker(const char *script)
{
	write_text(hello);
	if (!strcmp(script, "ok"))
		return play_ok();
	if (!strcmp(script, "failed") || !strcmp(script, "busy"))
		return play_failed(script, !strcmp(script, "busy") ? 75 : 1);
	if (!strcmp(script, "crash"))
		return play_crash();
	if (!strcmp(script, "hang"))
		play_hang();
	if (!strcmp(script, "silent"))
		return (int)sleep(60);
	if (!strcmp(script, "talking"))
		return play_talking();
	if (!strcmp(script, "sampling"))
		return play_sampling();
	if (!strcmp(script, "no_result"))
		return 0;
	if (!strcmp(script, "two_results"))
		return play_lines(result_ok, result_ok);
	if (!strcmp(script, "after_result"))
		return play_lines(result_ok, "{\"type\":\"progress\",\"test\":\"x\",\"elapsed_ms\":1}\n");
	if (!strcmp(script, "truncated"))
		return play_lines(result_ok, "{\"type\":\"p");
	if (!strcmp(script, "garbage"))
		return play_lines("Segmentation fault? no, just printf\n", result_ok);
	if (!strcmp(script, "blind_measure"))
		return play_lines("{\"type\":\"measure\",\"test\":\"stream_read\"}\n", result_ok);
	if (!strcmp(script, "oversized"))
		return play_oversized();
	if (!strcmp(script, "grandchild"))
		return play_grandchild();
	if (!strcmp(script, "ok_but_failed"))
		return play_ok() + 1;
	if (!strcmp(script, "loud"))
		return play_loud();
	return 9;
}

#include "base/status.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"

static const struct {
	int http;
	const char *slug;
	const char *title;
} statuses[STATUS_COUNT] = {
#define X(name, http_, slug_, title_) [STATUS_##name] = {http_, slug_, title_},
	STATUS_TABLE(X)
#undef X
};

int status_http(enum status status)
{
	return statuses[status].http;
}

const char *status_slug(enum status status)
{
	return statuses[status].slug;
}

const char *status_title(enum status status)
{
	return statuses[status].title;
}

/* The longest wait for a reader of the log that stopped reading. */
enum { BUG_WAIT_MS = 200 };

void check_failed(const char *condition, const char *file, int line)
{
	(void)log_stop(BUG_WAIT_MS); /* write the events that led to the bug */
	if (poll(&(struct pollfd){.fd = STDERR_FILENO, .events = POLLOUT}, 1, BUG_WAIT_MS) > 0)
		fprintf(stderr, "fleetplan: bug: %s:%d: %s is false\n", file, line, condition);
	abort();
}

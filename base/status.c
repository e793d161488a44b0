#include "base/status.h"

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

void check_failed(const char *condition, const char *file, int line)
{
	fprintf(stderr, "fleetplan: bug: %s:%d: %s does not hold\n", file, line, condition);
	abort();
}

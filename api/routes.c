#include "api/routes.h"

const char *route_media_name(enum media media)
{
	static const char *const names[MEDIA_COUNT] = {
#define X(name, type) [MEDIA_##name] = (type),
		MEDIA_TABLE(X)
#undef X
	};

	CHECK(media < MEDIA_COUNT);
	return names[media];
}

/* The parameters' positions in a path: start and length of each. */
struct route_spans {
	size_t count;
	struct {
		const char *start;
		size_t length;
	} spans[ROUTE_PARAMETERS_MAX];
};

/* True if a path matches a template, segment by segment. */
static bool route_fits(const char *template, const char *path, struct route_spans *spans)
{
	spans->count = 0;
	while (*template && *path) {
		if (*template == '{') {
			size_t length = strcspn(path, "/");

			if (length == 0 || length > ROUTE_PARAMETER_BYTES_MAX)
				return false;
			spans->spans[spans->count].start = path;
			spans->spans[spans->count++].length = length;
			path += length;
			template += strcspn(template, "}") + 1;
		} else if (*template ++ != *path++) {
			return false;
		}
	}
	return *template == '\0' && *path == '\0';
}

static bool route_has_parameter(const struct route *route)
{
	return strchr(route->path, '{') != NULL;
}

void route_allow(const char *path, char out[ROUTE_ALLOW_MAX])
{
	size_t length = 0;

	out[0] = '\0';
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		const char *method = routes[i].method;

		if (strcmp(routes[i].path, path) == 0)
			length += (size_t)snprintf(
				out + length, ROUTE_ALLOW_MAX - length, "%s%s%s", length ? ", " : "", method, strcmp(method, "GET") == 0 ? ", HEAD" : "");
		CHECK(length < ROUTE_ALLOW_MAX);
	}
}

static const struct route *route_at(const char *method, const char *path)
{
	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (strcmp(routes[i].path, path) == 0 && strcmp(routes[i].method, method) == 0)
			return &routes[i];
	}
	return NULL;
}

/* Returns the first matching template without parameters, else the first that matches. */
static const char *route_template(const char *path, struct route_spans *spans)
{
	struct route_spans found;
	const char *template = NULL;

	for (size_t i = 0; i < ROUTE_COUNT; i++) {
		if (!route_fits(routes[i].path, path, &found))
			continue;
		if (!template || !route_has_parameter(&routes[i])) {
			template = routes[i].path;
			*spans = found;
		}
		if (!route_has_parameter(&routes[i]))
			break;
	}
	return template;
}

bool route_resolve(const char *method, const char *path, struct arena *arena, struct route_match *match)
{
	const char *wanted = strcmp(method, "HEAD") == 0 ? "GET" : method;
	struct route_spans spans;
	const char *template = route_template(path, &spans);

	memset(match, 0, sizeof *match);
	if (!template)
		return false;
	match->path = template;
	match->route = route_at(wanted, template);
	for (size_t i = 0; i < spans.count; i++) {
		match->parameters[i] = arena_strndup(arena, spans.spans[i].start, spans.spans[i].length);
		if (!match->parameters[i])
			return false;
	}
	return true;
}

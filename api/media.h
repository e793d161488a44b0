/* Media types of request bodies and responses. Routes name them, the server negotiates them. */
#ifndef FLEETPLAN_API_MEDIA_H
#define FLEETPLAN_API_MEDIA_H

/*       name          type */
#define MEDIA_TABLE(X) \
	X(JSON, "application/json") \
	X(MERGE_PATCH, "application/merge-patch+json") \
	X(PROBLEM, "application/problem+json") \
	X(NDJSON, "application/x-ndjson") \
	X(CSV, "text/csv") \
	X(MARKDOWN, "text/markdown") \
	X(TEXT, "text/plain") \
	X(METRICS, "text/plain; version=0.0.4") \
	X(HTML, "text/html") \
	X(EVENTS, "text/event-stream") \
	X(CSS, "text/css") \
	X(JAVASCRIPT, "text/javascript")

enum media {
#define X(name, type) MEDIA_##name,
	MEDIA_TABLE(X)
#undef X
		MEDIA_COUNT /* also: none */
};

/* Sets of media: bit 1 << MEDIA_x. */
#define MEDIA_BIT(media) (1U << (media))

#endif

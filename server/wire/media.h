/* Media types of bodies and answers, and their negotiation (RFC 9110 12.5.1). */
#ifndef FLEETPLAN_SERVER_WIRE_MEDIA_H
#define FLEETPLAN_SERVER_WIRE_MEDIA_H

#include <stdbool.h>

#include "api/media.h"
#include "base/arena.h"

/* Returns the value of a Content-Type header, "application/json" or "text/csv; charset=utf-8". */
const char *media_content_type(enum media media);

/* Returns the media of a request's Content-Type. Parameters are ignored, except a charset other than UTF-8, which we do
 * not read. MEDIA_COUNT: unknown or not read. */
enum media media_parse(const char *content_type);

/* Returns the member of `offered` that an Accept header prefers; among equals the first in the enum. NULL or empty
 * accepts everything. MEDIA_COUNT: no offered member is acceptable. */
enum media media_negotiate(const char *accept, unsigned offered);

/* Returns "application/json or text/csv", for a sentence; "nothing" for the empty set. */
const char *media_list(unsigned medias, struct arena *arena);

/* True if an Accept-Encoding header accepts gzip (q above 0). */
bool media_accepts_gzip(const char *accept_encoding);

#endif

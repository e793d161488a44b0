/* Media types: what bodies come in and answers go out as, and the choice between them (RFC 9110 12.5.1). */
#ifndef FLEETPLAN_SERVER_WIRE_MEDIA_H
#define FLEETPLAN_SERVER_WIRE_MEDIA_H

#include <stdbool.h>

#include "api/media.h"
#include "base/arena.h"

/* The value of a Content-Type header, "application/json" or "text/csv; charset=utf-8". */
const char *media_content_type(enum media media);

/* The media of a request's Content-Type; parameters are ignored, except a charset other than UTF-8, which is no media
 * that we read. MEDIA_COUNT when unknown. */
enum media media_parse(const char *content_type);

/* The member of `offered` that an Accept header wants most; among equals the one that is first in the enum. NULL or empty
 * accepts everything. MEDIA_COUNT when nothing offered is acceptable. */
enum media media_negotiate(const char *accept, unsigned offered);

/* "application/json or text/csv", for a sentence; "nothing" for the empty set. */
const char *media_list(unsigned medias, struct arena *arena);

/* Whether an Accept-Encoding header takes gzip (q above 0). */
bool media_accepts_gzip(const char *accept_encoding);

#endif

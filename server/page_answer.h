/* Lists: `{"items": [...], "next_cursor": ...}` with a Link header, or CSV. */
#ifndef FLEETPLAN_SERVER_PAGE_ANSWER_H
#define FLEETPLAN_SERVER_PAGE_ANSWER_H

#include "api/tables/pages.h"
#include "server/handler.h"
#include "storage/storage.h"

/* What the query says of the page, for the store. */
struct page_request page_request_of(const struct page_query *query);

/* The two parts of "key:value"; NULL, as nothing was asked for, leaves them alone. */
FALLIBLE enum status page_label_of(struct call *call, const char *label, const char **key, const char **value);

/* Writes `count` structs of `table`, which stand one after the other; next_cursor NULL: that was the last page. */
FALLIBLE enum status page_answer(struct call *call, const struct field_table *table, const void *items, size_t count, const char *next_cursor);

/* What a list says of itself beside its items. */
struct page_remark {
	const char *empty_because; /* of an empty list: why it is; NULL: not said */
	bool looking;              /* there may be more in a moment: what it lists is still being looked for */
};

/* The same with what there is to say. */
enum status page_answer_remarked(struct call *call, const struct field_table *table, const void *items, size_t count, const char *next_cursor,
	const struct page_remark *remark);

/* Lists whose rows may be large: they are read some rows at a time, and what was read is forgotten before the next are. The page ends early, at
 * its cursor, when its answer has PAGE_ANSWER_BYTES. */
enum { PAGE_ANSWER_BYTES = 2 * 1024 * 1024 };

struct page_rows {
	const void *items;
	size_t count;
	const char *next_cursor;
};
typedef enum status page_read(struct call *call, const void *filter, const struct page_request *some, struct arena *arena, struct page_rows *rows);
FALLIBLE enum status page_answer_read(struct call *call, const struct field_table *table, const struct page_request *page, page_read *read,
	const void *filter);

#endif

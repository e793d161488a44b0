/* Answers lists: `{"items": [...], "next_cursor": ...}` with a Link header, or CSV. */
#ifndef FLEETPLAN_SERVER_PAGE_ANSWER_H
#define FLEETPLAN_SERVER_PAGE_ANSWER_H

#include "api/tables/pages.h"
#include "server/handler.h"
#include "storage/storage.h"

/* Makes the storage's page request from the query. */
struct page_request page_request_of(const struct page_query *query);

/* Splits "key:value". Does nothing for NULL (no label in the query). */
FALLIBLE enum status page_label_of(struct call *call, const char *label, const char **key, const char **value);

/* Writes `count` consecutive structs of `table`. next_cursor NULL: this is the last page. */
FALLIBLE enum status page_answer(
	struct call *call, const struct field_table *table, const void *items, size_t count, const char *next_cursor);

/* Remarks of a list, besides its items. */
struct page_remark {
	const char *empty_because; /* the reason why the list is empty; NULL: none given */
	bool looking;              /* the search for the listed things still runs: a later request may show more */
};

/* The same as page_answer(), with remarks. */
enum status page_answer_remarked(struct call *call, const struct field_table *table, const void *items, size_t count,
	const char *next_cursor, const struct page_remark *remark);

/* Answers a list whose rows may be large: it reads some rows at a time and frees them before it reads the next ones.
 * The page ends early, at its cursor, when its answer has PAGE_ANSWER_BYTES. */
enum { PAGE_ANSWER_BYTES = 2 * 1024 * 1024 };

struct page_rows {
	const void *items;
	size_t count;
	const char *next_cursor;
};
typedef enum status page_read(
	struct call *call, const void *filter, const struct page_request *some, struct arena *arena, struct page_rows *rows);
FALLIBLE enum status page_answer_read(
	struct call *call, const struct field_table *table, const struct page_request *page, page_read *read, const void *filter);
/* As page_answer_read(), in JSON with these members of each row alone; NULL: all. */
FALLIBLE enum status page_answer_read_fields(struct call *call, const struct field_table *table, const struct text_list *fields,
	const struct page_request *page, page_read *read, const void *filter);

#endif

/* docs/openapi.json and docs/fields.md as the tables make them: written by write_documents.c, held by test_openapi.c. */
#ifndef FLEETPLAN_TESTS_API_DOCUMENTS_H
#define FLEETPLAN_TESTS_API_DOCUMENTS_H

#include <jansson.h>

#include "api/openapi.h"

/* The description, indented for diffs; the caller frees it. NULL if it is not JSON. */
static inline char *document_openapi(void)
{
	struct json_writer writer;
	struct buffer buffer;
	json_t *tree;
	char *text;

	buffer_init(&buffer, 16 * 1024 * 1024);
	json_writer_init(&writer, &buffer);
	openapi_write(&writer);
	tree = json_loadb(buffer.bytes, buffer.length, JSON_REJECT_DUPLICATES, NULL);
	text = tree ? json_dumps(tree, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) : NULL;
	json_decref(tree);
	buffer_release(&buffer);
	return text;
}

/* The field reference; the caller frees it. */
static inline char *document_fields(void)
{
	struct buffer buffer;
	size_t length;

	buffer_init(&buffer, 4 * 1024 * 1024);
	openapi_field_reference(&buffer);
	return buffer_detach(&buffer, &length);
}

#endif

/* Writes docs/openapi.json, docs/fields.md and docs/leases.md; `make docs` runs it. usage: write_documents FOLDER */
#include "api/documents.h"

static int write_document(const char *folder, const char *name, char *text)
{
	char path[512];
	FILE *file;
	int bad;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = text ? fopen(path, "w") : NULL;
	bad = !file || fputs(text, file) < 0 || fputc('\n', file) == EOF;
	bad |= file && fclose(file) != 0;
	if (bad)
		fprintf(stderr, "cannot write %s\n", path);
	free(text);
	return bad;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: write_documents FOLDER\n");
		return 2;
	}
	return write_document(argv[1], "openapi.json", document_openapi(SCHEMA_OPENAPI_3_1)) |
		write_document(argv[1], "fields.md", document_fields()) | write_document(argv[1], "leases.md", document_leases());
}

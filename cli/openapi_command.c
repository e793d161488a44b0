/* `fleetplan openapi`: prints the description of the API, which the daemon serves at /openapi.json. */
#include "api/openapi.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

enum { OPENAPI_MAX_BYTES = 8 * 1024 * 1024 };

int openapi_main(int argc, char **argv)
{
	struct json_writer writer;
	struct buffer text;
	bool written;

	(void)argc;
	(void)argv;
	buffer_init(&text, OPENAPI_MAX_BYTES);
	json_writer_init(&writer, &text);
	openapi_write(SCHEMA_OPENAPI_3_1, &writer);
	buffer_append_char(&text, '\n');
	written = !text.failed && fwrite(text.bytes, 1, text.length, stdout) == text.length && fflush(stdout) == 0;
	buffer_release(&text);
	return written ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}

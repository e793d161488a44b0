/* /docs: a page that shows /openapi.json for reading. It consists of three embedded files and loads nothing else. */
#include "server/handlers.h"

extern const char docs_html[], docs_html_end[], docs_css[], docs_css_end[], docs_js[], docs_js_end[];

enum status handle_docs(struct call *call)
{
	static struct asset page = {.media = MEDIA_HTML, .begin = docs_html, .end = docs_html_end};

	return call_asset(call, &page);
}

enum status handle_docs_file(struct call *call)
{
	static struct asset style = {.media = MEDIA_CSS, .begin = docs_css, .end = docs_css_end};
	static struct asset script = {.media = MEDIA_JAVASCRIPT, .begin = docs_js, .end = docs_js_end};

	if (strcmp(call->parameters[0], "docs.css") == 0)
		return call_asset(call, &style);
	if (strcmp(call->parameters[0], "docs.js") == 0)
		return call_asset(call, &script);
	return failure_set(&call->failure, STATUS_NOT_FOUND, "no such file; the page uses docs.css and docs.js");
}

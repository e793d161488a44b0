/* /: the page for people. Its sources are in web/. It consists of embedded files, loads nothing else, and uses only the API. */
#include "server/handlers.h"

/* clang-format off */
#define PAGE_SCRIPTS(X) X(page) X(ask) X(answer) X(charts) X(plans) X(catalogue) X(benchmarks) X(client) X(elements)
/* clang-format on */

extern const char page_index_html[], page_index_html_end[], page_page_css[], page_page_css_end[];
#define X(name) extern const char page_##name##_js[], page_##name##_js_end[];
PAGE_SCRIPTS(X)
#undef X

enum status handle_page(struct call *call)
{
	static struct asset page = {.media = MEDIA_HTML, .begin = page_index_html, .end = page_index_html_end};

	return call_asset(call, &page);
}

enum status handle_page_file(struct call *call)
{
	static struct {
		const char *name;
		struct asset asset;
	} files[] = {{"page.css", {.media = MEDIA_CSS, .begin = page_page_css, .end = page_page_css_end}},
#define X(name) {#name ".js", {.media = MEDIA_JAVASCRIPT, .begin = page_##name##_js, .end = page_##name##_js_end}},
		PAGE_SCRIPTS(X)
#undef X
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (strcmp(call->parameters[0], files[i].name) == 0)
			return call_asset(call, &files[i].asset);
	}
	return failure_set(&call->failure, STATUS_NOT_FOUND, "no such file; the page at / names its files");
}

# Embeds the files of the page at / unchanged.
# embeds: web/index.html
# embeds: web/page.css
# embeds: web/page.js
# embeds: web/ask.js
# embeds: web/answer.js
# embeds: web/charts.js
# embeds: web/plans.js
# embeds: web/catalogue.js
# embeds: web/benchmarks.js
# embeds: web/client.js
# embeds: web/elements.js
	.section .rodata

	.macro embed name, path
	.global page_\name
	.global page_\name\()_end
page_\name:
	.incbin "\path"
page_\name\()_end:
	.byte 0
	.endm

	embed index_html, "web/index.html"
	embed page_css, "web/page.css"
	embed page_js, "web/page.js"
	embed ask_js, "web/ask.js"
	embed answer_js, "web/answer.js"
	embed charts_js, "web/charts.js"
	embed plans_js, "web/plans.js"
	embed catalogue_js, "web/catalogue.js"
	embed benchmarks_js, "web/benchmarks.js"
	embed client_js, "web/client.js"
	embed elements_js, "web/elements.js"

	.section .note.GNU-stack, "", %progbits

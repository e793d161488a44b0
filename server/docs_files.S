# Embeds the files of /docs unchanged.
# embeds: server/docs/index.html
# embeds: server/docs/docs.css
# embeds: server/docs/docs.js
	.section .rodata

	.macro embed name, path
	.global docs_\name
	.global docs_\name\()_end
docs_\name:
	.incbin "\path"
docs_\name\()_end:
	.byte 0
	.endm

	embed html, "server/docs/index.html"
	embed css, "server/docs/docs.css"
	embed js, "server/docs/docs.js"

	.section .note.GNU-stack, "", %progbits

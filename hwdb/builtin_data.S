# The data that the program carries, byte for byte.
# embeds: hwdb/data/accelerators.csv
# embeds: hwdb/data/aliases.csv
# embeds: hwdb/data/conflicts.csv
# embeds: hwdb/data/models.jsonl
# embeds: hwdb/data/prices.csv
# embeds: hwdb/data/regions.csv
	.section .rodata

	.macro embed name, path
	.global builtin_\name
	.global builtin_\name\()_end
builtin_\name:
	.incbin "\path"
builtin_\name\()_end:
	.byte 0
	.endm

	embed accelerators, "hwdb/data/accelerators.csv"
	embed aliases, "hwdb/data/aliases.csv"
	embed conflicts, "hwdb/data/conflicts.csv"
	embed models, "hwdb/data/models.jsonl"
	embed prices, "hwdb/data/prices.csv"
	embed regions, "hwdb/data/regions.csv"

	.section .note.GNU-stack,"",@progbits

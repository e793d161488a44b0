# The SQL files, each closed by a NUL so that C reads them as text.
# embeds: storage/sql/0001_initial.sql
# embeds: storage/sql/transactions.sql
# embeds: storage/sql/plans.sql
# embeds: storage/sql/keys.sql
# embeds: storage/sql/catalogue.sql
# embeds: storage/sql/benchmarks.sql
	.section .rodata
	.global storage_sql_0001, storage_sql_statements
storage_sql_0001:
	.incbin "storage/sql/0001_initial.sql"
	.byte 0
storage_sql_statements:
	.incbin "storage/sql/transactions.sql"
	.incbin "storage/sql/plans.sql"
	.incbin "storage/sql/keys.sql"
	.incbin "storage/sql/catalogue.sql"
	.incbin "storage/sql/benchmarks.sql"
	.byte 0
	.section .note.GNU-stack, "", @progbits

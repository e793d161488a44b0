# The SQL files, each closed by a NUL so that C reads them as text.
# embeds: storage/sql/0001_initial.sql
# embeds: storage/sql/0002_agents.sql
# embeds: storage/sql/0003_feeds.sql
# embeds: storage/sql/0004_observations.sql
# embeds: storage/sql/0005_load.sql
# embeds: storage/sql/0006_imports.sql
# embeds: storage/sql/0007_conflicts.sql
# embeds: storage/sql/0008_runs.sql
# embeds: storage/sql/0009_observed_jobs.sql
# embeds: storage/sql/0010_checksums.sql
# embeds: storage/sql/0011_trust.sql
# embeds: storage/sql/0012_audit.sql
# embeds: storage/sql/0013_more_checksums.sql
# embeds: storage/sql/0014_key_families.sql
# embeds: storage/sql/0015_plan_summary.sql
# embeds: storage/sql/transactions.sql
# embeds: storage/sql/plans.sql
# embeds: storage/sql/keys.sql
# embeds: storage/sql/catalogue.sql
# embeds: storage/sql/benchmarks.sql
# embeds: storage/sql/agents.sql
# embeds: storage/sql/feeds.sql
# embeds: storage/sql/observations.sql
# embeds: storage/sql/imports.sql
# embeds: storage/sql/audit.sql
	.section .rodata
	.global storage_sql_0001, storage_sql_0002, storage_sql_0003, storage_sql_0004, storage_sql_0005, storage_sql_0006, storage_sql_0007, storage_sql_0008, storage_sql_0009, storage_sql_0010, storage_sql_0011, storage_sql_0012, storage_sql_0013, storage_sql_0014, storage_sql_0015, storage_sql_statements
storage_sql_0001:
	.incbin "storage/sql/0001_initial.sql"
	.byte 0
storage_sql_0002:
	.incbin "storage/sql/0002_agents.sql"
	.byte 0
storage_sql_0003:
	.incbin "storage/sql/0003_feeds.sql"
	.byte 0
storage_sql_0004:
	.incbin "storage/sql/0004_observations.sql"
	.byte 0
storage_sql_0005:
	.incbin "storage/sql/0005_load.sql"
	.byte 0
storage_sql_0006:
	.incbin "storage/sql/0006_imports.sql"
	.byte 0
storage_sql_0007:
	.incbin "storage/sql/0007_conflicts.sql"
	.byte 0
storage_sql_0008:
	.incbin "storage/sql/0008_runs.sql"
	.byte 0
storage_sql_0009:
	.incbin "storage/sql/0009_observed_jobs.sql"
	.byte 0
storage_sql_0010:
	.incbin "storage/sql/0010_checksums.sql"
	.byte 0
storage_sql_0011:
	.incbin "storage/sql/0011_trust.sql"
	.byte 0
storage_sql_0012:
	.incbin "storage/sql/0012_audit.sql"
	.byte 0
storage_sql_0013:
	.incbin "storage/sql/0013_more_checksums.sql"
	.byte 0
storage_sql_0014:
	.incbin "storage/sql/0014_key_families.sql"
	.byte 0
storage_sql_0015:
	.incbin "storage/sql/0015_plan_summary.sql"
	.byte 0
storage_sql_statements:
	.incbin "storage/sql/transactions.sql"
	.incbin "storage/sql/plans.sql"
	.incbin "storage/sql/keys.sql"
	.incbin "storage/sql/catalogue.sql"
	.incbin "storage/sql/benchmarks.sql"
	.incbin "storage/sql/agents.sql"
	.incbin "storage/sql/feeds.sql"
	.incbin "storage/sql/observations.sql"
	.incbin "storage/sql/imports.sql"
	.incbin "storage/sql/audit.sql"
	.byte 0
	.section .note.GNU-stack, "", @progbits

#include "cli/bench_entry.h"

#include "api/tables/tables.h"
#include "bench/command/bench_command.h"

static enum status read_spec(const char *json, size_t length, struct arena *arena, struct bench_spec *spec, struct failure *failure)
{
	return record_decode(&table_bench_spec, json, length, arena, spec, failure);
}

int bench_entry(int argc, char **argv)
{
	return bench_main(argc, argv, read_spec);
}

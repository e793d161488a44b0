#include "base/status.h"
#include "bench/bench_command.h"

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "bench"))
		return bench_main(argc - 1, argv + 1);
	puts("fleetplan " FLEETPLAN_VERSION);
	return 0;
}

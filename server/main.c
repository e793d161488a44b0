#include "base/status.h"

int main(void)
{
	puts("fleetplan " FLEETPLAN_VERSION);
	return 0;
}

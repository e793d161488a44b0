#include "planner/footprint/water.h"

double water_l(double it_kwh, double wue_l_per_kwh, double pue, double ewif_l_per_kwh)
{
	return it_kwh * (wue_l_per_kwh + pue * ewif_l_per_kwh);
}

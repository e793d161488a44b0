/* Water use of electricity (E66). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_WATER_H
#define FLEETPLAN_PLANNER_FOOTPRINT_WATER_H

/* E66. Computes the water use of electricity, on site and at the power stations.
 *
 * Given:    it_kwh          IT energy, kWh, >= 0
 *           wue_l_per_kwh   litres on site per kWh of IT energy, >= 0
 *           pue             power usage effectiveness of the building, >= 1
 *           ewif_l_per_kwh  litres at the power stations per kWh of electricity, >= 0
 * Returned: it_kwh x (wue + pue x ewif), l. PUE is not applied to WUE, which is per kWh of IT energy already.
 * Source:   Li et al. 2023, Making AI Less Thirsty, equations 1-3
 * Case:     tests/planner/golden/footprint.txt */
double water_l(double it_kwh, double wue_l_per_kwh, double pue, double ewif_l_per_kwh);

#endif

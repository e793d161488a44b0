/* Water of electricity used (E66). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_WATER_H
#define FLEETPLAN_PLANNER_FOOTPRINT_WATER_H

/* E66. Given: it_kwh (>= 0); wue_l_per_kwh, litres on site per kWh of IT energy (>= 0); pue (>= 1); ewif_l_per_kwh, litres at
 * the power stations per kWh of electricity (>= 0). Returned: it_kwh x (wue + pue x ewif): PUE is not applied to WUE, which
 * is stated per kWh of IT energy already. Source: Li et al. 2023, Making AI Less Thirsty, equations 1-3. */
double water_l(double it_kwh, double wue_l_per_kwh, double pue, double ewif_l_per_kwh);

#endif

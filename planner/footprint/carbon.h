/* Carbon of accelerators: operational, by three accounting methods that are never summed (E64), and embodied, with a
 * range (E65). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_CARBON_H
#define FLEETPLAN_PLANNER_FOOTPRINT_CARBON_H

#include "planner/footprint/footprint.h"

/* Embodied carbon charged to a usage. */
struct embodied {
	double kgco2e, low_kgco2e, high_kgco2e; /* of the usage; low and high: p10 and p90 */
	double log_sigma;
	struct figure device, node, life_years, used_fraction; /* the inputs */
};

/* Fills the absent members of a site: world averages for grid and PUE, United States averages for WUE and EWIF. Notes
 * each in `findings` (may be NULL) with its source. */
void site_complete(struct site *site, struct findings *findings);

/* E64. Computes the operational carbon of electricity by three accounting methods, and its total with embodied carbon.
 *
 * Given:    facility_kwh     energy of the facility, kWh, >= 0
 *           site             carbon intensities, g/kWh; completed by site_complete()
 *           embodied_kgco2e  embodied carbon of the same usage, kg, >= 0
 * Returned: operational_kgco2e, kg, location-based; market_kgco2e and marginal_kgco2e, kg, absent where the site has
 *             no such intensity; total_kgco2e = operational + embodied, kg
 * Case:     tests/planner/golden/footprint.txt (location-based) */
struct carbon carbon_of_energy(double facility_kwh, const struct site *site, double embodied_kgco2e);

/* E65. Computes the embodied carbon of an accelerator over that of an H100, from its memory and its dies.
 *
 * Given:    accelerator  memory_gb, die_area_mm2; the H100's value replaces an absent one
 * Returned: 0.42 memory / 80 GB + 0.25 die / 814 mm2 + 0.33; a ratio, > 0
 * Source:   NVIDIA 2025, Product Carbon Footprint of HGX H100 (the shares)
 * Case:     tests/planner/golden/footprint.txt */
double embodied_scale(const struct accelerator *accelerator);

/* E65. Computes the embodied carbon of one accelerator: the geometric mean of a low and a high figure.
 *
 * Given:    accelerator  embodied_kgco2e (maker), embodied_boavizta_kgco2e; each may be absent
 * Returned: kgCO2e, > 0; *low and *high, kgCO2e: the two figures in order; *source, static text. If one figure is
 *             absent it is 3.5 times away from the other. If both are absent *low is NVIDIA's H100 (164 kg) times
 *             embodied_scale(), and *high 3.5 times that.
 * Source:   NVIDIA 2025 (164 kg for an H100); BoaviztAPI (575.2 kg)
 * Case:     tests/planner/golden/footprint.txt */
double embodied_accelerator_kgco2e(const struct accelerator *accelerator, double *low, double *high, const char **source);

/* E65. Computes the embodied carbon that a usage is charged with.
 *
 * Given:    usage     gpu_count, node_count, hours, all >= 0; usage->hardware replaces the published figures
 *           findings  receives the assumptions; may be NULL
 * Returned: embodied->kgco2e = (accelerators x device + nodes x server) x hours / (life x fraction of it in use), kg;
 *             low_kgco2e and high_kgco2e, its p10 and p90; log_sigma; the four inputs
 * Source:   server: Luccioni et al. 2023 (2,500 kg), EcoLogits, p5.48xlarge (5,700 kg); in use 0.85 of a life of 4
 *             years: Luccioni et al. 2023
 * Case:     tests/planner/golden/footprint.txt */
void embodied_of_usage(const struct usage *usage, struct embodied *embodied, struct findings *findings);

/* E64. Computes the standard deviation of the logarithm of the grid's carbon intensity.
 *
 * Given:    site  range and status of the grid's intensity
 * Returned: from the site's range; without a range 0 if the intensity was given, else from the figures of two
 *             providers for one place, 323 and 396 g/kWh */
double carbon_grid_log_sigma(const struct site *site);

#endif

/* Other names of catalogue rows that users have at hand: NVML's device names, Hugging Face repositories, instance
 * types.
 *
 * An id or an alias always comes first. Any other name is compared word by word. Letter case, spaces and punctuation
 * are ignored. So are words that do not name other hardware ("NVIDIA", "Tesla", "HBM3") or another architecture
 * ("Instruct", "chat", "v0.1", a release like "0528"). A name that fits two different rows matches none. The search is
 * linear in the rows, so it is used only for the names in a request. Pure. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_GIVEN_NAMES_H
#define FLEETPLAN_HWDB_CATALOGUE_GIVEN_NAMES_H

#include "hwdb/catalogue/catalogue.h"

/* As catalogue_accelerator() and catalogue_model(), also for the names above; *alias (`alias` is not NULL) is then
 * `name` itself. */
const struct accelerator_row *given_accelerator(const struct catalogue *catalogue, const char *name, const char **alias);
const struct model_row *given_model(const struct catalogue *catalogue, const char *name, const char **alias);

/* Writes a name's words to `out` in the form in which they are compared. Misspelt names are compared in the same
 * form. */
void given_words(const char *name, bool model, char *out, size_t size);

/* The accelerators of an instance type of the catalogue's prices ("p5.48xlarge", "a3-highgpu-8g"). */
struct given_instance {
	const struct price_row *price;     /* one row of the instance type; NULL: no such type */
	const struct accelerator_row *row; /* NULL: the type is sold with several accelerators, listed in `among` */
	int64_t gpus;                      /* accelerators of one instance; ABSENT_COUNT where rows differ */
	char among[160];                   /* "t4, v100-sxm2-16gb" */
};
struct given_instance given_instance(const struct catalogue *catalogue, const char *name);

/* Writes the other rows that a short name could mean, those whose id begins with it: "v100-sxm2-32gb, v100-pcie-16gb";
 * "" where there are none. */
void given_accelerator_others(const struct catalogue *catalogue, const char *alias, const char *chosen, char *out, size_t size);

#endif

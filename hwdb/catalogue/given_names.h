/* Names that people have in hand for what the catalogue calls otherwise: NVML's names, repositories of Hugging Face, instance types.
 *
 * An id or an alias always comes first. Else a name is read by its words: letter case, spaces and punctuation do not matter, nor do words that name
 * no other hardware ("NVIDIA", "Tesla", "HBM3") or no other architecture ("Instruct", "chat", "v0.1", a release like "0528"). What then fits two rows
 * that differ is none of them. Linear in the rows, and so only for what a request names. Pure. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_GIVEN_NAMES_H
#define FLEETPLAN_HWDB_CATALOGUE_GIVEN_NAMES_H

#include "hwdb/catalogue/catalogue.h"

/* As catalogue_accelerator() and catalogue_model(), with names that people have in hand; *alias (may not be NULL) is then `name` itself. */
const struct accelerator_row *given_accelerator(const struct catalogue *catalogue, const char *name, const char **alias);
const struct model_row *given_model(const struct catalogue *catalogue, const char *name, const char **alias);

/* A name's words as they are compared, in `out`: what a misspelt name is compared by as well. */
void given_words(const char *name, bool model, char *out, size_t size);

/* The accelerators of an instance type of the catalogue's prices ("p5.48xlarge", "a3-highgpu-8g"). */
struct given_instance {
	const struct price_row *price;     /* one of its rows; NULL: no such instance */
	const struct accelerator_row *row; /* NULL: it is had with one of several, `among` */
	int64_t gpus;                      /* in one instance; ABSENT_COUNT where that differs */
	char among[160];                   /* "t4, v100-sxm2-16gb" */
};
struct given_instance given_instance(const struct catalogue *catalogue, const char *name);

/* Other rows that a short name could have meant: those whose id begins with it. "v100-sxm2-32gb, v100-pcie-16gb"; "" where there are none. */
void given_accelerator_others(const struct catalogue *catalogue, const char *alias, const char *chosen, char *out, size_t size);

#endif

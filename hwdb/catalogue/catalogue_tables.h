/* Field tables of the catalogue's rows: accelerators, models, prices and regions. The API, CSV, the built-in data and the
 * checks of rows use them. schema/field.h explains the rows. */
#ifndef FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_TABLES_H
#define FLEETPLAN_HWDB_CATALOGUE_CATALOGUE_TABLES_H

#include "hwdb/catalogue/catalogue.h"
#include "schema/field.h"

DECLARE_TABLE(accelerator, struct accelerator_row);
DECLARE_TABLE(model, struct model_row);
DECLARE_TABLE(price, struct price_row);
DECLARE_TABLE(region, struct region_row);

/* Parts of them. */
DECLARE_TABLE(accelerator_own_id, struct accelerator);
DECLARE_TABLE(accelerator_fields, struct accelerator); /* all figures of an accelerator */
DECLARE_TABLE(conflict, struct conflict);
DECLARE_TABLE(row_stamp, struct row_meta);
DECLARE_TABLE(row_conflicts, struct row_meta);
DECLARE_TABLE(row_warnings, struct row_meta);
DECLARE_TABLE(row_source, struct row_meta);
DECLARE_TABLE(warning, struct warning);

/* Upper limits of a site's figures, in the catalogue and in requests. A figure above its limit cannot be true. */
#define SITE_GRID_MAX_GCO2E_PER_KWH     1500 /* lignite with its mining: 1,200 to 1,400 */
#define SITE_MARGINAL_MAX_GCO2E_PER_KWH 3000 /* single hours of small plants that start */
#define SITE_PUE_MAX                    3
#define SITE_WUE_MAX_L_PER_KWH          20
#define SITE_EWIF_MAX_L_PER_KWH         100

/* Words that the rows store as text. */
extern const char *const origin_words[4], *const pricing_model_words[4];

#endif

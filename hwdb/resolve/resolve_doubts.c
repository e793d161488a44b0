/* After planning: figures of the recommended accelerator and its place on which good sources disagree, or which only
 * one source has. */
#include <string.h>

#include "hwdb/resolve/resolve_parts.h"
#include "hwdb/rows/conflicts.h"

/* The figures of an accelerator that a plan in this precision depends on. */
struct basis {
	const char *fields[6];
	size_t count;
};

static const char *peak_field(enum precision precision)
{
	switch (precision) {
	case PRECISION_FP32:
		return "tflops_fp32";
	case PRECISION_TF32:
		return "tflops_tf32";
	case PRECISION_FP16:
		return "tflops_fp16";
	case PRECISION_BF16:
		return "tflops_bf16";
	case PRECISION_FP8:
	case PRECISION_MXFP8:
		return "tflops_fp8";
	case PRECISION_INT8:
		return "tops_int8";
	case PRECISION_NVFP4:
	case PRECISION_MXFP4:
		return "tflops_fp4";
	case PRECISION_INT4:
	case PRECISION_UNSET:
	case PRECISION_COUNT:
		break;
	}
	return NULL;
}

static struct basis basis_of(const struct accelerator *accelerator, enum precision precision)
{
	struct basis basis = {.fields = {"memory_bandwidth_gbs", "memory_gb", "tdp_w", "interconnect_gbs"}, .count = 4};
	enum precision wanted = precision == PRECISION_UNSET ? accelerator_training_precision(accelerator) : precision, used = PRECISION_UNSET;
	const char *peak = accelerator_peak_flops_per_s(accelerator, wanted, &used) > 0 ? peak_field(used) : NULL;

	if (peak)
		basis.fields[basis.count++] = peak;
	return basis;
}

/* Returns the row of a plan's accelerator; for a variant the row in `like`. */
static const struct accelerator_row *row_of(
	const struct resolver *resolver, const struct request_common *common, const struct accelerator *accelerator)
{
	const char *alias;
	const struct accelerator_row *row = accelerator->id ? catalogue_accelerator(resolver->catalogue, accelerator->id, &alias) : NULL;

	return row || !common->accelerator.like ? row : catalogue_accelerator(resolver->catalogue, common->accelerator.like, &alias);
}

/* Returns a figure that the plan uses from the row, not from the request; absent otherwise. */
static double taken(const struct accelerator_row *row, const struct accelerator *accelerator, const char *field)
{
	struct accelerator planned = *accelerator, of_row = row->accelerator;
	const double *mine = accelerator_figure(&planned, field), *theirs = accelerator_figure(&of_row, field);

	return mine && theirs && *mine >= *theirs && *mine <= *theirs ? *mine : ABSENT_NUMBER;
}

/* Widens the range of an assumption that is already noted, and replaces its source. False: not noted. */
static bool widen_assumption(struct findings *findings, const struct figure *figure)
{
	for (size_t i = 0; i < findings->assumption_count; i++) {
		struct assumption *assumption = &findings->assumptions[i];

		if (strcmp(assumption->field, figure->field) != 0)
			continue;
		assumption->low = fmin(given_or(assumption->low, figure->low), figure->low);
		assumption->high = fmax(given_or(assumption->high, figure->high), figure->high);
		assumption->source = figure->source;
		return true;
	}
	return false;
}

static bool widen_input(struct figures *inputs, const struct figure *figure)
{
	if (!inputs)
		return true;
	for (size_t i = 0; i < inputs->count; i++) {
		struct figure *input = &inputs->items[i];

		if (strcmp(input->field, figure->field) != 0)
			continue;
		input->low = fmin(input->low, figure->low);
		input->high = fmax(input->high, figure->high);
		input->source = figure->source;
		return true;
	}
	return false;
}

/* Widens the range of an option's input that comes from a row's figure under the request's name. `exact`: only if the
 * input equals the figure, and is not computed from it (as a price per accelerator-hour is). */
static void widen_made(struct figures *inputs, const char *field, const struct figure *of_row, bool exact)
{
	const struct figure *input = inputs && of_row->field ? figures_find(inputs, field) : NULL;
	double ratio;

	if (!input || input->status == PROVENANCE_GIVEN)
		return;
	ratio = input->value / of_row->value;
	if (!(ratio > 0) || (exact && fabs(ratio - 1) > 1e-9))
		return;
	widen_input(inputs, &(struct figure){.field = field, .low = of_row->low * ratio, .high = of_row->high * ratio, .source = of_row->source});
}

/* Notes a figure with its range. The result's field is empty where no source has another value. */
static struct figure note_conflict(const struct resolver *resolver, const char *name, const struct conflict_list *conflicts,
	const char *field, double value, const char *citation)
{
	struct figure figure = {.field = name, .value = value, .status = PROVENANCE_DEFAULT};
	const char *others;

	if (!is_given(value) || !conflict_range(conflicts, field, value, &figure.low, &figure.high))
		return (struct figure){0};
	others = conflict_text(conflicts, field, resolver->arena);
	figure.source = resolver_text(resolver, "%s; others say %s", citation, others ? others : "otherwise");
	if (!widen_assumption(resolver->findings, &figure))
		findings_assume_figure(resolver->findings, &figure);
	return figure;
}

/* True if a list of words, separated by spaces, contains a word. */
static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; at && *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strncmp(at, word, length) == 0 && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

static void note_unverified(
	const struct resolver *resolver, const struct accelerator_row *row, const struct accelerator *accelerator, const struct basis *basis)
{
	const char *named = NULL;

	for (size_t i = 0; i < basis->count; i++)
		if (has_word(row->accelerator.unverified, basis->fields[i]) && is_given(taken(row, accelerator, basis->fields[i])))
			named = named ? resolver_text(resolver, "%s, %s", named, basis->fields[i]) : basis->fields[i];
	if (named)
		findings_assume_text(resolver->findings, "accelerator.unverified", named,
			resolver_text(resolver, "catalogue %s: no second source confirms them", row->accelerator.id));
}

/* Notes other sources' values of the offer's price. */
static void note_offer_conflicts(
	const struct resolver *resolver, const struct accelerator_row *row, const struct offer *offer, struct figures *inputs)
{
	const struct offer_span *span = &resolver->catalogue->index->offers[row - resolver->catalogue->rows.accelerators];

	for (size_t i = 0; i < span->count; i++) {
		const struct price_row *price = span->items[i].row;
		struct figure figure;

		if (price->meta.conflicts.count == 0 || span->items[i].term != offer->term || strcmp(price->provider, offer->provider) != 0 ||
			strcmp(price->instance_type, offer->instance_type) != 0 ||
			strcmp(price->region ? price->region : "", offer->region ? offer->region : "") != 0)
			continue;
		figure = note_conflict(resolver, "offer.price_usd_per_hour", &price->meta.conflicts, "price_usd_per_hour", price->price_usd_per_hour,
			resolver_text(resolver, "catalogue %s: %s", price->id, price->meta.source ? price->meta.source : "source not stated"));
		widen_made(inputs, "pricing.usd_per_gpu_hour", &figure, false);
	}
}

/* Warns of an on-demand price below the provider's own spot price: it may be that of a part of the machine or of a
 * commitment, or outdated. */
static void warn_of_price(const struct resolver *resolver, const struct accelerator_row *row, const struct offer *offer)
{
	const struct offer_span *span = &resolver->catalogue->index->offers[row - resolver->catalogue->rows.accelerators];

	for (size_t i = 0; i < span->count; i++) {
		const struct indexed_offer *indexed = &span->items[i];

		if (!(indexed->spot_usd_per_gpu_hour > 0) || indexed->term != offer->term || strcmp(indexed->row->provider, offer->provider) != 0 ||
			strcmp(indexed->row->instance_type, offer->instance_type) != 0 ||
			strcmp(indexed->row->region ? indexed->row->region : "", offer->region ? offer->region : "") != 0)
			continue;
		findings_warn(resolver->findings,
			"%s's %s on demand in %s costs %.4g USD per accelerator-hour (%s), below its own spot price of %.4g there: confirm it before you budget with it, or give "
			"pricing.usd_per_gpu_hour",
			offer->provider, offer->instance_type, offer->region, indexed->usd_per_gpu_hour, indexed->row->id,
			indexed->spot_usd_per_gpu_hour);
		return;
	}
}

/* Notes other sources' values for the place, where the plan uses the catalogue's row. */
static void note_place_conflicts(
	const struct resolver *resolver, const struct site_request *site, const struct offer *offer, struct figures *inputs)
{
	const struct {
		const char *field, *name, *input;
		double given;
	} figures[] = {{"grid_gco2e_per_kwh", "region.grid_gco2e_per_kwh", "site.grid_gco2e_per_kwh", site->grid_gco2e_per_kwh},
		{"pue", "region.pue", "site.pue", site->pue}, {"wue_l_per_kwh", "region.wue_l_per_kwh", "site.wue_l_per_kwh", site->wue_l_per_kwh},
		{"ewif_l_per_kwh", "region.ewif_l_per_kwh", "site.ewif_l_per_kwh", site->ewif_l_per_kwh}};
	const struct catalogue *catalogue = resolver->catalogue;
	const struct region_row *region = NULL;
	struct region_row row;

	if (site->provider && site->region)
		region = region_of_provider(catalogue, site->provider, site->region);
	else if (offer && offer->region && !site->country)
		region = region_of_provider(catalogue, offer->provider, offer->region);
	if (!region)
		return;
	row = *region;
	for (size_t i = 0; i < COUNT_OF(figures); i++) {
		const double *value = region_figure(&row, figures[i].field);
		struct figure figure;

		if (!value || is_given(figures[i].given))
			continue;
		figure = note_conflict(resolver, figures[i].name, &region->meta.conflicts, figures[i].field, *value,
			catalogue->index->region_citations[region - catalogue->rows.regions]);
		widen_made(inputs, figures[i].input, &figure, true);
	}
}

void resolve_doubts(const struct resolver *resolver, const struct request_common *common, const struct accelerator *accelerator,
	enum precision precision, const struct offer *offer, struct figures *inputs)
{
	const struct accelerator_row *row = row_of(resolver, common, accelerator);
	struct basis basis = basis_of(accelerator, precision);

	for (size_t i = 0; row && i < basis.count; i++) {
		struct figure figure = note_conflict(resolver, resolver_text(resolver, "accelerator.%s", basis.fields[i]), &row->meta.conflicts,
			basis.fields[i], taken(row, accelerator, basis.fields[i]),
			resolver->catalogue->index->accelerator_citations[row - resolver->catalogue->rows.accelerators]);

		if (figure.field && !widen_input(inputs, &figure) && inputs->count < FIGURES_MAX)
			figures_add(inputs, figure);
	}
	if (row)
		note_unverified(resolver, row, accelerator, &basis);
	if (row && offer) {
		note_offer_conflicts(resolver, row, offer, inputs);
		warn_of_price(resolver, row, offer);
	}
	note_place_conflicts(resolver, &common->site, offer, inputs);
}

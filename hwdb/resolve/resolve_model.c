#include <stdarg.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/spelling.h"
#include "hwdb/catalogue/given_names.h"
#include "hwdb/models/model_config.h"
#include "hwdb/resolve/resolve_parts.h"

enum status resolver_status(const struct resolver *resolver)
{
	return resolver->failure->status;
}

const char *resolver_text(const struct resolver *resolver, const char *format, ...)
{
	char text[512];
	const char *copy;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	copy = arena_strdup(resolver->arena, text);
	return copy ? copy : "catalogue";
}

static void offer_names(struct spelling *spelling, const char *id, const struct text_list *aliases)
{
	spelling_offer(spelling, id);
	for (size_t i = 0; i < aliases->count; i++)
		spelling_offer(spelling, aliases->items[i]);
}

static const char *listed_at(const char *what)
{
	return strcmp(what, "model") == 0 ? "models" : strcmp(what, "accelerator") == 0 ? "accelerators" : "regions";
}

/* Offers each instance type once: many prices have the same type. */
static void offer_instances(struct spelling *spelling, const struct catalogue_rows *rows)
{
	for (size_t i = 0; i < rows->price_count; i++) {
		bool known = false;

		for (size_t k = 0; k < spelling->count; k++)
			known = known || strcmp(spelling->nearest[k], rows->prices[i].instance_type) == 0;
		if (!known)
			spelling_offer(spelling, rows->prices[i].instance_type);
	}
}

/* Offers names of places: countries by their name, providers' regions by their id. */
static void offer_regions(struct spelling *spelling, const struct catalogue_rows *rows, bool countries)
{
	for (size_t i = 0; i < rows->region_count; i++) {
		bool country = strcmp(rows->regions[i].provider, "country") == 0;

		if (country == countries)
			spelling_offer(spelling, country && rows->regions[i].location ? rows->regions[i].location : rows->regions[i].id);
	}
}

void fault_unknown(const struct resolver *resolver, const char *pointer, const char *what, const char *name)
{
	const struct catalogue_rows *rows = &resolver->catalogue->rows;
	bool model = strcmp(what, "model") == 0, accelerator = strcmp(what, "accelerator") == 0;
	struct spelling spelling;
	char nearest[200], words[128];

	given_words(name, model, words, sizeof words); /* "meta-llama/Llama-3.1-9B" is near to llama-3.1-8b */
	spelling_init(&spelling, model || accelerator ? words : name);
	for (size_t i = 0; model && i < rows->model_count; i++)
		offer_names(&spelling, rows->models[i].id, &rows->models[i].aliases);
	for (size_t i = 0; accelerator && i < rows->accelerator_count; i++)
		offer_names(&spelling, rows->accelerators[i].accelerator.id, &rows->accelerators[i].aliases);
	if (accelerator && spelling.count == 0) {
		spelling_init(&spelling, name); /* an instance type is compared as it is written */
		offer_instances(&spelling, rows);
	}
	while ((model || accelerator) && spelling.count == 0 && strrchr(words, '-')) { /* drop the last word to find names of the same family */
		*strrchr(words, '-') = '\0';
		spelling_init(&spelling, words);
		for (size_t i = 0; model && i < rows->model_count; i++)
			offer_names(&spelling, rows->models[i].id, &rows->models[i].aliases);
		for (size_t i = 0; accelerator && i < rows->accelerator_count; i++)
			offer_names(&spelling, rows->accelerators[i].accelerator.id, &rows->accelerators[i].aliases);
	}
	if (!model && !accelerator)
		offer_regions(&spelling, rows, strcmp(what, "country") == 0);
	spelling_list(&spelling, nearest, sizeof nearest);
	failure_add(resolver->failure, pointer, "unknown", "no %s \"%.80s\" in the catalogue; %s%s", what, name,
		nearest[0] ? "the nearest known: " : "listed at GET /v1/", nearest[0] ? nearest : listed_at(what));
}

/* True for a size with the FLOPs or bytes of a sample: a generic model, whether or not its kind is given. Transformers
 * have neither. */
static bool is_generic(const struct model_reference *reference)
{
	bool of_samples = reference->flops_per_sample > 0 || reference->sample_bytes > 0;

	return reference->kind || (of_samples && !reference->id && !reference->config.text);
}

/* Returns how many forms of a model reference are given; more than one is a contradiction. */
static int forms_given(const struct model_reference *reference)
{
	return (reference->id != NULL) + (reference->config.text != NULL) + (is_generic(reference) || is_given(reference->params));
}

/* True for families without a published size: a row of theirs would be a guess. */
static bool unpublished(const char *name)
{
	static const char *const families[] = {"gpt-4", "gpt4", "gpt-5", "gpt5", "claude", "gemini", "o1", "o3"};
	const char *slash = strrchr(name, '/'), *bare = slash ? slash + 1 : name;

	for (size_t i = 0; i < COUNT_OF(families); i++) {
		size_t length = strlen(families[i]);

		if (strncasecmp(bare, families[i], length) == 0 && !isalnum((unsigned char)bare[length]))
			return true;
		if (length > 3 && strncasecmp(bare, families[i], length) == 0)
			return true;
	}
	return false;
}

static enum status resolve_named(const struct resolver *resolver, const char *name, const char *pointer, struct model *model)
{
	const char *alias;
	const struct model_row *row = given_model(resolver->catalogue, name, &alias);

	if (!row && unpublished(name)) {
		failure_add(resolver->failure, pointer, "unknown",
			"\"%.60s\": its vendor has not published its size; give the size to plan with, as {params, params_active}", name);
		return resolver_status(resolver);
	}
	if (!row) {
		fault_unknown(resolver, pointer, "model", name);
		return resolver_status(resolver);
	}
	*model = row->model;
	if (alias)
		findings_assume_text(resolver->findings, "model", row->id,
			resolver_text(resolver, "catalogue: \"%s\" is an alias of %s (%s)", alias, row->id,
				row->meta.source ? row->meta.source : "source not stated"));
	return STATUS_OK;
}

static enum status resolve_generic(
	const struct resolver *resolver, const struct model_reference *reference, const char *pointer, struct model *model)
{
	char at[FAULT_POINTER_MAX];

	snprintf(at, sizeof at, "%.100s/flops_per_sample", pointer);
	if (!(reference->flops_per_sample > 0))
		failure_add(resolver->failure, at, "required", "a generic model needs the FLOPs of one sample's forward pass");
	snprintf(at, sizeof at, "%.100s/params", pointer);
	if (!(reference->params > 0))
		failure_add(resolver->failure, at, "required", "a generic model needs its number of parameters");
	if (resolver_status(resolver) != STATUS_OK)
		return resolver_status(resolver);
	*model = (struct model){.kind = MODEL_GENERIC,
		.source = "request",
		.generic_flops_per_sample = reference->flops_per_sample,
		.generic_sample_bytes = given_or(reference->sample_bytes, 0),
		.params_total = reference->params,
		.params_active = given_or(reference->params_active, 0)};
	model_finish(model);
	if (!reference->kind)
		findings_assume_text(resolver->findings, "model.kind", "generic", "E2: flops_per_sample and sample_bytes belong to a generic model");
	if (!is_given(reference->params_active) && model->params_embedding > 0)
		findings_assume_number(resolver->findings, "model.params_active", model->params_active,
			"E2: a used weight costs 2 FLOPs for each sample; the other parameters are look-up tables");
	return STATUS_OK;
}

static enum status resolve_size(
	const struct resolver *resolver, const struct model_reference *reference, const char *pointer, struct model *model)
{
	double active = reference->params_active;
	char at[FAULT_POINTER_MAX];

	snprintf(at, sizeof at, "%.100s/params", pointer);
	if (!(reference->params >= 1e6 && reference->params <= 1e15))
		failure_add(resolver->failure, at, "out_of_range",
			"must lie between 1e6 and 1e15 parameters of a transformer; give {kind: \"generic\", ...} for a smaller model");
	snprintf(at, sizeof at, "%.100s/params_active", pointer);
	if (is_given(active) && !(active >= 1e6 && active <= reference->params))
		failure_add(resolver->failure, at, "out_of_range", "must lie between 1e6 and params");
	if (resolver_status(resolver) != STATUS_OK)
		return resolver_status(resolver);
	model_from_size(model, reference->params, reference->params_active);
	model->source = "request";
	findings_assume_text(resolver->findings, "model.config",
		resolver_text(resolver, "%d layers of width %d, vocabulary %d", model->layer_count, model->hidden, model->vocabulary),
		"E2: the usual shape of a transformer of that size");
	return STATUS_OK;
}

static enum status resolve_config(
	const struct resolver *resolver, const struct model_reference *reference, const char *pointer, struct model *model)
{
	char at[FAULT_POINTER_MAX];
	enum status status;

	snprintf(at, sizeof at, "%.100s/config", pointer);
	status = model_config_read(reference->config.text, reference->config.length, at, model, resolver->failure);
	model->source = "request";
	if (status == STATUS_OK && model->notes[0])
		findings_assume_text(resolver->findings, "model.config", resolver_text(resolver, "%s", model->notes),
			"E1: parameters of each layer, by the family's published implementation");
	return status;
}

enum status resolve_model(const struct resolver *resolver, const struct model_reference *reference, const char *pointer, struct model *model)
{
	int forms = forms_given(reference);

	if (forms == 0)
		failure_add(resolver->failure, pointer, "required",
			"give a model id of the catalogue, {config: ...}, {params: ...} or {kind: \"generic\", ...}");
	else if (forms > 1)
		failure_add(resolver->failure, pointer, "conflict", "give only one of id, config and params");
	if (forms != 1)
		return resolver_status(resolver);
	if (reference->id)
		return resolve_named(resolver, reference->id, pointer, model);
	if (reference->config.text)
		return resolve_config(resolver, reference, pointer, model);
	return is_generic(reference) ? resolve_generic(resolver, reference, pointer, model) : resolve_size(resolver, reference, pointer, model);
}

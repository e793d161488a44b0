/* What a request's names stood for: the answer's `request` holds ids of rows, so that it means the same when an alias moves. */
#include "hwdb/resolve.h"

void resolve_model_name(const struct resolver *resolver, struct model_reference *reference)
{
	const char *alias;
	const struct model_row *row = reference->id ? catalogue_model(resolver->catalogue, reference->id, &alias) : NULL;

	if (row)
		reference->id = row->id;
}

void resolve_accelerator_name(const struct resolver *resolver, struct accelerator_reference *reference)
{
	const char **name = reference->like ? &reference->like : &reference->id, *alias; /* a variant's id is its own */
	const struct accelerator_row *row = *name ? catalogue_accelerator(resolver->catalogue, *name, &alias) : NULL;

	if (row)
		*name = row->accelerator.id;
}

void resolve_names(const struct resolver *resolver, struct request_common *common)
{
	resolve_model_name(resolver, &common->model);
	resolve_accelerator_name(resolver, &common->accelerator);
	for (size_t i = 0; i < common->accelerators.count; i++)
		resolve_accelerator_name(resolver, &common->accelerators.items[i]);
}

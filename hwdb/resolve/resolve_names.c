/* Ids for a request's names: the answer's `request` holds ids of rows, so that it keeps its meaning when an alias
 * changes. */
#include <stdio.h>
#include <string.h>

#include "hwdb/catalogue/given_names.h"
#include "hwdb/resolve/resolve_parts.h"

void resolve_model_name(const struct resolver *resolver, struct model_reference *reference)
{
	const char *alias;
	const struct model_row *row = reference->id ? given_model(resolver->catalogue, reference->id, &alias) : NULL;

	if (row)
		reference->id = row->id;
}

void resolve_accelerator_name(const struct resolver *resolver, struct accelerator_reference *reference)
{
	const char **name = reference->like ? &reference->like : &reference->id, *alias; /* a variant's id is its own */
	const struct accelerator_row *row = *name ? given_accelerator(resolver->catalogue, *name, &alias) : NULL;

	if (*name && !row)
		row = given_instance(resolver->catalogue, *name).row;
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

/* True if the failure has a fault at the place or inside of it. */
static bool is_faulty(const struct failure *failure, const char *pointer)
{
	size_t length = strlen(pointer);

	for (size_t i = 0; i < failure->fault_count; i++) {
		const char *at = failure->faults[i].pointer;

		if (strncmp(at, pointer, length) == 0 && (at[length] == '\0' || at[length] == '/'))
			return true;
	}
	return false;
}

static void fault_accelerator(const struct resolver *resolver, const struct accelerator_reference *reference, const char *pointer)
{
	const char *name = reference->like ? reference->like : reference->id, *alias;

	if (name && !is_faulty(resolver->failure, pointer) && !given_accelerator(resolver->catalogue, name, &alias) &&
		!given_instance(resolver->catalogue, name).price)
		fault_unknown(resolver, pointer, "accelerator", name);
}

void resolve_fault_names(const struct resolver *resolver, const struct request_common *common)
{
	const char *alias;

	if (common->model.id && !is_faulty(resolver->failure, "/model") && !given_model(resolver->catalogue, common->model.id, &alias))
		fault_unknown(resolver, "/model", "model", common->model.id);
	fault_accelerator(resolver, &common->accelerator, "/accelerator");
	for (size_t i = 0; i < common->accelerators.count; i++) {
		char at[64];

		snprintf(at, sizeof at, "/accelerators/%zu", i);
		fault_accelerator(resolver, &common->accelerators.items[i], at);
	}
}

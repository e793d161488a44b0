#include "planner/queueing/prefixes.h"

void prefixes_start(struct prefixes *prefixes, struct prefix_link *links, int32_t count)
{
	*prefixes = (struct prefixes){.links = links, .newest = PREFIX_NONE, .oldest = PREFIX_NONE};
	for (int32_t i = 0; i < count; i++)
		links[i] = (struct prefix_link){PREFIX_OUT, PREFIX_OUT};
}

bool prefixes_hold(const struct prefixes *prefixes, int32_t prefix)
{
	return prefixes->links[prefix].newer != PREFIX_OUT;
}

static void unlink_prefix(struct prefixes *prefixes, int32_t prefix)
{
	struct prefix_link link = prefixes->links[prefix];

	*(link.newer == PREFIX_NONE ? &prefixes->newest : &prefixes->links[link.newer].older) = link.older;
	*(link.older == PREFIX_NONE ? &prefixes->oldest : &prefixes->links[link.older].newer) = link.newer;
	prefixes->links[prefix] = (struct prefix_link){PREFIX_OUT, PREFIX_OUT};
	prefixes->held--;
}

void prefixes_touch(struct prefixes *prefixes, int32_t prefix)
{
	if (prefixes_hold(prefixes, prefix))
		unlink_prefix(prefixes, prefix);
	prefixes->links[prefix] = (struct prefix_link){PREFIX_NONE, prefixes->newest};
	*(prefixes->newest == PREFIX_NONE ? &prefixes->oldest : &prefixes->links[prefixes->newest].newer) = prefix;
	prefixes->newest = prefix;
	prefixes->held++;
}

void prefixes_trim(struct prefixes *prefixes, int32_t most)
{
	while (prefixes->held > most)
		unlink_prefix(prefixes, prefixes->oldest);
}

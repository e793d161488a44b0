/* The CORS allow-list: off unless --cors-origins names origins. */
#include "server/http_private.h"

bool cors_allows(const char *origins, const char *origin)
{
	size_t length = origin ? strlen(origin) : 0;

	if (!origins || !*origins || !length)
		return false;
	while (*origins) {
		size_t item;

		origins += strspn(origins, ", ");
		item = strcspn(origins, ", ");
		if ((item == 1 && *origins == '*') || (item == length && strncmp(origins, origin, length) == 0))
			return true;
		origins += item;
	}
	return false;
}

#include "server/origin.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "server/http_private.h"

enum { HOST_MAX = 256 };

/* Copies the name or address from "name:port", "address:port" or "[address]:port". False if it is too long. */
static bool host_name(const char *host, char name[HOST_MAX])
{
	size_t length;

	if (*host == '[') {
		host++;
		length = strcspn(host, "]");
	} else {
		length = strcspn(host, ":");
	}
	if (length >= HOST_MAX)
		return false;
	memcpy(name, host, length);
	name[length] = '\0';
	if (length > 0 && name[length - 1] == '.') /* the dot of the DNS root */
		name[length - 1] = '\0';
	return true;
}

static bool is_address(const char *name)
{
	unsigned char address[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static bool is_listed(const char *name, const char *list)
{
	size_t length = strlen(name);

	while (list && *list) {
		size_t item;

		list += strspn(list, ", ");
		item = strcspn(list, ", ");
		if (item == length && item > 0 && strncasecmp(list, name, item) == 0)
			return true;
		list += item;
	}
	return false;
}

bool origin_host_is_trusted(const char *host, const char *allowed)
{
	static const char below[] = ".localhost";
	char name[HOST_MAX];
	size_t length;

	if (!host)
		return true;
	if (!host_name(host, name))
		return false;
	length = strlen(name);
	return is_address(name) || strcasecmp(name, "localhost") == 0 ||
		(length > strlen(below) && strcasecmp(name + length - strlen(below), below) == 0) || is_listed(name, allowed);
}

static bool is_same_origin(const char *origin, const char *host)
{
	const char *authority = strstr(origin, "://");

	return authority && host && strcasecmp(authority + 3, host) == 0;
}

enum status origin_judge(
	const char *method, const struct origin_headers *headers, const char *allowed_hosts, const char *cors_origins, struct failure *failure)
{
	bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0, foreign, crossed;

	if (!origin_host_is_trusted(headers->host, allowed_hosts))
		return failure_set(failure, STATUS_FORBIDDEN,
			"the Host %.100s is not allowed while the daemon has no API keys; call localhost or an address, add the host to "
			"--allowed-hosts, or create keys (fleetplan keys create)",
			headers->host);
	if (reads || cors_allows(cors_origins, headers->origin))
		return STATUS_OK;
	foreign = headers->origin && !is_same_origin(headers->origin, headers->host);
	crossed = headers->fetch_site && strcmp(headers->fetch_site, "same-origin") != 0 && strcmp(headers->fetch_site, "none") != 0;
	if (foreign || crossed)
		return failure_set(failure, STATUS_FORBIDDEN,
			"a page of %.100s may not send %s to a daemon without an API key; add its origin to --cors-origins, or create keys",
			headers->origin ? headers->origin : "another site", method);
	return STATUS_OK;
}

#include "net/address.h"

#include <netinet/in.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"

struct block {
	uint32_t network;
	unsigned bits;
};

#define FOUR(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

/* Blocks that are not globally reachable (https://www.iana.org/assignments/iana-ipv4-special-registry), and multicast. */
static const struct block special_blocks[] = {
	{FOUR(0, 0, 0, 0), 8},
	{FOUR(10, 0, 0, 0), 8},
	{FOUR(100, 64, 0, 0), 10},
	{FOUR(127, 0, 0, 0), 8},
	{FOUR(169, 254, 0, 0), 16},
	{FOUR(172, 16, 0, 0), 12},
	{FOUR(192, 0, 0, 0), 24},
	{FOUR(192, 0, 2, 0), 24},
	{FOUR(192, 88, 99, 0), 24},
	{FOUR(192, 168, 0, 0), 16},
	{FOUR(198, 18, 0, 0), 15},
	{FOUR(198, 51, 100, 0), 24},
	{FOUR(203, 0, 113, 0), 24},
	{FOUR(224, 0, 0, 0), 4},
	{FOUR(240, 0, 0, 0), 4},
};

static bool ipv4_is_public(uint32_t address)
{
	for (size_t i = 0; i < COUNT_OF(special_blocks); i++)
		if ((address ^ special_blocks[i].network) >> (32 - special_blocks[i].bits) == 0)
			return false;
	return true;
}

static bool has_prefix(const struct in6_addr *address, const unsigned char *prefix, unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	return memcmp(address->s6_addr, prefix, whole) == 0 && (rest == 0 || (address->s6_addr[whole] ^ prefix[whole]) >> (8 - rest) == 0);
}

static bool ipv6_is_public(const struct in6_addr *address)
{
	static const unsigned char global[] = {0x20}, nat64[] = {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0};
	/* IETF protocols (Teredo is one), two documentation blocks, 6to4. */
	static const unsigned char protocols[] = {0x20, 0x01, 0x00}, documentation[] = {0x20, 0x01, 0x0d, 0xb8}, six_to_four[] = {0x20, 0x02},
							   documentation_2[] = {0x3f, 0xff, 0x00};
	const unsigned char *last = address->s6_addr + 12;

	if (has_prefix(address, nat64, 96))
		return ipv4_is_public(FOUR(last[0], last[1], last[2], last[3]));
	return has_prefix(address, global, 3) && !has_prefix(address, protocols, 23) && !has_prefix(address, documentation, 32) &&
		!has_prefix(address, six_to_four, 16) && !has_prefix(address, documentation_2, 20);
}

static uint32_t ipv4_of(const struct sockaddr *address)
{
	return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr);
}

static const struct in6_addr *ipv6_of(const struct sockaddr *address)
{
	return &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
}

bool address_is_public(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ipv4_is_public(ipv4_of(address));
	return address->sa_family == AF_INET6 && ipv6_is_public(ipv6_of(address));
}

bool address_is_this_machine(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ipv4_of(address) >> 24 == 127;
	if (address->sa_family != AF_INET6)
		return false;
	return IN6_IS_ADDR_LOOPBACK(ipv6_of(address)) || (IN6_IS_ADDR_V4MAPPED(ipv6_of(address)) && ipv6_of(address)->s6_addr[12] == 127);
}

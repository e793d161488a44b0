/* Addresses: which ones belong to the public internet. The HTTP client checks each address before it connects: the owner
 * of a name or of a server must not be able to direct this machine's requests to itself, to its neighbours or to a
 * cloud's metadata service. Pure. */
#ifndef FLEETPLAN_NET_ADDRESS_H
#define FLEETPLAN_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/* True for globally reachable unicast addresses (the IANA special-purpose registries, RFC 6890 and its successors): not
 * loopback, private, shared, link-local, documentation, benchmarking, multicast or reserved. IPv6: only 2000::/3 without
 * blocks that embed or map other addresses, and 64:ff9b::/96 (NAT64) if the embedded address is public. Other families:
 * false. */
bool address_is_public(const struct sockaddr *address);

/* True for 127.0.0.0/8, ::1 and ::ffff:127.0.0.0/104. */
bool address_is_this_machine(const struct sockaddr *address);

#endif

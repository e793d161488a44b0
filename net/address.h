/* Which network addresses are of the open internet. For outgoing requests: whoever controls a name (or its server) must not be
 * able to make this machine talk to itself, to its neighbours, or to a cloud's metadata service. Pure. */
#ifndef FLEETPLAN_NET_ADDRESS_H
#define FLEETPLAN_NET_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/* Globally reachable unicast (the IANA special-purpose registries, RFC 6890 and its successors): not loopback, private, shared,
 * link-local, documentation, benchmarking, multicast or reserved; of IPv6 only 2000::/3 without what embeds or maps other
 * addresses, and 64:ff9b::/96 (NAT64) where the embedded address is public itself. Other families: false. */
bool address_is_public(const struct sockaddr *address);

/* 127.0.0.0/8, ::1, and the former mapped into IPv6. */
bool address_is_this_machine(const struct sockaddr *address);

#endif

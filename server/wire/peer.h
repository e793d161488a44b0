/* The state of the open sockets, in addition to libmicrohttpd's own. libmicrohttpd has only a timer of inactivity: a
 * client that sends one byte per second would be served for ever. So every connection carries its phase and the time by
 * which that phase must end. A sweeper thread checks four times a second and shuts down the sockets that took longer. A
 * client that was still sending its request receives 408 first.
 *
 * The connection of a refused request whose body was not read is closed gently: the socket stays open for a moment
 * after the answer, and what arrives is discarded. Closing with unread bytes makes the kernel send a reset that can
 * destroy the answer.
 *
 * A connection belongs to its connection thread. The sweeper touches only atomic members, and the list's mutex keeps a
 * connection and its socket alive while the sweeper reads them. */
#ifndef FLEETPLAN_SERVER_WIRE_PEER_H
#define FLEETPLAN_SERVER_WIRE_PEER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct exchange;

struct memory_budget;

enum peer_phase {
	PHASE_IDLE,      /* between requests: libmicrohttpd's timer applies; arriving bytes begin PHASE_OPENED */
	PHASE_OPENED,    /* a request is expected, or its first line is arriving: the time of PHASE_RECEIVING runs already */
	PHASE_RECEIVING, /* from a request's first line to its last byte */
	PHASE_WORKING,   /* no deadline: the handler's own limits apply; the sweeper checks whether the client is still there */
	PHASE_SENDING,   /* from the first byte of the answer to its last */
	PHASE_CUT,       /* the sweeper shut it down; nothing may be written any more */
	PHASE_COUNT
};

_Static_assert(PHASE_COUNT <= 8, "three bits of a peer's state");

enum { PEER_ADDRESS_SIZE = 46 };

struct peer {
	struct peer *next, *previous;
	_Atomic int64_t since_ms;  /* when PHASE_IDLE or PHASE_OPENED began */
	uint64_t round;            /* under the list's mutex: the round in which it was last considered for being closed */
	bool cut_for_room;         /* under the list's mutex */
	bool health_only;          /* accepted beyond the limit: only requests for the daemon's health are answered */
	_Atomic uint64_t state;    /* deadline in monotonic milliseconds x 8 + phase */
	uint64_t bytes_received;   /* the sweeper's: bytes of the socket when it was first seen idle */
	_Atomic bool gone;         /* the last check during PHASE_WORKING found that the client had closed its end */
	bool idle_seen;            /* the sweeper's */
	int64_t ended_ms;          /* the sweeper's: when the client was first seen to send no more during PHASE_WORKING; 0: not seen */
	_Atomic size_t held_bytes; /* memory of the answer that is being sent */
	uint64_t bytes_taken;      /* the sweeper's: bytes of the answer that the client had read */
	int64_t taken_ms;          /* ... at this time; 0: not checked yet */
	int64_t left_ms;           /* the connection thread's: what is left of the time to receive, while it is paused */
	bool linger;               /* the connection thread's: close gently */
	struct exchange *_Atomic successor;   /* replaces the connection's exchange when the connection is resumed; NULL: none */
	uint64_t address;                     /* of the client: an IPv4 address or an IPv6 network (/64) */
	char address_text[PEER_ADDRESS_SIZE]; /* the whole address; "": the client had already gone */
	int fd;
};

struct lingering {
	int fd;
	int64_t until_ms;
};
enum { LINGERING_MAX = 128 };

struct peers {
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct peer *first;
	_Atomic size_t count;
	uint64_t round;          /* under the mutex: current round of making room */
	size_t maximum, leaving; /* under the mutex: the limit; the number of connections cut for room and not yet closed */
	struct lingering lingering[LINGERING_MAX];
	size_t lingering_count;
	unsigned receive_seconds, send_seconds;
	const struct memory_budget *budget; /* memory for clients: when half of it is in use, slow readers are cut */
	_Atomic uint64_t cut;               /* connections ended by the sweeper */
	_Atomic uint64_t cut_for_room;      /* idle connections closed to make room for new ones */
	_Atomic uint64_t cut_for_memory;    /* slow readers closed because others needed their memory */
	_Atomic uint64_t refused;           /* connections refused at accept */
	bool stopping;
	pthread_t sweeper;
	bool running;
};

/* Connections beyond the maximum: for addresses that have none yet, and for requests for the daemon's health. */
enum { PEERS_FOR_NEW_ADDRESSES = 64, PEERS_FOR_HEALTH = 32, PEERS_RESERVE = PEERS_FOR_NEW_ADDRESSES + PEERS_FOR_HEALTH };

FALLIBLE bool peers_start(
	struct peers *peers, const struct memory_budget *budget, size_t maximum, unsigned receive_seconds, unsigned send_seconds);
void peers_stop(struct peers *peers);    /* joins the sweeper; every connection is closed already */
void peers_cut_all(struct peers *peers); /* shuts every socket down: the last step of the drain */

/* Decides whether to accept a new connection from this address. From nine tenths of the maximum on, the oldest
 * connection that is idle or has not begun a request is cut to make room. If there is none, an address without a
 * connection is accepted all the same, and any other address only for requests for the daemon's health. Any thread. */
struct sockaddr;
bool peers_admit(struct peers *peers, const struct sockaddr *address);

/* True if a request may be arriving that is not read yet: bytes of it are here, or its client connected or was answered
 * just now. Any thread. */
bool peers_expect(struct peers *peers);

/* Makes the state of a new connection on the socket, PHASE_OPENED; NULL without memory. */
struct peer *peer_open(struct peers *peers, int fd);
void peer_close(struct peers *peers, struct peer *peer);

/* Checks whether the client has closed its end, so that it can receive no answer. The sweeper checks four times a
 * second, for computations that read `gone`. Code about to give away something that cannot be given twice calls this
 * itself. Any thread, during PHASE_WORKING. */
bool peer_is_gone(struct peer *peer);

/* What is known of the client's end: it sends no more, which may mean that it has left, or it has left. Any thread,
 * during PHASE_WORKING. */
enum peer_end { PEER_STAYS, PEER_SENDS_NO_MORE, PEER_LEFT };
enum peer_end peer_end_of(const struct peer *peer);

/* Stop and restart the time to receive while we process what the client has sent: from pause to resume the phase is
 * PHASE_WORKING. `anew`: the client gets the whole time again. False if the sweeper has cut the connection. On the
 * connection's thread. */
bool peer_pause(struct peers *peers, struct peer *peer);
bool peer_resume(struct peers *peers, struct peer *peer, bool anew);

/* Enters a phase; false if the sweeper has cut the connection meanwhile. */
bool peer_enter(struct peers *peers, struct peer *peer, enum peer_phase phase);

#endif

/* Bookkeeping of the open sockets beside libmicrohttpd's own, which has only a timer of inactivity: a client that sends a
 * byte a second would be served for ever. Every connection carries the phase it is in and the moment by which that phase
 * must end; a sweeper thread looks four times a second and shuts down the sockets of those that took longer. A client that
 * was still sending its request is told so (408) first.
 *
 * Refused requests whose body was not read are closed gently: the socket stays open for a moment after the answer and what
 * arrives is thrown away, since closing with unread bytes makes the kernel send a reset that can destroy the answer.
 *
 * A connection belongs to its connection thread; the sweeper touches only what is atomic, and the list's mutex keeps a
 * connection and its socket alive while it looks. */
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
	PHASE_IDLE,      /* between requests: libmicrohttpd's timer rules; bytes trickling in begin PHASE_OPENED */
	PHASE_OPENED,    /* a request shall come, or its first line is coming: the time of PHASE_RECEIVING runs already */
	PHASE_RECEIVING, /* from a request's first line to its last byte */
	PHASE_WORKING,   /* no deadline: the handler's own limits rule; whether the client is still there is looked at */
	PHASE_SENDING,   /* from the first byte of the answer to its last */
	PHASE_CUT,       /* the sweeper ended it; nothing may be written any more */
	PHASE_COUNT
};

_Static_assert(PHASE_COUNT <= 8, "three bits of a peer's state");

enum { PEER_ADDRESS_SIZE = 46 };

struct peer {
	struct peer *next, *previous;
	_Atomic int64_t since_ms; /* when PHASE_IDLE or PHASE_OPENED began */
	uint64_t round;           /* under the list's mutex: when it was last thought of for that */
	bool cut_for_room;        /* under the list's mutex */
	bool health_only;         /* let in beyond the limit: only what tells of our health is answered */
	_Atomic uint64_t state; /* deadline in monotonic milliseconds x 8 + phase */
	uint64_t bytes_received; /* the sweeper's: of the socket, when it was first seen idle */
	_Atomic bool gone; /* the client closed its end while it was worked for, as was seen when somebody last looked */
	bool idle_seen;          /* the sweeper's */
	int64_t ended_ms;        /* the sweeper's: when the client was first seen to send no more while it was worked for; 0: it was not */
	_Atomic size_t held_bytes; /* of the answer that is being sent */
	uint64_t bytes_taken;    /* the sweeper's: of that, by the client, at */
	int64_t taken_ms;        /* this time; 0: not looked at yet */
	int64_t left_ms;         /* the connection thread's: of the time to receive, while that is paused */
	bool linger;             /* the connection thread's: close gently */
	struct exchange *_Atomic successor; /* takes the place of the connection's exchange when it is resumed; NULL: none */
	uint64_t address; /* of the client: one of IPv4, or a network of IPv6 (/64) */
	char address_text[PEER_ADDRESS_SIZE]; /* the whole of it; "": it was gone */
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
	uint64_t round;              /* under the mutex: of making room */
	size_t maximum, leaving;     /* under the mutex: connections that there may be; those that are cut for room and not closed yet */
	struct lingering lingering[LINGERING_MAX];
	size_t lingering_count;
	unsigned receive_seconds, send_seconds;
	const struct memory_budget *budget; /* of what is held: when it is half taken, who reads slowly is cut */
	_Atomic uint64_t cut;          /* connections ended by the sweeper */
	_Atomic uint64_t cut_for_room; /* idle ones ended because others came */
	_Atomic uint64_t cut_for_memory; /* slow readers ended because others wanted their memory */
	_Atomic uint64_t refused;      /* turned away at the door */
	bool stopping;
	pthread_t sweeper;
	bool running;
};

/* Connections beyond the maximum: for addresses that have none yet, and for whoever asks how we are. */
enum { PEERS_FOR_NEW_ADDRESSES = 64, PEERS_FOR_HEALTH = 32, PEERS_RESERVE = PEERS_FOR_NEW_ADDRESSES + PEERS_FOR_HEALTH };

FALLIBLE bool peers_start(struct peers *peers, const struct memory_budget *budget, size_t maximum, unsigned receive_seconds, unsigned send_seconds);
void peers_stop(struct peers *peers); /* joins the sweeper; every connection is closed already */
void peers_cut_all(struct peers *peers); /* shuts every socket down: the drain's last word */

/* Whether a new connection of this address may be. From nine tenths of the maximum on the oldest that is idle, or has not begun to ask, is cut
 * for it. Where none is, an address that has no connection is let in all the same, and any other to ask for our health. Any thread. */
struct sockaddr;
bool peers_admit(struct peers *peers, const struct sockaddr *address);

/* Whether a request is on its way that nobody has read yet: bytes of it are here, or its client connected or was answered just now. Any thread. */
bool peers_expect(struct peers *peers);

/* A new connection of the socket, PHASE_OPENED; NULL without memory. */
struct peer *peer_open(struct peers *peers, int fd);
void peer_close(struct peers *peers, struct peer *peer);

/* Looks whether the client has closed its end, where it takes no answer any more. The sweeper does four times a second, for
 * computations that ask `gone`; who is about to give something away that cannot be given twice looks itself. Any thread,
 * while the connection is worked for. */
bool peer_is_gone(struct peer *peer);

/* What is known of a client's end: it sends no more, which may mean that it has left, or it has left. Any thread, likewise. */
enum peer_end { PEER_STAYS, PEER_SENDS_NO_MORE, PEER_LEFT };
enum peer_end peer_end_of(const struct peer *peer);

/* The time of a client that is receiving does not run while we are at work on what it has sent: from pause to resume it is PHASE_WORKING.
 * `anew`: it has the whole of its time again. False when the sweeper has cut the connection. On the connection's thread. */
bool peer_pause(struct peers *peers, struct peer *peer);
bool peer_resume(struct peers *peers, struct peer *peer, bool anew);

/* Enters a phase; false when the sweeper has cut the connection meanwhile. */
bool peer_enter(struct peers *peers, struct peer *peer, enum peer_phase phase);

#endif

#include "server/wire/peer.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "server/wire/deadline.h"

enum { LINGER_MS = 2000, PEERS_LOOKS_MAX = 16, PEERS_ASKING_MS = 1000 };

static int64_t peer_now_ms(void)
{
	return clock_monotonic_ns() / 1000000;
}

bool peers_start(struct peers *peers, const struct memory_budget *budget, size_t maximum, unsigned receive_seconds, unsigned send_seconds)
{
	pthread_condattr_t attributes;

	*peers = (struct peers){.budget = budget, .maximum = maximum, .receive_seconds = receive_seconds, .send_seconds = send_seconds};
	pthread_mutex_init(&peers->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&peers->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	peers->running = pthread_create(&peers->sweeper, NULL, deadline_sweeper, peers) == 0;
	return peers->running;
}

void peers_stop(struct peers *peers)
{
	if (peers->running) {
		pthread_mutex_lock(&peers->mutex);
		peers->stopping = true;
		pthread_cond_signal(&peers->wake);
		pthread_mutex_unlock(&peers->mutex);
		pthread_join(peers->sweeper, NULL);
		peers->running = false;
	}
	for (size_t i = 0; i < peers->lingering_count; i++)
		close(peers->lingering[i].fd);
	pthread_cond_destroy(&peers->wake);
	pthread_mutex_destroy(&peers->mutex);
}

void peers_cut_all(struct peers *peers)
{
	pthread_mutex_lock(&peers->mutex);
	for (struct peer *peer = peers->first; peer; peer = peer->next)
		shutdown(peer->fd, SHUT_RDWR);
	pthread_mutex_unlock(&peers->mutex);
}

static uint64_t peer_state(const struct peers *peers, enum peer_phase phase)
{
	uint64_t seconds = 0;

	switch (phase) {
	case PHASE_OPENED:
	case PHASE_RECEIVING:
		seconds = peers->receive_seconds;
		break;
	case PHASE_SENDING:
		seconds = peers->send_seconds;
		break;
	case PHASE_IDLE:
	case PHASE_WORKING:
	case PHASE_CUT:
	case PHASE_COUNT:
		return phase;
	}
	return ((uint64_t)peer_now_ms() + seconds * 1000) * 8 + phase;
}

/* An IPv6 client has at least a /64, so a /64 counts as one client: else one client could use 2^64 addresses. */
static uint64_t peer_network(const struct sockaddr *address)
{
	const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
	uint64_t network = 0;

	if (address->sa_family == AF_INET)
		return ((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr;
	if (address->sa_family != AF_INET6)
		return 0;
	if (IN6_IS_ADDR_V4MAPPED(six))
		memcpy(&network, six->s6_addr + 12, 4);
	else
		memcpy(&network, six->s6_addr, 8);
	return network;
}

static uint64_t peer_address(int fd, char text[PEER_ADDRESS_SIZE])
{
	struct sockaddr_storage address = {0};
	socklen_t length = sizeof address;

	*text = '\0';
	if (getpeername(fd, (struct sockaddr *)(void *)&address, &length) != 0)
		return 0;
	if (address.ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)&address)->sin_addr, text, PEER_ADDRESS_SIZE);
	else if (address.ss_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)&address)->sin6_addr, text, PEER_ADDRESS_SIZE);
	return peer_network((struct sockaddr *)(void *)&address);
}

/* Number of connections that are not being closed. The caller holds the mutex. */
static size_t peers_staying(const struct peers *peers)
{
	return atomic_load(&peers->count) - peers->leaving;
}

static bool peers_have(const struct peers *peers, uint64_t address)
{
	for (const struct peer *peer = peers->first; peer; peer = peer->next)
		if (peer->address == address && !peer->cut_for_room)
			return true;
	return false;
}

static bool peer_waits(const struct peer *peer)
{
	enum peer_phase phase = (enum peer_phase)(atomic_load(&peer->state) & 7);

	return phase == PHASE_IDLE || phase == PHASE_OPENED;
}

/* Returns the connection that has been idle or silent for longest and was not considered in this round; NULL: none. The
 * caller holds the mutex. */
static struct peer *peers_oldest(const struct peers *peers)
{
	struct peer *oldest = NULL;

	for (struct peer *peer = peers->first; peer; peer = peer->next)
		if (peer_waits(peer) && peer->round != peers->round && (!oldest || atomic_load(&peer->since_ms) <= atomic_load(&oldest->since_ms)))
			oldest = peer;
	return oldest;
}

/* Cuts the connection, unless a request has arrived that is not read yet. */
static bool peer_cut_for_room(struct peer *peer)
{
	uint64_t state = atomic_load(&peer->state);
	int unread = 0;

	if (ioctl(peer->fd, FIONREAD, &unread) == 0 && unread > 0)
		return false;
	if ((state & 7) == PHASE_OPENED && peer_now_ms() - atomic_load(&peer->since_ms) < PEERS_ASKING_MS && deadline_bytes_received(peer->fd) > 0)
		return false; /* its thread may be about to read it */
	if (((state & 7) != PHASE_IDLE && (state & 7) != PHASE_OPENED) || !atomic_compare_exchange_strong(&peer->state, &state, PHASE_CUT))
		return false; /* a request has just arrived */
	peer->cut_for_room = true;
	shutdown(peer->fd, SHUT_RDWR);
	return true;
}

/* The caller holds the mutex. */
static void peers_make_room(struct peers *peers)
{
	struct peer *oldest;

	peers->round++;
	for (int looks = 0; looks < PEERS_LOOKS_MAX && (oldest = peers_oldest(peers)); looks++) {
		oldest->round = peers->round;
		if (!peer_cut_for_room(oldest))
			continue;
		peers->leaving++;
		atomic_fetch_add(&peers->cut_for_room, 1);
		return;
	}
}

bool peers_admit(struct peers *peers, const struct sockaddr *address)
{
	size_t staying;
	bool room;

	pthread_mutex_lock(&peers->mutex);
	if (peers_staying(peers) >= peers->maximum - peers->maximum / 10)
		peers_make_room(peers);
	staying = peers_staying(peers);
	if (staying < peers->maximum)
		room = true;
	else
		room = staying < peers->maximum + (peers_have(peers, peer_network(address)) ? PEERS_FOR_HEALTH : PEERS_RESERVE);
	pthread_mutex_unlock(&peers->mutex);
	if (!room)
		atomic_fetch_add(&peers->refused, 1);
	return room;
}

/* True if a request is likely soon: most clients send their first request within half a second after connecting, and
 * the next one within a fifth of a second after an answer. */
static bool peer_may_ask(const struct peer *peer, int64_t now_ms)
{
	enum { ASKS_FIRST_MS = 500, ASKS_AGAIN_MS = 200 };
	enum peer_phase phase = (enum peer_phase)(atomic_load(&peer->state) & 7);
	int64_t silent_ms = now_ms - atomic_load(&peer->since_ms);
	int unread = 0;

	if (phase != PHASE_IDLE && phase != PHASE_OPENED)
		return false; /* counted as a request already, or cut */
	if (ioctl(peer->fd, FIONREAD, &unread) == 0 && unread > 0)
		return true;
	return silent_ms < (phase == PHASE_OPENED ? ASKS_FIRST_MS : ASKS_AGAIN_MS);
}

bool peers_expect(struct peers *peers)
{
	int64_t now_ms = peer_now_ms();
	bool expected = false;

	pthread_mutex_lock(&peers->mutex);
	for (const struct peer *peer = peers->first; peer && !expected; peer = peer->next)
		expected = peer_may_ask(peer, now_ms);
	pthread_mutex_unlock(&peers->mutex);
	return expected;
}

struct peer *peer_open(struct peers *peers, int fd)
{
	struct peer *peer = calloc(1, sizeof *peer);

	if (!peer)
		return NULL;
	peer->fd = fd;
	peer->address = peer_address(fd, peer->address_text);
	atomic_store(&peer->since_ms, peer_now_ms());
	atomic_store(&peer->state, peer_state(peers, PHASE_OPENED));
	pthread_mutex_lock(&peers->mutex);
	peer->health_only = peers_staying(peers) >= peers->maximum && peers_have(peers, peer->address);
	peer->next = peers->first;
	if (peer->next)
		peer->next->previous = peer;
	peers->first = peer;
	peers->count++;
	pthread_mutex_unlock(&peers->mutex);
	return peer;
}

/* Keeps a duplicate of the socket when libmicrohttpd closes its own: the client sees the end of the stream instead of a
 * reset. */
static void peer_linger(struct peers *peers, int fd)
{
	int twin;

	if (peers->lingering_count == LINGERING_MAX)
		return;
	twin = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (twin >= 0)
		peers->lingering[peers->lingering_count++] = (struct lingering){.fd = twin, .until_ms = peer_now_ms() + LINGER_MS};
}

void peer_close(struct peers *peers, struct peer *peer)
{
	pthread_mutex_lock(&peers->mutex);
	if (peer->linger)
		peer_linger(peers, peer->fd);
	if (peer->previous)
		peer->previous->next = peer->next;
	else
		peers->first = peer->next;
	if (peer->next)
		peer->next->previous = peer->previous;
	peers->count--;
	peers->leaving -= peer->cut_for_room;
	pthread_mutex_unlock(&peers->mutex);
	free(peer);
}

bool peer_enter(struct peers *peers, struct peer *peer, enum peer_phase phase)
{
	uint64_t state = peer_state(peers, phase), before = atomic_load(&peer->state);

	if (phase == PHASE_IDLE)
		atomic_store(&peer->since_ms, peer_now_ms());
	do {
		if ((before & 7) == PHASE_CUT)
			return false;
		if ((before & 7) == PHASE_RECEIVING && phase == PHASE_RECEIVING)
			return true; /* its deadline runs from the first byte */
		if ((before & 7) == PHASE_OPENED && phase == PHASE_RECEIVING)
			state = before - PHASE_OPENED + PHASE_RECEIVING;
	} while (!atomic_compare_exchange_weak(&peer->state, &before, state));
	return true;
}

bool peer_pause(struct peers *peers, struct peer *peer)
{
	uint64_t before = atomic_load(&peer->state);

	peer->left_ms = (int64_t)(before / 8) - peer_now_ms();
	if ((before & 7) == PHASE_RECEIVING && peer->left_ms < 0)
		peer->left_ms = 0; /* the sweeper was about to cut it; the rest must arrive at once */
	return peer_enter(peers, peer, PHASE_WORKING);
}

bool peer_resume(struct peers *peers, struct peer *peer, bool anew)
{
	uint64_t state = peer_state(peers, PHASE_RECEIVING), before = atomic_load(&peer->state);

	if (!anew)
		state = (uint64_t)(peer_now_ms() + peer->left_ms) * 8 + PHASE_RECEIVING;
	do {
		if ((before & 7) == PHASE_CUT)
			return false;
	} while (!atomic_compare_exchange_weak(&peer->state, &before, state));
	return true;
}

enum peer_end peer_end_of(const struct peer *peer)
{
	struct tcp_info info;
	socklen_t length = sizeof info;

	if (getsockopt(peer->fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 || info.tcpi_state == TCP_ESTABLISHED)
		return PEER_STAYS;
	return info.tcpi_state == TCP_CLOSE_WAIT ? PEER_SENDS_NO_MORE : PEER_LEFT;
}

bool peer_is_gone(struct peer *peer)
{
	if (peer_end_of(peer) != PEER_STAYS)
		atomic_store(&peer->gone, true);
	return atomic_load(&peer->gone);
}

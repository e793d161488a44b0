/* Tests which addresses an outgoing request may use. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "base/status.h"
#include "net/address.h"
#include "support/assert.h"

static bool is_public(const char *text)
{
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
		return address_is_public((struct sockaddr *)&four);
	assert_int_equal(inet_pton(AF_INET6, text, &six.sin6_addr), 1);
	return address_is_public((struct sockaddr *)&six);
}

static void special_addresses_are_refused(void **state)
{
	static const char *const refused[] = {"0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
		"127.255.0.9", "169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1",
		"198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255", "::", "::1",
		"::ffff:8.8.8.8", "::ffff:169.254.169.254", "::8.8.8.8", "fc00::1", "fd12:3456::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
		"2001:db8::1", "2001::1", "2002:7f00:1::", "3fff::1", "64:ff9b::a00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "4000::1"};
	static const char *const open[] = {"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.255.255", "172.32.0.1",
		"169.253.255.255", "198.17.255.255", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::200e",
		"2001:4860:4860::8888", "64:ff9b::808:808"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		if (is_public(refused[i]))
			fail_msg("%s counts as public", refused[i]);
	for (size_t i = 0; i < COUNT_OF(open); i++)
		if (!is_public(open[i]))
			fail_msg("%s is refused", open[i]);
	assert_false(address_is_public(&(struct sockaddr){.sa_family = AF_UNIX}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(special_addresses_are_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

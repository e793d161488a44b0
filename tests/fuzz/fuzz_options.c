/* Any bytes as a configuration file, or as a command's arguments. They are accepted, or rejected with a sentence, and
 * --check-config prints a file with the same meaning. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/agent_options.h"
#include "fuzz/input.h"
#include "server/options.h"

enum { ARGUMENTS_MAX = 24 };

static union {
	struct options serve;
	struct agent_options agent;
} members;

static int file_of(const char *text, size_t length, char *path, size_t size)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("options", MFD_CLOEXEC);
	CHECK(fd >= 0 && ftruncate(fd, 0) == 0 && pwrite(fd, text, length, 0) == (ssize_t)length);
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

static enum status read_options(bool agent, int count, char *const *arguments, struct buffer *effective, struct failure *failure)
{
	struct option_values *values = agent ? &members.agent.values : &members.serve.values;
	enum status status;

	failure_clear(failure);
	status = agent ? option_table_read(&agent_option_table, &members, values, count, arguments, failure)
				   : options_read(&members.serve, count, arguments, failure);
	buffer_init(effective, 1 << 20);
	if (status == STATUS_OK && agent)
		option_table_effective(&agent_option_table, &members, values, effective);
	else if (status == STATUS_OK)
		options_write_effective(&members.serve, effective);
	else
		CHECK(failure->detail[0]);
	option_values_release(values);
	return status;
}

/* Finds the next setting, without the comments on its origin, which differ. */
static bool next_setting(const char **at, const char *end, const char **line, size_t *length)
{
	const char *feed;

	while (*at < end) {
		*line = *at;
		feed = memchr(*at, '\n', (size_t)(end - *at));
		CHECK(feed);
		*at = feed + 1;
		*length = (size_t)(feed - *line);
		while (*length > 0 && (*line)[*length - 1] != '#') /* "# origin" */
			--*length;
		if (**line != '#')
			return true;
	}
	return false;
}

static void check_printed(bool agent, const struct buffer *effective)
{
	static struct failure failure;
	char path[64];
	char *arguments[] = {"fuzz", "--config", path};
	const char *at = effective->bytes, *again_at, *line, *again_line;
	size_t length, again_length;
	struct buffer again;

	file_of(effective->bytes, effective->length, path, sizeof path);
	CHECK(read_options(agent, COUNT_OF(arguments), arguments, &again, &failure) == STATUS_OK);
	again_at = again.bytes;
	while (next_setting(&at, effective->bytes + effective->length, &line, &length)) {
		CHECK(next_setting(&again_at, again.bytes + again.length, &again_line, &again_length));
		CHECK(length == again_length && memcmp(line, again_line, length) == 0);
	}
	buffer_release(&again);
}

void fuzz_one(struct input *input)
{
	static struct failure failure;
	unsigned how = input_byte(input);
	char path[64], *arguments[ARGUMENTS_MAX] = {"fuzz", "--config", path}, *text;
	struct buffer effective;
	int count = 1;
	size_t length;

	if (how & 2) {
		while (input->left > 0 && count < ARGUMENTS_MAX)
			arguments[count++] = input_until(input, '\n', NULL);
	} else {
		text = input_rest(input, &length);
		file_of(text, length, path, sizeof path);
		count = 3;
	}
	if (read_options(how & 1, count, arguments, &effective, &failure) == STATUS_OK && !(how & 2))
		check_printed(how & 1, &effective);
	buffer_release(&effective);
	if ((how & 0xfc) == 0) {
		buffer_init(&effective, 1 << 20);
		option_table_help(&agent_option_table, &effective);
		CHECK(!effective.failed);
		buffer_release(&effective);
	}
}

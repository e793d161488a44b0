#include "hwdb/resolve/mig.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define USER_GUIDE "NVIDIA Multi-Instance GPU User Guide, supported profiles"
#define LISTED     "nvidia-smi mig -lgip"

static const double bytes_per_gib = 1024.0 * 1024 * 1024, memory_eighths = 8;

/* Share of its fraction of the board's memory that a slice has, where only the fraction is published: the driver keeps
 * some. Of the slices below, that of an H200 has the smallest share, 0.91 of an eighth of the board. */
static const double least_of_its_share = 0.91;

static const char a100_40[] = "a100-sxm4-40gb a100-pcie-40gb", a100_80[] = "a100-sxm4-80gb a100-pcie-80gb";
static const char h100_80[] = "h100-sxm5-80gb h100-pcie-80gb", h200[] = "h200-sxm5-141gb h200-nvl";

/* Multiprocessors as nvidia-smi lists them for the first board of a row; the other boards have the same share of
 * theirs. */
static const struct profile {
	const char *boards, *name;
	double gib;     /* 0: computed from its fraction of the board's memory */
	double eighths; /* eighths of the board's memory and bandwidth */
	double multiprocessors, of;
	int64_t per_board;
	const char *source;
} profiles[] = {
	{a100_40, "1g.5gb", 4.75, 1, 14, 108, 7, USER_GUIDE ", A100; " LISTED},
	{a100_40, "1g.10gb", 9.62, 2, 14, 108, 4, USER_GUIDE ", A100; " LISTED},
	{a100_40, "2g.10gb", 9.62, 2, 28, 108, 3, USER_GUIDE ", A100; " LISTED},
	{a100_40, "3g.20gb", 19.50, 4, 42, 108, 2, USER_GUIDE ", A100; " LISTED},
	{a100_80, "1g.10gb", 9.50, 1, 14, 108, 7, USER_GUIDE ", A100; " LISTED},
	{a100_80, "1g.20gb", 19.50, 2, 14, 108, 4, USER_GUIDE ", A100; " LISTED},
	{a100_80, "2g.20gb", 19.50, 2, 28, 108, 3, USER_GUIDE ", A100; " LISTED},
	{a100_80, "3g.40gb", 39.25, 4, 42, 108, 2, USER_GUIDE ", A100; " LISTED},
	{"a30", "1g.6gb", 0, 2, 14, 56, 4, USER_GUIDE ", A30"},
	{"a30", "2g.12gb", 0, 4, 28, 56, 2, USER_GUIDE ", A30"},
	{h100_80, "1g.10gb", 9.75, 1, 16, 132, 7, USER_GUIDE ", H100; " LISTED},
	{h100_80, "1g.20gb", 19.62, 2, 26, 132, 4, USER_GUIDE ", H100; " LISTED},
	{h100_80, "2g.20gb", 19.62, 2, 32, 132, 3, USER_GUIDE ", H100; " LISTED},
	{h100_80, "3g.40gb", 39.50, 4, 60, 132, 2, USER_GUIDE ", H100; " LISTED},
	{"h100-nvl", "1g.12gb", 0, 1, 16, 132, 7, USER_GUIDE ", H100 94 GB"},
	{"h100-nvl", "1g.24gb", 0, 2, 26, 132, 4, USER_GUIDE ", H100 94 GB"},
	{"h100-nvl", "2g.24gb", 0, 2, 32, 132, 3, USER_GUIDE ", H100 94 GB"},
	{"h100-nvl", "3g.47gb", 0, 4, 60, 132, 2, USER_GUIDE ", H100 94 GB"},
	{"gh200-96gb", "1g.12gb", 0, 1, 16, 132, 7, USER_GUIDE ", H100 96 GB on GH200"},
	{"gh200-96gb", "1g.24gb", 0, 2, 26, 132, 4, USER_GUIDE ", H100 96 GB on GH200"},
	{"gh200-96gb", "2g.24gb", 0, 2, 32, 132, 3, USER_GUIDE ", H100 96 GB on GH200"},
	{"gh200-96gb", "3g.48gb", 0, 4, 60, 132, 2, USER_GUIDE ", H100 96 GB on GH200"},
	{h200, "1g.18gb", 16.00, 1, 16, 132, 7, USER_GUIDE ", H200; " LISTED},
	{h200, "1g.35gb", 0, 2, 26, 132, 4, USER_GUIDE ", H200"},
	{h200, "2g.35gb", 0, 2, 32, 132, 3, USER_GUIDE ", H200"},
	{h200, "3g.71gb", 0, 4, 60, 132, 2, USER_GUIDE ", H200"},
	{"b200-sxm6-180gb", "1g.23gb", 0, 1, 18, 148, 7, USER_GUIDE ", B200"},
	{"b200-sxm6-180gb", "1g.45gb", 0, 2, 18, 148, 4, USER_GUIDE ", B200"},
	{"b200-sxm6-180gb", "2g.45gb", 0, 2, 36, 148, 3, USER_GUIDE ", B200"},
	{"b200-sxm6-180gb", "3g.90gb", 0, 4, 54, 148, 2, USER_GUIDE ", B200"},
};

/* True if a list of words, separated by spaces, contains a word. */
static bool contains_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

size_t mig_slices_of(const struct accelerator *board, struct mig_slice slices[MIG_SLICES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(profiles) && count < MIG_SLICES_MAX; i++) {
		const struct profile *profile = &profiles[i];
		double share = profile->eighths / memory_eighths;

		if (!board->id || !contains_word(profile->boards, board->id))
			continue;
		slices[count++] = (struct mig_slice){.profile = profile->name,
			.source = profile->source,
			.per_board = profile->per_board,
			.memory_bytes = profile->gib > 0 ? profile->gib * bytes_per_gib : accelerator_capacity_bytes(board) * share * least_of_its_share,
			.bandwidth_share = share,
			.compute_share = profile->multiprocessors / profile->of};
	}
	return count;
}

/* True for "1g.10gb": digits, g, a dot, digits, gb. */
static bool is_profile(const char *text)
{
	size_t slices = strspn(text, "0123456789"), gigabytes;

	if (slices == 0 || slices > 2 || strncasecmp(text + slices, "g.", 2) != 0)
		return false;
	gigabytes = strspn(text + slices + 2, "0123456789");
	return gigabytes > 0 && gigabytes <= 3 && strcasecmp(text + slices + 2 + gigabytes, "gb") == 0;
}

size_t mig_name_parse(const char *name, char profile[MIG_PROFILE_MAX])
{
	static const char apart[] = "-: /_", word[] = "mig";
	const char *end = name + strlen(name), *at = end;
	size_t length;

	while (at > name && !strchr(apart, at[-1]))
		at--;
	if (at == name || !is_profile(at))
		return 0;
	for (size_t i = 0; i <= (size_t)(end - at); i++)
		profile[i] = (char)tolower((unsigned char)at[i]);
	length = (size_t)(at - name);
	for (int part = 0; part < 2; part++) {
		while (length > 0 && strchr(apart, name[length - 1]))
			length--;
		if (part == 0 && length > strlen(word) && strncasecmp(name + length - strlen(word), word, strlen(word)) == 0 &&
			strchr(apart, name[length - strlen(word) - 1]))
			length -= strlen(word);
	}
	return length;
}

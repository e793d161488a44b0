#include "hwdb/catalogue/given_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WORDS_TEXT_MAX = 160 };

/* Words that do not distinguish accelerators of the catalogue. */
static const char *const accelerator_words[] = {"nvidia", "tesla", "geforce", "quadro", "amd", "instinct", "intel", "habana", "google",
	"cloud", "aws", "gpu", "gpus", "accelerator", "graphics", "tensor", "core", "hbm2", "hbm2e", "hbm3", "hbm3e", "gddr6", "generation",
	"edition", "oam", "ac", NULL};

/* Words for the training of a model's weights. They leave its architecture unchanged, and a plan needs only that. */
static const char *const model_words[] = {"instruct", "chat", "hf", "base", "it", "meta", "thinking", "preview", NULL};

static bool is_among(const char *const *words, const char *word, size_t length)
{
	for (; *words; words++)
		if (strlen(*words) == length && strncmp(*words, word, length) == 0)
			return true;
	return false;
}

/* True for "v0.1", "v1", and releases as month and day or year and month: "0324", "2507". */
static bool is_release(const char *word, size_t length)
{
	size_t digits = strspn(word + (word[0] == 'v'), "0123456789.");

	return word[0] == 'v' ? digits + 1 == length && length >= 2 : length == 4 && digits >= 4;
}

/* Writes the words in small letters, separated by one hyphen, without the ignored ones. In a model's name a dot is part
 * of a word ("3.1"). */
void given_words(const char *name, bool model, char *out, size_t size)
{
	const char *slash = model ? strrchr(name, '/') : NULL;
	size_t length = 0;

	for (const char *at = slash ? slash + 1 : name; *at;) {
		char word[64];
		size_t n = 0;

		for (; *at && (isalnum((unsigned char)*at) || *at == '.'); at++)
			if (n + 1 < sizeof word)
				word[n++] = (char)tolower((unsigned char)*at);
		word[n] = '\0';
		if (n > 0 && !is_among(model ? model_words : accelerator_words, word, n) && !(model && is_release(word, n)) && length + n + 2 < size)
			length += (size_t)snprintf(out + length, size - length, "%s%s", length ? "-" : "", word);
		at += *at != '\0' && !isalnum((unsigned char)*at) && *at != '.';
	}
	out[length] = '\0';
}

static bool is_named(const char *name, const struct text_list *aliases, const char *wanted, bool model)
{
	char words[WORDS_TEXT_MAX];

	given_words(name, model, words, sizeof words);
	for (size_t i = 0; strcmp(words, wanted) != 0; i++) {
		if (i == aliases->count)
			return false;
		given_words(aliases->items[i], model, words, sizeof words);
	}
	return true;
}

const struct accelerator_row *given_accelerator(const struct catalogue *catalogue, const char *name, const char **alias)
{
	const struct accelerator_row *row = catalogue_accelerator(catalogue, name, alias);
	char wanted[WORDS_TEXT_MAX];
	size_t found = 0;

	if (row)
		return row;
	given_words(name, false, wanted, sizeof wanted);
	*alias = NULL;
	for (size_t i = 0; wanted[0] && i < catalogue->rows.accelerator_count; i++) {
		const struct accelerator_row *candidate = &catalogue->rows.accelerators[i];

		if (!is_named(candidate->accelerator.id, &candidate->aliases, wanted, false))
			continue;
		row = candidate;
		found++;
	}
	*alias = found == 1 ? name : NULL;
	return found == 1 ? row : NULL;
}

const struct model_row *given_model(const struct catalogue *catalogue, const char *name, const char **alias)
{
	const struct model_row *row = catalogue_model(catalogue, name, alias);
	char wanted[WORDS_TEXT_MAX], words[WORDS_TEXT_MAX];
	size_t found = 0;

	if (row)
		return row;
	given_words(name, true, wanted, sizeof wanted);
	for (size_t i = 0; wanted[0] && i < catalogue->rows.model_count; i++) {
		const struct model_row *candidate = &catalogue->rows.models[i];

		given_words(candidate->repo ? candidate->repo : "", true, words, sizeof words);
		if (strcmp(words, wanted) != 0 && !is_named(candidate->id, &candidate->aliases, wanted, true))
			continue;
		row = candidate;
		found++;
	}
	*alias = found == 1 ? name : NULL;
	return found == 1 ? row : NULL;
}

struct given_instance given_instance(const struct catalogue *catalogue, const char *name)
{
	struct given_instance instance = {.price = NULL, .gpus = ABSENT_COUNT};
	const char *alias;

	for (size_t i = 0; i < catalogue->rows.price_count; i++) {
		const struct price_row *price = &catalogue->rows.prices[i];
		const struct accelerator_row *row = NULL;
		size_t used = strlen(instance.among);

		if (!price->instance_type || strcasecmp(price->instance_type, name) != 0 ||
			!(row = catalogue_accelerator(catalogue, price->accelerator_id, &alias)))
			continue;
		if (!instance.price) {
			instance.price = price;
			instance.row = row;
			instance.gpus = price->gpus;
		}
		if (instance.row != row)
			instance.row = NULL;
		if (instance.gpus != price->gpus)
			instance.gpus = ABSENT_COUNT;
		if (!strstr(instance.among, row->accelerator.id))
			snprintf(instance.among + used, sizeof instance.among - used, "%s%s", used ? ", " : "", row->accelerator.id);
	}
	return instance;
}

void given_accelerator_others(const struct catalogue *catalogue, const char *alias, const char *chosen, char *out, size_t size)
{
	size_t length = strlen(alias), used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < catalogue->rows.accelerator_count && used + 1 < size; i++) {
		const char *id = catalogue->rows.accelerators[i].accelerator.id;

		if (strncasecmp(id, alias, length) == 0 && id[length] == '-' && strcmp(id, chosen) != 0)
			used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", id);
	}
}

/* Tests the PCI ids of the catalogue's accelerators: each row names one, of its vendor and memory, and the reported
 * memory decides between rows with one id. */
#include "bench/pci.h"

#include "hwdb/fixture.h"

static const char *vendor_named(uint16_t vendor)
{
	return vendor == 0x10de ? "nvidia" : vendor == 0x1002 ? "amd" : vendor == 0x1da3 ? "intel" : vendor == 0x1d0f ? "aws" : "";
}

static const char *named(const char *pci_id, double memory_bytes)
{
	const struct pci_accelerator *row = pci_accelerator_named(pci_id, memory_bytes);

	return row ? row->accelerator : "none";
}

/* The accelerator that the catalogue describes must be found by its own PCI id and memory. */
static void every_row_is_an_accelerator_and_finds_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < pci_accelerator_count; i++) {
		const struct pci_accelerator *row = &pci_accelerators[i];
		const char *alias;
		const struct accelerator_row *known = catalogue_accelerator(fixture.catalogue, row->accelerator, &alias);
		const struct pci_accelerator *found;

		assert_non_null(known);
		assert_string_equal(known->accelerator.id, row->accelerator);
		assert_string_equal(known->accelerator.vendor, vendor_named(row->vendor));
		assert_close(known->accelerator.memory_gb, row->memory_gib, 0);
		found = pci_accelerator_find(row->vendor, row->device, known->accelerator.memory_usable_bytes);
		assert_ptr_equal(found, row); /* also proves that no id occurs twice with the same memory */
	}
}

/* Each of the vendors' accelerators that fits in a PCI slot alone has a row. bench/pci.c names the exceptions. */
static void what_has_no_row_is_known(void **state)
{
	static const char *const without[] = {"a16-die", "k80", "mi250x"};
	size_t missing = 0;

	(void)state;
	for (size_t i = 0; i < fixture.catalogue->rows.accelerator_count; i++) {
		const struct accelerator *known = &fixture.catalogue->rows.accelerators[i].accelerator;
		bool has_row = strcmp(known->vendor, "google") == 0; /* the host of a TPU shows no public name for it */

		for (size_t j = 0; j < pci_accelerator_count; j++)
			has_row = has_row || strcmp(pci_accelerators[j].accelerator, known->id) == 0;
		if (!has_row) {
			assert_true(missing < COUNT_OF(without));
			assert_string_equal(known->id, without[missing++]);
		}
	}
	assert_int_equal(missing, COUNT_OF(without));
}

static void memory_decides_and_slices_are_nobody(void **state)
{
	(void)state;
	assert_string_equal(named("10de:2335", 143771 * 0x1p20), "h200-sxm5-141gb");
	assert_string_equal(named("10DE:2330", 81559 * 0x1p20), "h100-sxm5-80gb");
	assert_string_equal(named("10de:2330", 81559 * 0x1p20 / 8), "none"); /* the slice 1g.10gb */
	assert_string_equal(named("10de:2329", 143771 * 0x1p20), "none");    /* an H20 with 141 GB is not an H20 with 96 GB */
	assert_string_equal(named("1002:74a1", 192 * 0x1p30), "mi300x");
	assert_string_equal(named("1002:2330", 81559 * 0x1p20), "none"); /* the same number of another vendor */
	assert_string_equal(named("10de:1eb8", 15109 * 0x1p20), "t4");   /* ECC takes a sixteenth */
}

static void what_is_no_id_names_nothing(void **state)
{
	(void)state;
	assert_string_equal(named("", 0x1p36), "none");
	assert_string_equal(named("10de", 0x1p36), "none");
	assert_string_equal(named("10de:", 0x1p36), "none");
	assert_string_equal(named(":2330", 85520809984), "none");
	assert_string_equal(named("10de:2330 ", 85520809984), "none");
	assert_string_equal(named("10de:12330", 85520809984), "none"); /* 5 digits are not cut to 4 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_an_accelerator_and_finds_it),
		cmocka_unit_test(what_has_no_row_is_known),
		cmocka_unit_test(memory_decides_and_slices_are_nobody),
		cmocka_unit_test(what_is_no_id_names_nothing),
	};

	return cmocka_run_group_tests(tests, fixture_setup, fixture_teardown);
}

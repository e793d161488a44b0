/* Hugging Face configurations to models. */
#include <string.h>

#include "hwdb/model_config.h"
#include "support/assert.h"

static void a_configuration_is_counted(void **state)
{
	static const char json[] = "{\"model_type\":\"llama\",\"hidden_size\":4096,\"intermediate_size\":14336,\"num_attention_heads\":32,"
		"\"num_hidden_layers\":32,\"num_key_value_heads\":8,\"tie_word_embeddings\":false,\"vocab_size\":128256}";
	static struct model model;
	static struct failure failure;

	(void)state;
	failure_clear(&failure);
	assert_int_equal(model_config_read(json, sizeof json - 1, "/model/config", &model, &failure), STATUS_OK);
	assert_true(model.params_total == 8030261248.0);
	assert_int_equal(model_config_read("{}", 2, "/model/config", &model, &failure), STATUS_INVALID);
	assert_string_equal(failure.faults[0].pointer, "/model/config/hidden_size");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_configuration_is_counted),
	};

	return cmocka_run_group_tests_name("model_config", tests, NULL, NULL);
}

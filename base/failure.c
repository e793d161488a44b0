#include "base/failure.h"

#include <stdarg.h>

void failure_clear(struct failure *failure)
{
	failure->status = STATUS_OK;
	failure->detail[0] = '\0';
	failure->fault_count = 0;
	failure->fault_total = 0;
	failure->retry_after_s = 0;
}

/* Formats into a fixed size. A text that is too long is cut between two UTF-8 characters. */
PRINTF_LIKE(3, 0) static void failure_format(char *out, size_t size, const char *format, va_list arguments)
{
	int wanted = vsnprintf(out, size, format, arguments);
	size_t length = size - 1;

	if (wanted < 0 || (size_t)wanted < size)
		return;
	while (length > 0 && ((unsigned char)out[length - 1] & 0xc0) == 0x80)
		length--;
	if (length > 0 && (unsigned char)out[length - 1] >= 0xc0)
		length--;
	out[length] = '\0';
}

enum status failure_set(struct failure *failure, enum status status, const char *format, ...)
{
	va_list arguments;

	failure->status = status;
	va_start(arguments, format);
	failure_format(failure->detail, sizeof failure->detail, format, arguments);
	va_end(arguments);
	return status;
}

void failure_add(struct failure *failure, const char *pointer, const char *code, const char *format, ...)
{
	struct fault *fault;
	va_list arguments;

	failure->fault_total++;
	if (failure->status == STATUS_OK)
		failure->status = STATUS_INVALID;
	if (failure->fault_count == FAULTS_MAX)
		return;
	fault = &failure->faults[failure->fault_count++];
	snprintf(fault->pointer, sizeof fault->pointer, "%s", pointer);
	snprintf(fault->code, sizeof fault->code, "%s", code);
	va_start(arguments, format);
	failure_format(fault->detail, sizeof fault->detail, format, arguments);
	va_end(arguments);
}

void failure_summarize(struct failure *failure)
{
	const struct fault *first = &failure->faults[0];
	const char *pointer = first->pointer[0] ? first->pointer : "the body";

	if (failure->detail[0] || failure->fault_total == 0)
		return;
	if (failure->fault_total == 1)
		(void)failure_set(failure, failure->status, "%s %s", pointer, first->detail);
	else
		(void)failure_set(failure, failure->status, "%zu faults, the first: %s %s", failure->fault_total, pointer, first->detail);
}

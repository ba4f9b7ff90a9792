// SPDX-License-Identifier: MIT
/* wchan, syscall and stack of a thread: any bytes have a reason, and a state has its own. */
#include "tests/fuzz/fuzz.h"

#include "core/base/util.h"
#include "core/sys/blocked.h"
#include "core/sys/syscall_name.h"

#include <errno.h>

static void check_stack(const struct blocked_stack *stack, const char *text)
{
	fuzz_check(stack->n <= BLOCKED_STACK, "no more functions than are kept");
	for (size_t i = 0; i < stack->n; i++) {
		const char *name = stack->functions[i];
		fuzz_check(name[0] && memchr(name, '\0', BLOCKED_FUNCTION), "a name fits");
		fuzz_check(strstr(text, name), "a name stands in the text");
	}
}

static void check_reason(const struct blocked *blocked)
{
	enum blocked_reason reason = blocked_classify(blocked);

	fuzz_check(reason < BLOCKED_REASONS && blocked_reason_name(reason), "a reason has a name");
	fuzz_check(reason != BLOCKED_DISK || blocked->state == 'D', "disk is state D");
	fuzz_check(reason != BLOCKED_SLEEP || blocked->state == 'S', "sleep is state S");
	fuzz_check(reason != BLOCKED_DISK || blocked->wchan[0] || blocked->stack.n,
		   "disk has a kernel function");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_bytes bytes = {data, size};
	struct blocked blocked = {.state = (char)fuzz_u8(&bytes)};
	char *wchan = fuzz_text(&bytes), *call = fuzz_text(&bytes), *stack = fuzz_text(&bytes);

	text_copy(blocked.wchan, sizeof(blocked.wchan), wchan);
	blocked.syscall_result = blocked_syscall_parse(call, &blocked.syscall);
	fuzz_check(blocked.syscall_result == 0 || blocked.syscall_result == -EBADMSG,
		   "0 or -EBADMSG");
	syscall_name(blocked.syscall.number);
	blocked_stack_parse(stack, &blocked.stack);
	check_stack(&blocked.stack, stack);
	check_reason(&blocked);
	free(wchan);
	free(call);
	free(stack);
	return 0;
}

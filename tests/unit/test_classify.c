/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "act/knob.h"

static void sorts_failures_by_what_can_be_done(void **state)
{
	(void)state;
	assert_int_equal(knob_classify(0), KNOB_OK);
	assert_int_equal(knob_classify(-ENOENT), KNOB_GONE);
	assert_int_equal(knob_classify(-ENODEV), KNOB_GONE);
	assert_int_equal(knob_classify(-EROFS), KNOB_REFUSED);
	assert_int_equal(knob_classify(-EACCES), KNOB_REFUSED);
	assert_int_equal(knob_classify(-EPERM), KNOB_REFUSED);
	assert_int_equal(knob_classify(-EINTR), KNOB_TRANSIENT);
	assert_int_equal(knob_classify(-EAGAIN), KNOB_TRANSIENT);
	assert_int_equal(knob_classify(-EBUSY), KNOB_TRANSIENT);
	assert_int_equal(knob_classify(-ENOMEM), KNOB_TRANSIENT);
	assert_int_equal(knob_classify(-EMFILE), KNOB_TRANSIENT);
	assert_int_equal(knob_classify(-ENOSPC), KNOB_TRANSIENT);
	assert_int_equal(knob_classify(-EIO), KNOB_REFUSED);
	assert_int_equal(knob_classify(-EINVAL), KNOB_FATAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_failures_by_what_can_be_done),
	};

	return cmocka_run_group_tests_name("classify", tests, NULL, NULL);
}

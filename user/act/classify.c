/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>

#include "act/knob.h"

enum knob_failure knob_classify(int r)
{
	switch (r) {
	case 0:
		return KNOB_OK;
	case -ENOENT:
	case -ENODEV:
		return KNOB_GONE;
	case -EROFS:
	case -EACCES:
	case -EPERM:
	case -EIO: /* the value does not stay */
		return KNOB_REFUSED;
	case -EINTR:
	case -EAGAIN:
	case -EBUSY:
	case -ENOMEM:
	case -EMFILE:
	case -ENFILE:
	case -ENOSPC:
	case -EDQUOT:
		return KNOB_TRANSIENT;
	default:
		return KNOB_FATAL;
	}
}

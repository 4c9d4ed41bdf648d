#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The members of vmlinux.h against the kernels that are tested.
# shellcheck source=tests/lib/guest.sh
. "$(dirname "$0")/../lib/guest.sh"
cd "$(dirname "$0")/../.." || exit 1

need_command bpftool
guest_temp
fixtures=tests/fixtures/btf

# Those that need a guard, and where: a change here is a change of what the
# programs must be prepared for.
want="arm64-6.1 lacks: flush_tlb_info initiating_cpu
arm64-6.12 lacks: flush_tlb_info initiating_cpu
arm64-7.3 lacks: flush_tlb_info initiating_cpu
arm64-7.3 lacks: page compound_head
x86_64-5.10 lacks: bio bi_bdev
x86_64-5.10 lacks: flush_tlb_info initiating_cpu
x86_64-5.10 lacks: folio _flags_1
x86_64-7.1 lacks: page compound_head
x86_64-7.3 lacks: page compound_head"
got=$(vmlinux/refresh "$fixtures"/*.btf)
status=$?
is 'members_in_one_kernel_at_least_are_accepted' "$status" 0
is 'what_each_kernel_lacks_is_known' \
	"$(grep ' lacks: ' <<<"$got" | sed "s|^$fixtures/||; s|\.btf | |")" "$want"

mkdir "$GUEST_TMP/vmlinux"
cp vmlinux/refresh "$GUEST_TMP/vmlinux/"
sed 's/unsigned int bi_opf;/&\n\tint bi_nowhere;/' vmlinux/vmlinux.h \
	>"$GUEST_TMP/vmlinux/vmlinux.h"
got=$("$GUEST_TMP/vmlinux/refresh" "$fixtures"/*.btf 2>&1 >/dev/null)
status=$?
is 'a_member_that_no_kernel_has_is_refused' "$status:$got" \
	'1:none of them has: bio bi_nowhere'

vmlinux/refresh /nowhere >/dev/null 2>&1
is 'a_file_that_is_not_there_is_told' "$?" 2

finish

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The BPF programs by the oldest clang that is meant to do and by the newest to
# be had: no warnings, and all relocations found on all kernels.
# shellcheck source=tests/lib/guest.sh
. "$(dirname "$0")/../lib/guest.sh"
cd "$(dirname "$0")/../.." || exit 1

OLDEST=14

# Those with a version in their name, oldest first.
compilers() {
	compgen -c clang- | grep -E '^clang-[0-9]+$' | sort -u -t- -k2n
}

# with CLANG: everything that it compiles, in a directory of its own.
with() {
	local out=build/$1

	rm -rf "$out/bpf" "$out/tests/core/wrong.bpf.o"
	check "$1_builds_without_warnings" \
		make B="$out" CLANG="$1" "$out/swaptend.bpf.o" \
		"$out/tlb.bpf.o" "$out/tests/core/wrong.bpf.o"
	check "$1_makes_programs_that_find_all_they_read_on_every_kernel" \
		make B="$out" CLANG="$1" check-core
}

newest=$(compilers | tail -1)
[ -n "$newest" ] || guest_skip_all compilers 'no clang-N here; tests/deps compilers'
if command -v clang-$OLDEST >/dev/null; then
	with clang-$OLDEST
else
	skip "clang-$OLDEST" "it is not here; apt-get install clang-$OLDEST"
fi
if [ "$newest" = clang-$OLDEST ]; then
	skip 'a newer clang' "none is here; tests/deps compilers"
else
	with "$newest"
fi

finish

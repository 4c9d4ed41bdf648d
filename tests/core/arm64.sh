#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The program built for arm64 by Debian's cross compiler, its unit tests, and
# that of the relocations, under qemu's emulation of programs.  What it is linked with is unpacked below
# build/: this machine's packages and architectures are not touched.
# shellcheck source=tests/lib/guest.sh
. "$(dirname "$0")/../lib/guest.sh"
cd "$(dirname "$0")/../.." || exit 1

dir=$PWD/build/arm64
root=$dir/root
triplet=aarch64-linux-gnu
packages='libc6-dev libbpf-dev libelf-dev zlib1g-dev libinih-dev libjansson-dev libcmocka-dev libgcc-s1 libubsan1'

for command in $triplet-gcc qemu-aarch64 apt-get dpkg-deb; do
	command -v $command >/dev/null ||
		guest_skip_all arm64 "$command is missing; tests/deps arm64 (Debian)"
done

# An apt of its own: another architecture, no package installed.
apt_get() {
	apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
		-o APT::Sandbox::User="$(id -un)" -o Dir::State="$dir/apt" \
		-o Dir::State::status="$dir/apt/status" \
		-o Dir::Cache="$dir/apt/cache" -o Debug::NoLocking=1 "$@"
}

unpack_libraries() {
	local package

	mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" || return
	: >"$dir/apt/status"
	# Other sources of the machine may know nothing of arm64.
	apt_get update || true
	# shellcheck disable=SC2086 # a list of words
	apt_get install -y --no-install-recommends --download-only $packages || return
	rm -rf "$root.new"
	for package in "$dir"/apt/cache/archives/*.deb; do
		dpkg-deb -x "$package" "$root.new" || return
	done
	mv "$root.new" "$root"
}

if [ ! -d "$root" ]; then
	mkdir -p "$dir"
	unpack_libraries >"$dir/apt.log" 2>&1 ||
		guest_skip_all arm64 "no arm64 libraries from apt: $(tail -1 "$dir/apt.log")"
fi

out=build/arm64/out
cc="$triplet-gcc --sysroot=$root"
mapfile -t units < <(for file in tests/unit/test_*.c; do
	echo "$out/${file%.c}"
done)

# The address sanitizer wants more address space than the emulation gives.
build() {
	make B="$out" CC="$cc" ASAN='-O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined' \
		"$@"
}
emulate() { qemu-aarch64 -L "$root" "$@"; }

check 'the_program_builds_without_warnings' build "$out/swaptend"
[ -x "$out/swaptend" ] || finish
units+=("$out/tests/core/test_core")
check 'the_tests_build_without_warnings' build "${units[@]}"

is 'it_is_of_arm64' "$(od -An -tu2 -j18 -N2 "$out/swaptend" | tr -d ' ')" 183
is 'it_runs' "$(emulate "$out/swaptend" --version 2>&1 | head -1)" \
	"$(sed -n 's/^VERSION := /swaptend /p' Makefile)"

# unit FILE: its results; skips are told one by one, with what was said before.
unit() {
	local name=${1##*/} told why

	told=$(CMOCKA_MESSAGE_OUTPUT=TAP emulate "$1" 2>&1)
	status=$?
	if [ "$status" != 0 ] || ! grep -q '^ok' <<<"$told" ||
		grep '^not ok' <<<"$told" | grep -vq '^not ok [0-9]* # SKIP'; then
		not_ok "$name passes" "exit status $status
$told"
		return
	fi
	ok "$name passes"
	while read -r line; do
		case $line in
		'not ok '*' # SKIP '*) skip "$name: ${line##* }" "$why" ;;
		*) why=$line ;;
		esac
	done <<<"$told"
}
for test in "${units[@]}"; do
	[ -x "$test" ] || continue
	unit "$test"
done

finish

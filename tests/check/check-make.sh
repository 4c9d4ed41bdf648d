#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What is built of the BPF programs is never older than what it is made of: all
# that the compiler reads, and the Makefile, whose flags and names are in it.
. tests/lib/guest.sh
need_command make bpftool
guest_temp
B=$GUEST_TMP/build
skeleton=$B/tlb.skel.h
build() { make -s B="$B" "$@"; }

check 'a skeleton is made in a directory of its own' build "$skeleton"
is 'and nothing is to do then' "$(build -q "$skeleton"; echo $?)" 0
for source in bpf/tlb.bpf.c bpf/phase.bpf.h bpf/compat.bpf.h \
	include/swaptend/abi.h vmlinux/vmlinux.h Makefile; do
	is "$source makes it anew" \
		"$(build -n -W "$source" "$skeleton" | grep -c 'gen skeleton')" 1
done
# What is compiled depends on it as on any header.
check 'an object of user/ is made with it' build "$B/user/sense/bpf_tlb.o"
is 'and made anew with it' \
	"$(build -n -W bpf/phase.bpf.h "$B/user/sense/bpf_tlb.o" | grep -c 'CC.*bpf_tlb\.c$')" 1

# A make that is killed while bpftool writes.
cat >"$GUEST_TMP/bpftool" <<END
#!/bin/sh
[ "\$2" = skeleton ] || exec $(command -v bpftool) "\$@"
echo half of it
read -r pid <$GUEST_TMP/pid
kill -KILL \$pid
END
chmod +x "$GUEST_TMP/bpftool"
mkfifo "$GUEST_TMP/pid"
cp "$skeleton" "$GUEST_TMP/whole"
touch "$B/bpf/tlb.bpf.o"
make -s B="$B" BPFTOOL="$GUEST_TMP/bpftool" "$skeleton" >/dev/null 2>&1 &
pid=$!
on_exit guest_end $pid
timeout 20 sh -c "echo $pid >$GUEST_TMP/pid"
wait $pid 2>/dev/null
is 'make is killed while it writes' $? 137
check 'half a skeleton does not take the place of a whole one' \
	cmp "$skeleton" "$GUEST_TMP/whole"
is 'and the next make makes it' "$(build "$skeleton" >/dev/null; build -q "$skeleton"; echo $?)" 0
finish

#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Who may include whom: the rules of ARCHITECTURE.md, read off the #include
# lines of every file and off what the compiler really pulls in (gcc -MM).
set -euo pipefail
cd "$(dirname "$0")/../.."

CC=${CC:-gcc}

# "FILE HEADER d" for each #include line below ROOT, "FILE HEADER t" for what
# comes in through other headers.  Headers as they are written: law/law.h.
dependencies() (
	cd "$1"
	find user bpf include -name '*.[ch]' -exec awk '
		/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
			header = $0
			sub(/^[^<"]*[<"]/, "", header)
			sub(/[>"].*/, "", header)
			print FILENAME, header, "d"
		}' {} +
	find user -name '*.c' | sort | while read -r file; do
		# -MG: the skeleton may not have been generated yet.
		"$CC" -std=gnu11 -D_GNU_SOURCE -MM -MG -Iinclude -Iuser "$file" |
			awk -v file="$file" '{
				for (i = 1; i <= NF; i++)
					if (sub(/^(user|include)\//, "", $i) &&
					    $i ~ /\.h$/)
						print file, $i, "t"
			}'
	done
)

# One line for each dependency that is forbidden.
forbidden() {
	dependencies "$1" | sort -u | awk '
	function room(file) {
		if (file ~ /^user\/sense\/parse[^\/]*$/)
			return "parse"
		if (file ~ /^user\/(sense|law|act|report|cmd)\//) {
			split(file, part, "/")
			return part[2]
		}
		return file ~ /^user\// ? "top" : file ~ /^bpf\// ? "bpf" : "abi"
	}
	function complain(why) {
		if (!(($1, $2) in told))
			print $1 ": includes " $2 ($3 == "t" ? " (through " \
				"another header)" : "") ": " why
		told[$1, $2] = 1
	}
	# Who of the program may see a library: one module each.
	function owner_of(header) {
		if (header ~ /^bpf\// || header ~ /\.skel\.h$/)
			return "user/sense/bpf(_[a-z]+)*[.][ch]"
		if (header ~ /^sys\/(epoll|timerfd|signalfd)\.h$/)
			return "user/loop[.]c"
		if (header ~ /^(ini|jansson|sys\/capability|seccomp|microhttpd)\.h$/ ||
		    header ~ /(^|\/)n?curses[w]?\.h$/)
			return "one"
		return ""
	}
	BEGIN {
		pure = "^(stdint|stdbool|stddef|limits|errno|string)\\.h$"
		plain = "^(model|util|tlb|swaptend/abi)\\.h$"
		own["law"] = "^law/"
		own["parse"] = "^sense/parse[^/]*$"
		own["sense"] = "^sense/"
		own["act"] = "^act/"
		own["report"] = "^report/"
	}
	{
		from = room($1)
		header = $2
		is_project = header ~ \
			/^((sense|law|act|report|cmd)\/|(model|util|tlb|config|config_[a-z]+|loop|target)\.h$|swaptend\/)/
	}
	header ~ /^vmlinux/ || header ~ /\.bpf\.h$/ {
		if (from != "bpf")
			complain("belongs to the BPF programs")
		next
	}
	from == "bpf" {
		if (header != "swaptend/abi.h" && header !~ /^bpf\/bpf_[a-z_]+\.h$/)
			complain("BPF programs see abi.h, vmlinux.h and libbpf only")
		next
	}
	from == "abi" {
		if (header != "linux/types.h")
			complain("abi.h must compile anywhere")
		next
	}
	from in own && is_project {
		if (header ~ own[from] || header ~ plain)
			next
		# Logging is no flow of data; the pure rooms do without it.
		if (header == "report/log.h" && (from == "sense" || from == "act"))
			next
		complain("only cmd/ and files directly in user/ combine rooms")
		next
	}
	(from == "law" || from == "parse") && $3 == "d" && header !~ pure {
		complain("law/ and sense/parse are pure")
		next
	}
	from == "top" && $1 != "user/main.c" && header ~ /^cmd\// {
		complain("commands stand above everything but main.c")
	}
	$3 == "d" && owner_of(header) == "one" {
		if (header in seen && seen[header] != $1)
			complain("a library is seen by one file: " seen[header])
		seen[header] = $1
		next
	}
	$3 == "d" && owner_of(header) != "" {
		if ($1 !~ ("^" owner_of(header) "$"))
			complain("a library is seen by one module")
	}'
}

count=0 failures=0
result() {
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		failures=$((failures + 1))
		printf 'not ok %d - %s\n%s\n' "$count" "$1" "$2"
	fi
}

result 'nobody_includes_what_is_forbidden_to_him' "$(forbidden . | sed 's/^/# /')"

# The check itself: a copy with one forbidden include must not pass.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/clean"
cp -r user bpf include "$scratch/clean/"
before=$(forbidden "$scratch/clean" | wc -l)

# catches NAME FILE LINE [FILE LINE]
catches() {
	local name=$1 after

	shift
	rm -rf "$scratch/tree"
	cp -r "$scratch/clean" "$scratch/tree"
	while [ $# -gt 0 ]; do
		mkdir -p "$(dirname "$scratch/tree/$1")"
		printf '%s\n' "$2" >>"$scratch/tree/$1"
		shift 2
	done
	after=$(forbidden "$scratch/tree" | wc -l)
	result "catches_$name" \
		"$([ "$after" -gt "$before" ] || echo "# not caught: $before before, $after after")"
}

catches a_law_that_does_io user/law/law.c '#include <fcntl.h>'
catches a_law_that_logs user/law/law.c '#include "report/log.h"'
catches a_law_that_reads_a_sensor user/law/law.c '#include "sense/proc.h"'
catches a_parser_that_does_io user/sense/parse.c '#include <stdio.h>'
catches sense_that_acts user/sense/bpf.c '#include "act/knob.h"'
catches act_that_senses user/act/knob.c '#include "sense/parse.h"'
catches act_that_decides user/act/knob.c '#include "law/law.h"'
catches a_report_that_combines user/report/json.c '#include "law/law.h"'
catches one_that_comes_through_another_header \
	user/report/log.h '#include "act/knob.h"' \
	user/sense/zz.c '#include "report/log.h"'
catches a_second_user_of_a_library user/cmd/status.c '#include <jansson.h>' \
	user/cmd/run.c '#include <jansson.h>'
catches libbpf_outside_its_module user/cmd/run.c '#include <bpf/libbpf.h>'
catches epoll_outside_the_loop user/cmd/run.c '#include <sys/epoll.h>'
catches vmlinux_in_user_space user/sense/bpf.c '#include "vmlinux.h"'
catches bpf_that_knows_user_space bpf/vmscan.bpf.c '#include "model.h"'
catches config_that_knows_commands user/config.c '#include "cmd/cmd.h"'

echo "1..$count"
[ "$failures" = 0 ]

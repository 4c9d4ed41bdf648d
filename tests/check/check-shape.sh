#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The shape of the C sources, beside what is aimed at.  Fails only where a
# limit is hard: a function above 60 lines, a .c above 450.
# shellcheck disable=SC2016 # dollars are awk's
set -euo pipefail
cd "$(dirname "$0")/../.."

MAX_FUNCTION=60
MAX_FILE=450

# "LINES NAME FILE" of each function in files of kernel style: its body is
# between braces at the start of a line; the lines of its head count too.
functions_of() {
	awk '
	FNR == 1 { head = 0; inside = 0 }
	!inside && /^\{[ \t]*$/ && head { inside = 1; next }
	inside && /^\}/ {
		print FNR - head + 1, name, FILENAME
		inside = head = 0
		next
	}
	inside { next }
	/^[A-Za-z_].*\(/ && !/;[ \t]*$/ {
		if (!head)
			head = FNR
		if (/^SEC\(/)
			next
		name = $0
		sub(/^.*(BPF_PROG|BPF_KPROBE)\(/, "", name)
		sub(/[,(].*/, "", name)
		sub(/.*[ *]/, "", name)
		next
	}
	# A type on a line of its own belongs to the head; anything else that
	# starts a line, a blank one or a finished statement ends it.
	/^$/ || /;[ \t]*$/ || /^[#}]/ || /\*\/[ \t]*$/ { head = 0 }
	' "$@"
}

mapfile -t sources < <(find user bpf -name '*.c' | sort)
mapfile -t all < <(find user bpf -name '*.[ch]' | sort)
functions=$(functions_of "${sources[@]}" | sort -n)

per_functions() { awk "$1" <<<"$functions"; }

lines=$(cat "${all[@]}" | wc -l)
user_lines=$(find user -name '*.[ch]' -exec cat {} + | wc -l)
gotos=$(find user -name '*.[ch]' -exec cat {} + | awk '/^[ \t]*goto / { n++ } END { print n + 0 }')
wide=$(expand -t 8 "${all[@]}" | awk 'length > 80' | wc -l)
comments=$(awk '
	/^[ \t]*\/\*/ { inside = 1 }
	NF { code++ }
	inside || /\/\*/ { comment++ }
	/\*\// { inside = 0 }
	END { printf "%.1f", 100 * comment / code }' "${all[@]}")
largest=$(for file in "${sources[@]}"; do
	echo "$(wc -l <"$file") $file"
done | sort -n | tail -1)

{
	echo 'measure|here|aim'
	echo "functions|$(per_functions 'END { print NR }')|"
	echo "  of at most 40 lines|$(per_functions '$1 <= 40 { n++ } END { printf "%.1f %%", 100 * n / NR }')|>= 90 %"
	echo "  above $MAX_FUNCTION lines|$(per_functions "\$1 > $MAX_FUNCTION { n++ } END { print n + 0 }")|0"
	echo "  longest|$(per_functions 'END { print $1 " (" $2 ")" }')|<= 60"
	echo "  median / mean|$(per_functions '{ n[NR] = $1; s += $1 } END { printf "%d / %.1f", n[int((NR + 1) / 2)], s / NR }')|<= 15 / <= 20"
	echo "largest .c|$largest|<= 450"
	echo "main()|$(per_functions '$2 == "main" { print $1 }')|<= 40"
	echo "lines|$lines|"
	echo "  above 80 columns|$(awk -v n="$wide" -v of="$lines" 'BEGIN { printf "%.2f %%", 100 * n / of }')|<= 0.5 %"
	echo "  with a comment|$comments %|12-25 %"
	echo "goto per 1000 lines in user/|$(awk -v n="$gotos" -v of="$user_lines" 'BEGIN { printf "%.1f", 1000 * n / of }')|<= 2"
} | awk -F'|' '{ printf "# | %-30s %-34s %s\n", $1, $2, $3 }'

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

result "no_function_is_longer_than_$MAX_FUNCTION lines" "$(per_functions \
	"\$1 > $MAX_FUNCTION { print \"# \" \$3 \": \" \$2 \"() has \" \$1 \" lines\" }")"
result "no_source_file_is_longer_than_$MAX_FILE lines" "$(for file in "${sources[@]}"; do
	n=$(wc -l <"$file")
	[ "$n" -le "$MAX_FILE" ] || echo "# $file has $n lines"
done)"

# The measure itself, on a function whose length is known.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{
	printf 'struct x {\n\tint a;\n};\n\nint declared(void);\n\n'
	printf 'static int\nlong_one(int a,\n\t int b)\n{\n'
	for _ in $(seq 58); do printf '\ta++;\n'; done
	printf '}\n\nint main(void)\n{\n\treturn 0;\n}\n'
	printf '\nSEC("tp_btf/x")\nint BPF_PROG(on_x, int a)\n{\n\treturn 0;\n}\n'
} >"$scratch/x.c"
got=$(functions_of "$scratch/x.c" | awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }')
want='62 long_one, 4 main, 5 on_x'
result 'measures_functions_of_known_length' \
	"$([ "$got" = "$want" ] || printf "# got  '%s'\n# want '%s'" "$got" "$want")"

echo "1..$count"
[ "$failures" = 0 ]

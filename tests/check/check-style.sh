#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Style that a machine can judge: format, calls that are never right, words
# that have no place here, modules without a test.
set -euo pipefail
cd "$(dirname "$0")/../.."

CC=${CC:-gcc}
FORMAT_VERSION=14

count=0 failures=0
result() {
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		failures=$((failures + 1))
		printf 'not ok %d - %s\n' "$count" "$1"
		awk '{ print "# " $0 }' <<<"$2"
	fi
}
skip() {
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

mapfile -t c_files < <(find user bpf include tests -name '*.[ch]' | sort)

# Everything that is ours, also where git refuses to speak (sudo).
our_files() {
	find . \( -path ./.git -o -path ./build \) -prune -o -type f -print |
		sed 's,^\./,,' | sort
}

# --- format ---

formatter=
for candidate in clang-format-$FORMAT_VERSION clang-format; do
	if command -v "$candidate" >/dev/null &&
		"$candidate" --version | grep -q "version $FORMAT_VERSION\."; then
		formatter=$candidate
		break
	fi
done
if [ -n "$formatter" ]; then
	result 'is_formatted' "$("$formatter" --dry-run -Werror "${c_files[@]}" 2>&1 |
		grep -E '^[^ ].*error:' | cut -d: -f1,2 | sort -u -t: -k1,1 |
		sed 's/$/: first line that clang-format would change/' || true)"
else
	skip 'is_formatted' "no clang-format $FORMAT_VERSION here; other versions format otherwise"
fi

# --- calls ---

# A file without comments and without what stands between quotes.
bare() {
	"$CC" -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null |
		sed -E 's/"([^"\\]|\\.)*"/""/g'
}

# calls FILE PATTERN: "FILE: NAME"
calls() {
	bare "$1" | { grep -oE "(^|[^A-Za-z0-9_.>])($2)[[:space:]]*\(" || true; } |
		sed -E "s,^[^a-z]*([a-z]+).*,$1: \1()," | sort -u
}

NEVER='atoi|atol|atoll|atof|strcat|sprintf|vsprintf|gets|system|popen|alloca|strtok'
forbidden_calls() {
	local file

	for file; do
		calls "$file" "$NEVER"
		# A test may copy its constants (the sanitizers watch), and its
		# child may end; in the program only main() does.
		case $file in
		tests/*) ;;
		user/main.c) calls "$file" strcpy ;;
		*) calls "$file" 'strcpy|exit' ;;
		esac
	done
}
result 'calls_nothing_forbidden' "$(forbidden_calls "${c_files[@]}")"

# --- words ---

# The brackets keep these lines from finding themselves.
WORDS='/wor[k]/|\.\./share[d]|[m]irrors?\.|/etc/apt/[s]ources|deb\.debia[n]\.org|\b(TOD[O]|FIXM[E]|XX[X])\b|\bissue #?[0-9]'
result 'mentions_nothing_outside_this_tree' \
	"$(our_files | xargs -d '\n' grep -nIEi "$WORDS" | cut -c1-120 || true)"

# --- tests ---

# A module is its .c, or the family of .c before an underscore; the laws are
# tested through the one interface that they share.
untested() {
	local file stem

	for file in user/law/*.c user/act/*.c user/sense/parse*.c user/config*.c; do
		stem=$(basename "$file" .c)
		[ ! -e "tests/unit/test_$stem.c" ] || continue
		[ ! -e "tests/unit/test_${stem%%_*}.c" ] || continue
		case $file in
		user/law/*) [ ! -e tests/unit/test_law.c ] || continue ;;
		esac
		echo "$file: no tests/unit/test_$stem.c"
	done
}
result 'every_module_has_a_test' "$(untested)"

# --- licence ---

result 'every_source_names_its_licence' \
	"$(for file in "${c_files[@]}" vmlinux/vmlinux.h; do
		head -3 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-only' ||
			echo "$file"
	done)"

# --- scripts ---

mapfile -t scripts < <(our_files | while read -r file; do
	case $file in *.sh) echo "$file" ;; *.[ch] | *.md) ;;
	*) head -c 20 "$file" | grep -qaE '^#!.*(bash|/sh)' && echo "$file" ;;
	esac
done)
result 'every_script_parses' "$(for file in "${scripts[@]}"; do
	bash -n "$file" 2>&1 || true
done)"

# --- the checks themselves ---

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/x.c" <<'C'
/* atoi(1) in a comment */
int a = my_atoi("x");
const char *s = "system(1)";
int b = p->exit(1) + q.exit(2);
C
result 'finds_no_call_in_a_comment_a_string_or_a_longer_name' \
	"$(forbidden_calls "$scratch/x.c")"
for name in atoi strcpy system exit; do
	echo "int c = $name (0);" >"$scratch/y.c"
	got=$(forbidden_calls "$scratch/y.c")
	result "finds_a_forbidden_call_of_$name" \
		"$([ "$got" = "$scratch/y.c: $name()" ] || echo "got '$got'")"
done

echo "1..$count"
[ "$failures" = 0 ]

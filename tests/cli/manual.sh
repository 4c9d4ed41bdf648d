#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# The manual, --help and the example configuration say what the program has.
. tests/lib/guest.sh
need_command man groff
guest_temp
page=build/man/swaptend.8

for name in swaptend.8 swaptend.conf.5; do
	is "$name has no troff warnings" "$(groff -man -ww -Tutf8 -z build/man/$name 2>&1)" ''
done
plain() { MANWIDTH=200 man -l "$1" 2>/dev/null | col -b; }
plain $page >"$GUEST_TMP/page"
"$SWAPTEND" run --help >"$GUEST_TMP/help"
options=$(grep -oE -- '--[a-z][a-z-]+' "$GUEST_TMP/help" | sort -u)
check 'run has options' test "$(wc -l <<<"$options")" -gt 10
for option in $options; do
	case $option in --help | --usage | --version | --base) continue ;; esac
	check "$option is in the manual" grep -qe "$option" "$GUEST_TMP/page"
done
for option in $("$SWAPTEND" tlb --help | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
	case $option in --help | --usage | --version) continue ;; esac
	check "$option of tlb is in the manual" grep -qe "$option" "$GUEST_TMP/page"
done
for law in kolivas kolivas-proportional kolivas-2004 cost auto static; do
	check "$law is in the manual" grep -q "$law" "$GUEST_TMP/page"
	check "$law is in --help" grep -q "$law" "$GUEST_TMP/help"
	check "$law is explained" "$SWAPTEND" explain $law
done
for reason in price no_price trial swap_nearly_full swap_out_budget stream; do
	check "the reason $reason is explained" grep -Eq "^ +([a-z_]+, )*$reason(,|$| )" "$GUEST_TMP/page"
done
for section in PRICES GUARDS; do
	check "there is a section $section" grep -qx "$section" "$GUEST_TMP/page"
done
check 'the manual warns of base 0' grep -q '4.4 times' "$GUEST_TMP/page"
check '--help warns of base 0' grep -q '4.4 times' "$GUEST_TMP/help"
printf '[swaptend]\n' >"$GUEST_TMP/conf"
sed -n 's/^# *\([a-z-]* = .*\)/\1/p' dist/swaptend.conf >>"$GUEST_TMP/conf"
check 'the example configuration has settings' test "$(wc -l <"$GUEST_TMP/conf")" -gt 5
finish

# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2034,SC2154 # sourced by tests/bench/cell
#
# PostgreSQL with too little memory, beside an idle daemon: the page cache
# holds all of the data only if what the daemon holds is swapped out.  One
# client reads in sequence, then by index, then reads and updates; a cluster
# of our own on the file device, reached by a socket there, with fsync.

BESIDE=${BESIDE:-build/tests/beside}
DATABASE_SQL=$PWD/tests/bench/pgload

# 200 MB of data, 16 MB of shared buffers and about 30 MB of processes and
# kernel memory are just below the limit; the idle memory is what is too much.
DATABASE_LIMIT_MB=256
DATABASE_UNITS=5
DATABASE_ROWS_PER_UNIT=139000
DATABASE_SHARED_MB=16
DATABASE_IDLE_MB=120
DATABASE_SEED=1
# What it may take with static:60; ten times as long is the end.
DATABASE_NOMINAL_S=25
DATABASE_ROWS=$((DATABASE_UNITS * DATABASE_ROWS_PER_UNIT))

# database_work FILE_KIND: how often of each, for some 15 to 40 s with
# static:60.  The scans come first: they warm the cache as far as it holds,
# which takes a slow disk seconds in sequence and minutes at random.
database_work() {
	scan_count=24 lookup_count=25000 mixed_count=10000
	[ "$1" = ssd ] ||
		scan_count=5 lookup_count=500 mixed_count=250
}

load_describe() {
	echo "PostgreSQL with $((40 * DATABASE_UNITS)) MB of data in $DATABASE_LIMIT_MB MB beside $DATABASE_IDLE_MB MB of idle memory: scans, index lookups, updates"
}

load_limit_mb() { echo $DATABASE_LIMIT_MB; }

# The newest of Debian's versions, else the one of the distribution.
database_find_bin() {
	local dir

	database_bin=
	for dir in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V) \
		"$(dirname "$(command -v initdb || echo /nowhere/initdb)")"; do
		[ ! -x "$dir/initdb" ] || [ ! -x "$dir/postgres" ] ||
			[ ! -x "$dir/pgbench" ] || database_bin=$dir
	done
	[ -n "$database_bin" ]
}

load_needs() {
	if ! database_find_bin; then
		echo 'PostgreSQL (initdb, postgres, pgbench) is missing; tests/deps bench'
		return 4
	fi
	if ! command -v psql setpriv >/dev/null; then
		echo 'psql or setpriv is missing; tests/deps bench'
		return 4
	fi
	if [ ! -x "$BESIDE" ]; then
		echo "$BESIDE is not built; make tests"
		return 4
	fi
}

# --- the cluster ---

# It refuses to run as root.
database_user() {
	local user

	for user in postgres nobody; do
		database_uid=$(id -u $user 2>/dev/null) &&
			database_gid=$(id -g $user) && break
	done
	[ -n "$database_uid" ] || bench_skip 'neither a user postgres nor a user nobody'
	database_as=(setpriv "--reuid=$database_uid" "--regid=$database_gid"
		--clear-groups env --chdir=/ LC_ALL=C)
}

# Small, so that it works like one with much more data and memory; what runs
# by the clock is off, since it would hit the slow run more often.
database_settings() {
	cat <<END
listen_addresses = ''
unix_socket_directories = '$database_home'
max_connections = 10
shared_buffers = ${DATABASE_SHARED_MB}MB
huge_pages = off
dynamic_shared_memory_type = mmap
work_mem = 4MB
max_parallel_workers_per_gather = 0
jit = off
autovacuum = off
fsync = on
wal_level = minimal
max_wal_senders = 0
min_wal_size = 16MB
max_wal_size = 32MB
checkpoint_timeout = 1h
END
}

database_answers() {
	guest_is_gone "$database_pid" ||
		"$database_bin/pg_isready" -q -h "$database_home" -U bench -d postgres
}

# database_start [COMMAND]: bench_in_group starts it in the group.
database_start() {
	"$@" "${database_as[@]}" "$database_bin/postgres" \
		-D "$database_home/data" >"$BENCH_TMP/postgres.log" 2>&1 &
	database_pid=$!
	wait_until 60000 database_answers && ! guest_is_gone "$database_pid" ||
		bench_fail "PostgreSQL did not start: $(tail -n 1 "$BENCH_TMP/postgres.log")"
}

# database_stop SIGNAL: INT writes everything, QUIT just ends it; neither
# leaves shared memory behind, as a kill would.
database_stop() {
	[ -n "${database_pid:-}" ] || return 0
	kill -"$1" "$database_pid" 2>/dev/null
	wait_until 60000 guest_is_gone "$database_pid"
	guest_end "$database_pid" KILL
	database_pid=
}

database_psql() {
	psql -q -X -v ON_ERROR_STOP=1 -h "$database_home" \
		-U bench -d postgres "$@"
}

# database_make ARCHIVE: a cluster with the data, made at full speed outside
# the group.
database_make() {
	bench_note "filling a PostgreSQL cluster, once"
	"${database_as[@]}" "$database_bin/initdb" -D "$database_home/data" \
		-U bench -A trust -E UTF8 --no-locale --wal-segsize=4 \
		--no-sync >"$BENCH_TMP/initdb.log" 2>&1 ||
		bench_fail "initdb failed: $(tail -n 1 "$BENCH_TMP/initdb.log")"
	database_settings >>"$database_home/data/postgresql.conf"
	database_start
	database_psql -v units=$DATABASE_UNITS \
		-v rows_per_unit=$DATABASE_ROWS_PER_UNIT \
		-f "$DATABASE_SQL/make.sql" 2>"$BENCH_TMP/psql.err" ||
		bench_fail "the data cannot be made: $(tail -n 1 "$BENCH_TMP/psql.err")"
	database_stop INT
	tar -cf "$1.part" -C "$database_home" data && mv "$1.part" "$1" &&
		rm -rf "$database_home/data"
}

# What it was made from names it: another recipe never meets old data.
database_archive() {
	local recipe

	recipe=$(
		{
			"$database_bin/postgres" --version
			echo $DATABASE_UNITS $DATABASE_ROWS_PER_UNIT
			database_home=any database_settings
			cat "$DATABASE_SQL/make.sql"
		} | cksum
	)
	database_archive=$BENCH_CACHE/database-${recipe%% *}.tar
}

load_prepare() {
	database_find_bin || return
	database_user
	database_home=$BENCH_FILES/database
	database_archive
	# Only its user and root may connect.
	install -d -m 0700 -o "$database_uid" -g "$database_gid" \
		"$database_home" || return
	if [ ! -e "$database_archive" ]; then
		rm -f "$BENCH_CACHE"/database-*.tar
		database_make "$database_archive" || return
	fi
	tar -xpf "$database_archive" -C "$database_home" || return
	# The socket's directory is that of this run.
	echo "unix_socket_directories = '$database_home'" \
		>>"$database_home/data/postgresql.conf"
	database_start bench_in_group
	database_start_idle
}

# After the server, so that nothing of it is swapped out at the start.
database_start_idle() {
	bench_in_group "$BESIDE" hold $DATABASE_IDLE_MB >"$BENCH_TMP/idle" &
	database_idle_pid=$!
	wait_until 60000 database_idle_is_up
	grep -q ready "$BENCH_TMP/idle" || bench_fail 'the idle daemon did not start'
}
database_idle_is_up() {
	grep -q ready "$BENCH_TMP/idle" || guest_is_gone "$database_idle_pid"
}

# --- the work ---

database_scan() {
	local i

	for ((i = 0; i < scan_count; i++)); do
		echo '\i' "$DATABASE_SQL/scan.sql"
	done >"$BENCH_TMP/scans.sql"
	bench_in_group timeout "$1" psql -q -X -v ON_ERROR_STOP=1 \
		-h "$database_home" -U bench -d postgres \
		-f "$BENCH_TMP/scans.sql"
}

# database_pgbench DEADLINE_S SCRIPT TRANSACTIONS: one client.
database_pgbench() {
	bench_in_group timeout "$1" "$database_bin/pgbench" -n -M prepared \
		-c 1 -t "$3" --random-seed=$DATABASE_SEED \
		-D rows=$DATABASE_ROWS -f "$DATABASE_SQL/$2.sql" \
		-h "$database_home" -U bench postgres
}
database_lookup() { database_pgbench "$1" lookup "$lookup_count"; }
database_mixed() { database_pgbench "$1" mixed "$mixed_count"; }

# database_phase NAME: adds to $database_ms and $database_phases; 1: the
# deadline came first.
database_phase() {
	local began_ms ms status=0 left_ms=$((database_deadline_ms - database_ms))

	began_ms=$(bench_now_ms)
	"database_$1" "$((left_ms / 1000)).$(printf %03d $((left_ms % 1000)))" \
		>"$BENCH_TMP/phase.log" 2>&1 || status=$?
	ms=$(($(bench_now_ms) - began_ms))
	database_ms=$((database_ms + ms))
	database_phases+=" $1 $ms"
	case $status in
	0) ;;
	124 | 137) return 1 ;;
	*) bench_fail "database: $1 failed: $(bench_why "$BENCH_TMP/phase.log")" ;;
	esac
}

load_run() {
	local is_cut=false phase

	database_work "$file_kind"
	database_deadline_ms=$((1000 * ${BENCH_DEADLINE_S:-$((10 * DATABASE_NOMINAL_S))}))
	database_ms=0 database_phases=
	for phase in scan lookup mixed; do
		database_phase $phase || {
			is_cut=true database_ms=$database_deadline_ms
			break
		}
	done
	! guest_is_gone "$database_pid" ||
		bench_fail "PostgreSQL ended early: $(bench_why "$BENCH_TMP/postgres.log")"
	! guest_is_gone "$database_idle_pid" ||
		bench_fail "the idle daemon ended early: $(bench_why /dev/null)"
	time_s=$(awk -v ms="$database_ms" 'BEGIN { printf "%.3f\n", ms / 1000 }')
	database_detail $is_cut
}

database_detail() {
	detail_json=$(jq -nc --arg phases "$database_phases" --argjson is_cut "$1" \
		--argjson scans "$scan_count" \
		--argjson lookups "$lookup_count" \
		--argjson mixed "$mixed_count" \
		--arg server "$("$database_bin/postgres" --version)" '
		($phases | split(" ") | map(select(length > 0))
			| [range(0; length; 2) as $i
				| {key: (.[$i] + "_s"), value: (.[$i + 1] | tonumber / 1000)}]
			| from_entries)
		+ {$scans, $lookups, $mixed, $is_cut, $server}')
}

load_clean() {
	database_stop QUIT
	[ -z "${database_idle_pid:-}" ] || guest_end "$database_idle_pid"
}

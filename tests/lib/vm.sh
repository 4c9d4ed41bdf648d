# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2154 # variables are of others, or for others
#
# For tests on other kernels, sourced after guest.sh: boots Debian's kernels
# under qemu, from an initramfs that holds busybox, the programs of the test
# with their libraries, and a scenario.  By software even where KVM is to be
# had: a KVM guest flushes by hypercall, and no interrupt would be counted.
#
#	vm_need
#	vm_kernel 6.12                     # fetched once, kept in $VM_CACHE
#	vm_root                            # a new initramfs tree
#	vm_add build/swaptend /usr/sbin    # with its shared libraries
#	vm_modules zram                    # and what they depend on
#	vm_boot 90 4 <<'SCENARIO'          # seconds, CPUs; a shell script
#	say begin uname                    # what follows goes to vm_part uname
#	uname -r >"$OUT"
#	SCENARIO
#	vm_part uname                      # prints it
#
# Set before vm_boot: VM_MEMORY_MB; VM_CGROUP, v1 or v2; VM_CMDLINE, more for
# the kernel's command line.  The scenario may `say gap SECONDS`: the machine is
# stopped for so long, as if it slept.

VM_CACHE=${VM_CACHE:-build/vm}
VM_MEMORY_MB=${VM_MEMORY_MB:-300}
VM_CGROUP=${VM_CGROUP:-v2}
VM_CMDLINE=${VM_CMDLINE:-}
# With the boots that follow it must stay below the time of tests/run.
VM_FETCH_S=${VM_FETCH_S:-75}

# Suites that carry a series as their package linux-image-cloud-amd64, or
# linux-image-amd64: the cloud's have no zswap.  7 is the newest that is built
# for a stable Debian.
VM_SERIES='5.10=bullseye 6.1=bookworm 6.12=trixie 7=trixie-backports
	5.10-generic=bullseye 6.1-generic=bookworm 6.12-generic=trixie'

vm_need() {
	local command

	[ "$(uname -m)" = x86_64 ] ||
		guest_skip_all "${0##*/}" 'only x86-64 kernels are booted here'
	for command in qemu-system-x86_64 busybox cpio xz ldd depmod; do
		command -v $command >/dev/null ||
			guest_skip_all "${0##*/}" "$command is missing; tests/deps vm"
	done
	guest_temp
}

# --- the kernel ---

vm_suite() {
	local pair

	for pair in $VM_SERIES; do
		[ "${pair%=*}" != "$1" ] || echo "${pair#*=}"
	done
}

# Where this machine's own apt has Debian from; its label is known only once
# lists were fetched.
vm_archive() {
	apt-get indextargets --format '$(REPO_URI) $(LABEL)' 2>/dev/null |
		awk '$2 == "Debian" { found = $1; exit }
			!/security/ && !any { any = $1 }
			END { if (found == "") found = any; print found }'
}

# vm_apt_setup SUITE DIRECTORY: apt there has its lists and nothing else there,
# and knows of no package of this machine.
vm_apt_setup() {
	local uri key=/usr/share/keyrings/debian-archive-keyring.gpg

	uri=$(vm_archive)
	[ -n "$uri" ] || { echo 'apt has no archive to ask'; return 1; }
	mkdir -p "$2/lists/partial" "$2/archives/partial" || return
	[ ! -e $key ] || uri="[signed-by=$key] $uri"
	echo "deb $uri $1 main" >"$2/sources.list"
	cat >"$2/apt.conf" <<-CONF
		Dir::State::Lists "$2/lists";
		Dir::State::Status "/dev/null";
		Dir::Cache::Archives "$2/archives";
		Dir::Cache::PkgCache "";
		Dir::Cache::SrcPkgCache "";
		Dir::Etc::SourceList "$2/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "1";
		APT::Update::Error-Mode "any";
		quiet "1";
	CONF
}

vm_depends() {
	apt-cache depends "$1" | awk -v wanted="$2" '$1 ~ /Depends:/ && $2 ~ wanted { print $2 }'
}

# vm_fetch SUITE DIRECTORY META: the kernel that the suite's META stands for.
# apt checks what it downloads.
vm_fetch() {
	local suite=$1 directory=$2 meta=$3 package packages modules

	vm_apt_setup "$suite" "$directory/apt" || return
	export APT_CONFIG=$directory/apt/apt.conf
	apt-get update || return
	package=$(vm_depends "$meta" '^linux-image-' | head -n 1)
	[ -n "$package" ] || { echo "E: no $meta in $suite"; return 1; }
	# From 7.2 on that package is empty.
	packages=$(vm_depends "$package" '^linux-(binary|modules)-')
	# shellcheck disable=SC2086 # a list of words
	(cd "$directory/apt" && apt-get download ${packages:-$package}) || return
	for package in "$directory"/apt/*.deb; do
		dpkg-deb -x "$package" "$directory" || return
	done
	rm -rf "$directory/apt" "${directory:?}/usr/share"
	# The package has it done when it is installed.
	modules=$(vm_find_modules "$directory") || { echo 'E: no modules'; return 1; }
	depmod -b "${modules%/lib/modules/*}" "${modules##*/}" || return
	vm_sums "$directory" >"$directory.sums" && mv "$directory.sums" "$directory/SHA256SUMS"
}

vm_sums() {
	(cd "$1" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum)
}

vm_is_whole() { [ -s "$1/SHA256SUMS" ] && vm_sums "$1" 2>/dev/null | cmp -s - "$1/SHA256SUMS"; }

# /lib is below /usr since trixie.
vm_find_modules() {
	compgen -G "$1/usr/lib/modules/*" || compgen -G "$1/lib/modules/*"
}

# The first that failed, else the last that was said.
vm_why() {
	awk '/^E:|^W: Failed/ && error == "" { error = $0 } NF { last = $0 }
		END { print error != "" ? error : last }' "$1"
}

# vm_cache SERIES: there it is whole, or not at all.
vm_cache() {
	local directory=$VM_CACHE/linux-$1 new status=0 meta=linux-image-cloud-amd64

	[ "$1" = "${1%-generic}" ] || meta=linux-image-amd64
	! vm_is_whole "$directory" || return 0
	if [ -d "$directory" ]; then
		echo "# $directory is not what was fetched: once more"
		rm -rf "$directory"
	fi
	mkdir -p "$VM_CACHE" 2>/dev/null
	new=$(mktemp -d "$VM_CACHE/new.XXXXXX" 2>/dev/null) ||
		guest_skip_all "${0##*/}" "cannot write in $VM_CACHE"
	new=$(realpath "$new")
	on_exit rm -rf "$new"
	export -f vm_fetch vm_apt_setup vm_archive vm_find_modules vm_depends vm_sums
	timeout -k 5 "$VM_FETCH_S" bash -c 'vm_fetch "$@"' vm_fetch \
		"$(vm_suite "$1")" "$new" $meta >"$GUEST_TMP/fetch" 2>&1 </dev/null &
	on_exit guest_end $!
	wait $! || status=$?
	[ $status != 124 ] || echo "E: took longer than $VM_FETCH_S s" >>"$GUEST_TMP/fetch"
	[ $status = 0 ] || guest_skip_all "${0##*/}" \
		"Linux $1 cannot be fetched: $(vm_why "$GUEST_TMP/fetch")"
	# Another test may have been as quick.
	mv -T "$new" "$directory" 2>/dev/null || [ -d "$directory" ] || exit 1
}

# vm_kernel SERIES: $VM_KERNEL, the image, and $VM_MODULES, their directory.
vm_kernel() {
	local directory=$VM_CACHE/linux-$1

	[ -n "$(vm_suite "$1")" ] ||
		guest_skip_all "${0##*/}" "Linux $1 is not one of $VM_SERIES"
	vm_cache "$1"
	VM_MODULES=$(vm_find_modules "$directory")
	# From 7.2 on it is among the modules.
	VM_KERNEL=$(compgen -G "$directory/boot/vmlinuz-*" || compgen -G "$VM_MODULES/vmlinuz")
	if [ -z "$VM_KERNEL" ] || [ ! -e "$VM_MODULES/modules.dep" ]; then
		guest_skip_all "${0##*/}" "no whole kernel in $directory; remove it"
	fi
}

# --- the initramfs ---

vm_root() {
	VM_ROOT=$GUEST_TMP/vm
	rm -rf "$VM_ROOT"
	mkdir -p "$VM_ROOT"/{bin,sbin,usr/bin,usr/sbin,usr/local/bin,proc,sys,dev,run,tmp,mnt,etc,modules}
	: >"$VM_ROOT/modules/order"
	vm_add "$(command -v busybox)" /bin
}

# vm_add FILE DIRECTORY: with its shared libraries.
vm_add() {
	local library

	cp -L "$1" "$VM_ROOT$2/" || exit 1
	while read -r library; do
		[ ! -e "$VM_ROOT$library" ] || continue
		mkdir -p "$VM_ROOT${library%/*}"
		cp -L "$library" "$VM_ROOT$library" || exit 1
	done < <(ldd "$1" 2>/dev/null | grep -o '/[^ ]*')
}

vm_unpack_module() {
	local name=${1##*/}

	name=${name%.xz}
	[ ! -e "$VM_ROOT/modules/$name" ] || return 0
	case $1 in
	*.xz) xz -dc "$VM_MODULES/$1" >"$VM_ROOT/modules/$name" ;;
	*) cp "$VM_MODULES/$1" "$VM_ROOT/modules/$name" ;;
	esac || exit 1
	echo "$name" >>"$VM_ROOT/modules/order"
}

# vm_modules NAME...: what is built into this kernel is not among its modules.
vm_modules() {
	local name line i depends

	for name; do
		line=$(grep -E "(^|/)$name\.ko(\.xz)?:" "$VM_MODULES/modules.dep") || continue
		# modules.dep names last what has to be loaded first.
		read -ra depends <<<"${line#*:}"
		for ((i = ${#depends[@]} - 1; i >= 0; i--)); do
			vm_unpack_module "${depends[i]}"
		done
		vm_unpack_module "${line%%:*}"
	done
}

vm_init() {
	cat <<'INIT'
#!/bin/busybox sh
export PATH=/usr/local/bin:/bin:/sbin:/usr/sbin:/usr/bin OUT=/dev/ttyS1
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs run /run
mount -t bpf bpf /sys/fs/bpf
mount -t tracefs tracefs /sys/kernel/tracing
mount -t securityfs securityfs /sys/kernel/security
ln -s /proc/self/fd /dev/fd
. /cgroups
# Before v5.11 the memory of BPF maps counts as locked.
ulimit -l unlimited
while read -r module; do insmod "/modules/$module"; done </modules/order
stty -F $OUT raw
say() { echo "@@ $*" | tee /dev/console >$OUT; }
. /scenario
say end
sync
poweroff -f
INIT
}

vm_initramfs() {
	(cd "$VM_ROOT" && find . | cpio -o -H newc --quiet | gzip -1) \
		>"$GUEST_TMP/initramfs" || exit 1
}

vm_cgroups() {
	if [ "$VM_CGROUP" = v2 ]; then
		echo 'mount -t cgroup2 cgroup2 /sys/fs/cgroup'
	else
		echo 'mount -t tmpfs cgroup /sys/fs/cgroup'
		echo 'mkdir /sys/fs/cgroup/memory'
		echo 'mount -t cgroup -o memory cgroup /sys/fs/cgroup/memory'
	fi
}

# vm_finish_root: the scenario comes by standard input.
vm_finish_root() {
	cat >"$VM_ROOT/scenario"
	vm_cgroups >"$VM_ROOT/cgroups"
	vm_init >"$VM_ROOT/init"
	chmod 755 "$VM_ROOT/init"
	vm_initramfs
}

# vm_qemu CPUS OPTION...: in place of the shell that says it.
vm_qemu() {
	local cpus=$1

	shift
	exec qemu-system-x86_64 -machine q35 -accel tcg,thread=multi -cpu max \
		-smp "$cpus" -m "$VM_MEMORY_MB" -display none -no-reboot -nic none \
		-kernel "$VM_KERNEL" -initrd "$GUEST_TMP/initramfs" \
		-append "console=ttyS0 quiet panic=1 $VM_CMDLINE" "$@"
}

# vm_attend PID: stops what `timeout` of this number runs when it asks for it.
vm_attend() {
	local gaps=0 seconds

	trap - EXIT
	while sleep 0.3; do
		seconds=$(sed -n "s/^@@ gap \\([0-9]*\\).*/\\1/p" "$GUEST_TMP/out" | sed -n "$((gaps + 1))p")
		[ -n "$seconds" ] || continue
		gaps=$((gaps + 1))
		pkill -STOP -P "$1"
		sleep "$seconds"
		pkill -CONT -P "$1"
	done
}

# vm_run DEADLINE_S CPUS: 0 if the scenario got to its end.
vm_run() {
	local deadline_s=$1 cpus=$2 status=0 machine attendant

	: >"$GUEST_TMP/out"
	: >"$GUEST_TMP/console"
	export VM_MEMORY_MB VM_KERNEL VM_CMDLINE GUEST_TMP
	export -f vm_qemu
	timeout -k 5 "$deadline_s" bash -c 'vm_qemu "$@"' vm_qemu "$cpus" \
		-monitor none -serial "file:$GUEST_TMP/console" \
		-serial "file:$GUEST_TMP/out" </dev/null >"$GUEST_TMP/qemu" 2>&1 &
	machine=$!
	on_exit guest_end $machine
	vm_attend $machine &
	attendant=$!
	on_exit guest_end $attendant
	wait $machine || status=$?
	guest_end $attendant
	! grep -q '^@@ end' "$GUEST_TMP/out" || return 0
	echo "# qemu ended with $status$([ $status != 124 ] || echo ", its $deadline_s s were over")"
	vm_console
	return 1
}

# The kernel patches its code with int3 while others run it, and the emulator
# now and then lets one of them see it too late: "Oops: int3" in early boot.  A
# kernel that panics before anything of ours runs is booted once more.
vm_died_young() {
	[ ! -s "$GUEST_TMP/out" ] && grep -q 'Kernel panic' "$GUEST_TMP/console"
}

# vm_boot DEADLINE_S CPUS: the scenario comes by standard input.  0 if it got to
# its end; else what the console showed is printed, as comments.
vm_boot() {
	vm_finish_root
	vm_run "$@" && return
	vm_died_young || return
	echo '# before the scenario began: once more'
	vm_run "$@"
}

# What qemu and the kernel said last, as comments.
vm_console() {
	tail -n 40 "$GUEST_TMP/qemu" "$GUEST_TMP/console" | tr -d '\r' | sed 's/^/# /'
}

# vm_part NAME: what was written after `say begin NAME`.
vm_part() {
	tr -d '\r' <"$GUEST_TMP/out" | awk -v name="$1" '
		/^@@ gap/ { next }
		/^@@ / { is_in = $2 == "begin" && $3 == name; next }
		is_in'
}

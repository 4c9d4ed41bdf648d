# SPDX-License-Identifier: GPL-2.0-only
# One non-recursive file; `make help` lists the targets.

VERSION := 0.1.0
B := build

CC ?= gcc
CLANG ?= clang
LLVM_STRIP ?= llvm-strip
BPFTOOL ?= $(firstword $(shell command -v bpftool) /usr/sbin/bpftool)

prefix ?= /usr
sbindir ?= $(prefix)/sbin
mandir ?= $(prefix)/share/man
unitdir ?= $(prefix)/lib/systemd/system
sysconfdir ?= /etc

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

WARN := -Wall -Wextra -Wshadow -Wformat=2 -Wvla -Werror
CPPFLAGS += -D_GNU_SOURCE -DSWAPTEND_VERSION='"$(VERSION)"' -Iinclude -Iuser -I$(B)
CFLAGS ?= -O2 -g
STD := -std=gnu11
HARDEN := -fstack-protector-strong -fPIE -D_FORTIFY_SOURCE=2
LIBS := -lbpf -linih -ljansson
ASAN := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined

# tlb is an object of its own: most users never load it.
BPF_SRC := $(filter-out bpf/tlb.bpf.c,$(wildcard bpf/*.bpf.c))
BPF_OBJ := $(BPF_SRC:bpf/%.c=$(B)/bpf/%.o)
BPF_FLAGS := -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Werror \
	-Wno-unused-parameter -Ivmlinux -Iinclude -Ibpf
SKEL := $(B)/swaptend.skel.h $(B)/tlb.skel.h

SRC := $(wildcard user/*.c user/*/*.c)
OBJ := $(SRC:%.c=$(B)/%.o)
TEST_OBJ := $(filter-out $(B)/asan/user/main.o,$(SRC:%.c=$(B)/asan/%.o))
UNIT := $(patsubst %.c,$(B)/%,$(wildcard tests/unit/test_*.c))
CORE_TEST := $(B)/tests/core/test_core
CORE_SRC := $(filter-out %.bpf.c %/minimise.c,$(wildcard tests/core/*.c))
BPF_TEST := $(patsubst %.c,$(B)/%,$(wildcard tests/bpf/test_*.c))
REPORT_SRC := $(wildcard tests/bench/report*.c)
REPORT_HDR := $(wildcard tests/bench/report*.h)
TOOLS := $(B)/tests/load $(B)/tests/load_shift $(B)/tests/beside $(B)/tests/report $(B)/tests/tlb_load
MAN := $(B)/man/swaptend.8 $(B)/man/swaptend.conf.5

# `make vm SHELL=1` is what people type; recipes still want a real one.
override SHELL := /bin/sh

.DELETE_ON_ERROR:
.PHONY: check-core check-compilers check-arm64 check-vm vm vm-all-deps bench-tlb distclean vm-deps bench bench-quick bench-overhead all help deps test-deps run demo check unit system bench-cost install clean format tests
all: $(B)/swaptend $(MAN)

help:
	@echo 'swaptend $(VERSION)'
	@echo '  make             build $(B)/swaptend and the manual pages'
	@echo '  sudo make run    install what is missing, build, run on the whole system until Ctrl-C'
	@echo '  sudo make check  install what is missing, build, run all tests'
	@echo '  sudo make demo   about a minute: the default beside swaptend, on fast and on slow swap'
	@echo '  make unit        unit tests only (no root)'
	@echo '  make check-core  every program against the BTF of ten kernels, nothing booted (no root)'
	@echo '  make check-compilers  the same for clang 14 and the newest that apt offers'
	@echo '  make check-arm64  build for arm64, run the unit tests under emulation'
	@echo '  sudo make system tests on the running kernel only'
	@echo '  make check-vm    tests on emulated kernels 5.10 to 7.x, 12 minutes; K=6.12 or K=6.12-classic: these'
	@echo '                   cells of tests/vm/cells, S="load swap": these scenarios; `make check` has two of 6.12'
	@echo '  make vm K=7      a shell on that kernel'
	@echo '  sudo make bench-overhead  what timing reads costs a disk at full speed'
	@echo '  sudo make bench-cost  overhead: BPF cost per event, load ratio, idle wake-ups, memory'
	@echo '  sudo make bench-tlb  what counting shootdowns costs, and their table; here and on an emulated kernel'
	@echo '  sudo make bench-quick  12 minutes: what each law makes of the most telling loads'
	@echo '  sudo make bench  25 loads and devices, three rounds of about 3 hours (ROUNDS=1: one), resumable'
	@echo '  make deps        install the packages that the build needs (apt); names those of Fedora and Arch'
	@echo '  make install     DESTDIR= prefix=$(prefix)'
	@echo '  make format      clang-format in place'
	@echo '  make clean       all that was built; not the kernels that tests boot ($(B)/vm): make distclean'
	@echo 'Variables: V=1 shows commands, CC=clang, CFLAGS, BPFTOOL'

deps:
	@tests/deps build
test-deps:
	@tests/deps build
	@tests/deps test
# Without these the tests on other kernels are skipped, and say so.
vm-deps: test-deps
	@tests/deps vm || true
	@tests/vm/fetch || true
vm-all-deps: test-deps
	@tests/deps vm
	@tests/vm/fetch 5.10 6.1 6.12 7 || true

# Flags and names of skeletons are in here too.
$(B)/bpf/%.bpf.o: bpf/%.bpf.c Makefile
	$(say) CLANG $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -MMD -MP -c $< -o $@
	$(Q)$(LLVM_STRIP) -g $@

$(B)/swaptend.bpf.o: $(BPF_OBJ)
	$(say) LINK $@
	$(Q)$(BPFTOOL) gen object $@ $^

$(B)/tlb.bpf.o: $(B)/bpf/tlb.bpf.o
	$(say) LINK $@
	$(Q)$(BPFTOOL) gen object $@ $^

# Whole or not at all: half of one, of a make that was killed, would be newer.
$(SKEL): $(B)/%.skel.h: $(B)/%.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name $(SKEL_NAME) > $@.new
	$(Q)mv $@.new $@

# struct tlb_bpf is what user/sense makes of it.
$(B)/swaptend.skel.h: SKEL_NAME := swaptend_bpf
$(B)/tlb.skel.h: SKEL_NAME := tlb_skel

# Generated once, before any object that may include it; then .d files know.
$(OBJ) $(TEST_OBJ): | $(SKEL)

$(B)/user/%.o: user/%.c
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(HARDEN) $(WARN) -MMD -MP -c $< -o $@

$(B)/swaptend: $(OBJ)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) -pie -Wl,-z,relro,-z,now $(LDFLAGS) $^ $(LIBS) -o $@

$(B)/asan/user/%.o: user/%.c
	$(say) ASAN $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(ASAN) $(WARN) -MMD -MP -c $< -o $@

$(B)/asan/libswaptend.a: $(TEST_OBJ)
	$(Q)rm -f $@
	$(Q)ar rcs $@ $^

$(B)/tests/unit/%: tests/unit/%.c $(B)/asan/libswaptend.a
	$(say) TEST $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) -Itests/lib $(ASAN) $(WARN) -MMD -MP $< $(B)/asan/libswaptend.a $(LIBS) -lcmocka -o $@

# Without sanitizers: these load programs into the kernel and measure.
$(B)/tests/bpf/%: tests/bpf/%.c $(filter-out $(B)/user/main.o,$(OBJ))
	$(say) TEST $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) -MMD -MP $< $(filter-out $(B)/user/main.o,$(OBJ)) $(LIBS) -lcmocka -o $@

# Likewise: with the program's own objects, but no kernel takes part.
$(CORE_TEST): $(CORE_SRC) $(wildcard tests/core/*.h) $(filter-out $(B)/user/main.o,$(OBJ)) | $(B)/tests/core/wrong.bpf.o
	$(say) TEST $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) $(filter %.c %.o,$^) $(LIBS) -lcmocka -o $@

$(B)/tests/core/wrong.bpf.o: tests/core/wrong.bpf.c vmlinux/vmlinux.h
	$(say) CLANG $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_FLAGS) -c $< -o $@
	$(Q)$(LLVM_STRIP) -g $@

$(B)/tests/core/minimise: tests/core/minimise.c
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) -D_GNU_SOURCE -Iuser $(CFLAGS) $(WARN) $< -lbpf -o $@

# Not of the program: its own sources instead of libswaptend.a.
$(B)/tests/unit/test_bench_report: tests/unit/test_bench_report.c $(filter-out tests/bench/report.c,$(REPORT_SRC)) $(REPORT_HDR)
	$(say) TEST $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) -Itests/bench $(ASAN) $(WARN) $(filter %.c,$^) -ljansson -lm -lcmocka -o $@

$(B)/tests/report: $(REPORT_SRC) $(REPORT_HDR)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) -D_GNU_SOURCE -Iuser -O2 -g $(WARN) $(REPORT_SRC) -ljansson -lm -o $@

$(B)/tests/load $(B)/tests/load_shift: $(B)/tests/%: tests/bench/%.c tests/bench/load_memory.c tests/bench/load_memory.h
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) -D_GNU_SOURCE -O2 -g $(WARN) $(filter %.c,$^) -o $@

$(B)/tests/%: tests/bench/%.c
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) -D_GNU_SOURCE -O2 -g $(WARN) $< -o $@

$(B)/tests/tlb_load: tests/tlb_load.c
	$(say) CC $<
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) -D_GNU_SOURCE -O2 -g $(WARN) $< -pthread -o $@

bench-overhead: test-deps
	@$(MAKE) --no-print-directory all $(TOOLS)
	@tests/deps bench
	@tests/bench/overhead.sh

bench-tlb: vm-deps
	@$(MAKE) --no-print-directory all $(TOOLS)
	@tests/deps bench
	@tests/bench/tlb.sh

# Benchmarks, not tests; a report after each round, in tests/bench/results.
bench bench-quick: test-deps
	@$(MAKE) --no-print-directory all $(TOOLS)
	@tests/deps bench
	@tests/bench/bench $(if $(filter bench-quick,$@),quick,full) $(if $(ROUNDS),--rounds $(ROUNDS))

$(B)/man/gen: dist/man/gen.c $(B)/user/config.o $(patsubst %.c,$(B)/%.o,$(wildcard user/law/*.c))
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(CPPFLAGS) $(CFLAGS) $(WARN) $^ -linih -o $@

$(B)/man/%: dist/man/%.in $(B)/man/gen
	$(say) MAN $@
	$(Q)$(B)/man/gen < $< > $@

run: deps
	@$(MAKE) --no-print-directory all
	@$(B)/swaptend run

demo: test-deps
	@$(MAKE) --no-print-directory all $(TOOLS)
	@tests/bench/demo.sh

tests: $(UNIT) $(BPF_TEST) $(CORE_TEST) $(TOOLS)

check: vm-deps
	@$(MAKE) --no-print-directory all tests
	@tests/run tests/check/*.sh $(UNIT) $(CORE_TEST) tests/core/refresh.sh $(BPF_TEST) tests/cli/*.sh tests/system/*.sh tests/vm/*.sh

check-core: $(CORE_TEST)
	@tests/run $(CORE_TEST) tests/core/refresh.sh

# Each builds in a directory of its own below $(B).
check-compilers:
	@tests/deps build
	@tests/deps compilers
	@tests/run -t 900 tests/core/compilers.sh

check-arm64:
	@tests/deps arm64
	@tests/run -t 1800 tests/core/arm64.sh

check-vm: vm-all-deps
	@$(MAKE) --no-print-directory all $(TOOLS)
	@K='$(K)' S='$(S)' tests/vm/matrix

vm: test-deps
	@tests/deps vm
	@$(MAKE) --no-print-directory all $(TOOLS)
	@VM_FETCH_S=1800 K='$(K)' S= tests/vm/matrix shell

unit: $(UNIT)
	@tests/run $(UNIT)

system: all $(BPF_TEST) $(TOOLS)
	@tests/run $(BPF_TEST) tests/system/*.sh

bench-cost: all $(TOOLS)
	@tests/bench/cost.sh

install: all
	install -D -m 0755 $(B)/swaptend $(DESTDIR)$(sbindir)/swaptend
	install -D -m 0644 $(B)/man/swaptend.8 $(DESTDIR)$(mandir)/man8/swaptend.8
	install -D -m 0644 $(B)/man/swaptend.conf.5 $(DESTDIR)$(mandir)/man5/swaptend.conf.5
	install -D -m 0644 dist/systemd/swaptend.service $(DESTDIR)$(unitdir)/swaptend.service
	install -D -m 0644 dist/completion/swaptend.bash $(DESTDIR)$(prefix)/share/bash-completion/completions/swaptend
	[ -e $(DESTDIR)$(sysconfdir)/swaptend.conf ] || \
		install -D -m 0644 dist/swaptend.conf $(DESTDIR)$(sysconfdir)/swaptend.conf

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

# Kernels are fetched once.
clean:
	[ ! -d $(B) ] || find $(B) -mindepth 1 -maxdepth 1 ! -name vm -exec rm -rf {} +
distclean:
	rm -rf $(B)

-include $(OBJ:.o=.d) $(BPF_OBJ:.o=.d) $(B)/bpf/tlb.bpf.d $(TEST_OBJ:.o=.d) $(UNIT:%=%.d) $(BPF_TEST:%=%.d)

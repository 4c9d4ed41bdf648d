/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscall() comes from here: the linker finds the program's own first, and
 * libbpf asks the kernel through nothing else.
 */
#include "fake_kernel.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "reach.h"

struct fake_program fake_programs[FAKE_MAX_PROGRAMS];
size_t fake_program_count;

static struct fake_kernel kernel;

/* The mark of a frozen map: libbpf may duplicate its descriptor. */
#define FROZEN F_SEAL_SHRINK

/* Maps of one row hold it, so that libbpf can map its variables. */
static int create_map(const union bpf_attr *attr)
{
	int fd;

	if (attr->map_type == BPF_MAP_TYPE_TASK_STORAGE &&
	    !kernel.has_task_storage) {
		errno = EINVAL;
		return -1;
	}
	fd = memfd_create("map", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd >= 0 && attr->max_entries == 1 &&
	    ftruncate(fd, attr->value_size)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int update_map(const union bpf_attr *attr)
{
	int fd = (int)attr->map_fd;
	struct stat map;

	if (fstat(fd, &map))
		return -1;
	if (map.st_size && pwrite(fd, (const void *)(uintptr_t)attr->value,
				  (size_t)map.st_size, 0) != map.st_size)
		return -1;
	return 0;
}

static int fake_bpf(int command, const union bpf_attr *attr)
{
	switch (command) {
	case BPF_MAP_CREATE:
		return create_map(attr);
	case BPF_MAP_UPDATE_ELEM:
		return update_map(attr);
	case BPF_MAP_FREEZE:
		return fcntl((int)attr->map_fd, F_ADD_SEALS, FROZEN);
	case BPF_PROG_LOAD:
	case BPF_BTF_LOAD:
	case BPF_LINK_CREATE:
	case BPF_RAW_TRACEPOINT_OPEN:
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	case BPF_PROG_BIND_MAP:
		return 0;
	default: /* nothing that loading needs */
		errno = EINVAL;
		return -1;
	}
}

/* Not static, and the prototype is unistd.h's. */
long syscall(long number, ...)
{
	long (*real)(long, ...);
	va_list args;
	long a[6];

	va_start(args, number);
	for (size_t i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf)
		return fake_bpf((int)a[0], (const void *)a[1]);
	real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* What a program reads there, if that cannot change any more. */
static bool constant(int map_fd, uint64_t offset, size_t size, uint64_t *ret)
{
	uint64_t value = 0; /* little endian, as all that is tested here */
	int seals = fcntl(map_fd, F_GET_SEALS);

	if (seals < 0 || !(seals & FROZEN) || size > sizeof(value) ||
	    pread(map_fd, &value, size, (off_t)offset) != (ssize_t)size)
		return false;
	*ret = value;
	return true;
}

/* Relocated by now, and its maps are made. */
static int keep(struct bpf_program *program, struct bpf_prog_load_opts *opts,
		long cookie)
{
	struct fake_program *kept = &fake_programs[fake_program_count];

	(void)opts;
	(void)cookie;
	if (fake_program_count >= FAKE_MAX_PROGRAMS)
		return -E2BIG;
	snprintf(kept->name, sizeof(kept->name), "%s",
		 bpf_program__name(program));
	snprintf(kept->section, sizeof(kept->section), "%s",
		 bpf_program__section_name(program));
	reach_judge(bpf_program__insns(program), bpf_program__insn_cnt(program),
		    kernel.nr_helpers, constant, kept->fault,
		    sizeof(kept->fault));
	fake_program_count++;
	return 0;
}

int fake_start(void)
{
	static const char *const sections[] = {"tp_btf+", "fentry+", "fexit+"};
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts);
	int r = 0;

	/*
	 * A type without a target: libbpf would look for it in the BTF of the
	 * running kernel.
	 */
	opts.prog_prepare_load_fn = keep;
	for (size_t i = 0; r >= 0 && i < 3; i++)
		r = libbpf_register_prog_handler(
			sections[i], BPF_PROG_TYPE_RAW_TRACEPOINT, 0, &opts);
	return r < 0 ? r : 0;
}

void fake_reset(const struct fake_kernel *as)
{
	fake_program_count = 0;
	kernel = *as;
}

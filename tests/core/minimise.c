/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cuts a kernel's BTF down to what the tests and the programs look at:
 *	minimise OUT-BTF KERNEL-BTF OBJECT... +NAME...
 * Whole types by the names of the objects' own types (struct page___v618 wants
 * struct page), what their programs attach to, and each +NAME.
 *
 * Not `bpftool gen min_core_btf`: that keeps only members that are used today,
 * so a member that a kernel lacks could not be told from one that was cut.
 * What goes is what pointers point to, typedefs and qualifiers between a member
 * and its type, and the inside of embedded types that nobody asked for: no
 * relocation depends on them.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "util.h"

#define MAX_NAMES 512

static struct {
	char *name[MAX_NAMES];
	size_t count;
} wanted;

static const struct btf *from;
static struct btf *to;
static int *new_ids; /* by old id; 0: not copied yet */
static int void_pointer;

__attribute__((noreturn)) static void die(const char *what, int r)
{
	fprintf(stderr, "minimise: %s: %s\n", what, strerror(-r));
	exit(1);
}

/* libbpf's ids and errors come in one number. */
static int take(int r)
{
	if (r < 0)
		die("cannot add a type", r);
	return r;
}

static bool is_wanted(const char *name)
{
	for (size_t i = 0; i < wanted.count; i++)
		if (!strcmp(wanted.name[i], name))
			return true;
	return false;
}

static void want(const char *prefix, const char *name)
{
	const char *flavour = strstr(name, "___");
	int length = flavour ? (int)(flavour - name) : (int)strlen(name);

	if (wanted.count >= MAX_NAMES)
		die("names", -E2BIG);
	if (asprintf(&wanted.name[wanted.count], "%s%.*s", prefix, length,
		     name) < 0)
		die("names", -ENOMEM);
	if (is_wanted(wanted.name[wanted.count]))
		free(wanted.name[wanted.count]);
	else
		wanted.count++;
}

static void want_types_of(const struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	unsigned int count = btf ? btf__type_cnt(btf) : 0;

	for (unsigned int id = 1; id < count; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);
		const char *name = btf__name_by_offset(btf, type->name_off);

		if (*name && (btf_is_composite(type) || btf_is_any_enum(type)))
			want("", name);
	}
}

static void want_all_of(const char *path)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	struct bpf_program *program;

	if (!object)
		die(path, -errno);
	want_types_of(object);
	bpf_object__for_each_program(program, object)
	{
		const char *section = bpf_program__section_name(program);
		const char *target = strchr(section, '/');

		if (target)
			want(!strncmp(section, "tp_btf/", 7) ? "btf_trace_"
							     : "",
			     target + 1);
	}
	bpf_object__close(object);
}

static int copy(__u32 id);

static const char *name_of(__u32 offset)
{
	return btf__name_by_offset(from, offset);
}

static int copy_composite(const struct btf_type *type)
{
	const char *name = name_of(type->name_off);
	const struct btf_member *members = btf_members(type);
	unsigned int count = btf_vlen(type);
	int types[4096], id;

	if (*name && !is_wanted(name))
		count = 0; /* its size is enough */
	if (count > SWT_ARRAY_SIZE(types))
		die(name, -E2BIG);
	/* First: a type's members must follow it at once. */
	for (unsigned int i = 0; i < count; i++)
		types[i] = copy(members[i].type);
	id = take(btf_is_union(type) ? btf__add_union(to, name, type->size)
				     : btf__add_struct(to, name, type->size));
	for (unsigned int i = 0; i < count; i++)
		take(btf__add_field(to, name_of(members[i].name_off), types[i],
				    btf_member_bit_offset(type, i),
				    btf_member_bitfield_size(type, i)));
	return id;
}

static int copy_enum(const struct btf_type *type)
{
	const char *name = name_of(type->name_off);
	const struct btf_enum *values = btf_enum(type);
	int id = take(btf__add_enum(to, name, type->size));

	if (!is_wanted(name))
		return id;
	for (int i = 0; i < btf_vlen(type); i++)
		take(btf__add_enum_value(to, name_of(values[i].name_off),
					 btf_kflag(type)
						 ? (__s64)values[i].val
						 : (__u32)values[i].val));
	return id;
}

static int copy_enum64(const struct btf_type *type)
{
	const char *name = name_of(type->name_off);
	const struct btf_enum64 *values = btf_enum64(type);
	int id = take(btf__add_enum64(to, name, type->size, btf_kflag(type)));

	for (int i = 0; is_wanted(name) && i < btf_vlen(type); i++)
		take(btf__add_enum64_value(to, name_of(values[i].name_off),
					   btf_enum64_value(&values[i])));
	return id;
}

static int copy_proto(const struct btf_type *type)
{
	const struct btf_param *params = btf_params(type);
	int types[64], result = copy(type->type), id;
	unsigned int count = btf_vlen(type);

	if (count > SWT_ARRAY_SIZE(types))
		die("a function's arguments", -E2BIG);
	for (unsigned int i = 0; i < count; i++)
		types[i] = copy(params[i].type);
	id = take(btf__add_func_proto(to, result));
	for (unsigned int i = 0; i < count; i++)
		take(btf__add_func_param(to, name_of(params[i].name_off),
					 types[i]));
	return id;
}

static int copy_array(const struct btf_type *type)
{
	const struct btf_array *array = btf_array(type);
	int index = copy(array->index_type), element = copy(array->type);

	return take(btf__add_array(to, index, element, array->nelems));
}

static int copy_new(const struct btf_type *type)
{
	switch (btf_kind(type)) {
	case BTF_KIND_INT:
		return take(btf__add_int(to, name_of(type->name_off),
					 type->size, btf_int_encoding(type)));
	case BTF_KIND_PTR:
		return void_pointer;
	case BTF_KIND_ARRAY:
		return copy_array(type);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return copy_composite(type);
	case BTF_KIND_ENUM:
		return copy_enum(type);
	case BTF_KIND_ENUM64:
		return copy_enum64(type);
	case BTF_KIND_FUNC_PROTO:
		return copy_proto(type);
	case BTF_KIND_FLOAT:
		return take(btf__add_float(to, name_of(type->name_off),
					   type->size));
	default: /* typedefs, qualifiers, tags */
		return copy(type->type);
	}
}

static int copy(__u32 id)
{
	if (id && !new_ids[id])
		new_ids[id] = copy_new(btf__type_by_id(from, id));
	return new_ids[id];
}

/* btf_trace_X is a typedef of a pointer to a function. */
static void copy_trace(const struct btf_type *type)
{
	const struct btf_type *pointer = btf__type_by_id(from, type->type);
	int proto;

	if (!btf_is_ptr(pointer))
		return;
	proto = copy(pointer->type);
	take(btf__add_typedef(to, name_of(type->name_off),
			      take(btf__add_ptr(to, proto))));
}

/* All of that name: where there are two, libbpf must choose. */
static void copy_wanted(void)
{
	unsigned int count = btf__type_cnt(from);

	for (__u32 id = 1; id < count; id++) {
		const struct btf_type *type = btf__type_by_id(from, id);
		const char *name = name_of(type->name_off);

		if (!*name || !is_wanted(name))
			continue;
		if (btf_is_composite(type) || btf_is_any_enum(type))
			copy(id);
		else if (btf_is_typedef(type) &&
			 !strncmp(name, "btf_trace_", 10))
			copy_trace(type);
		else if (btf_is_func(type))
			/* As all of the kernel's. */
			take(btf__add_func(to, name, BTF_FUNC_STATIC,
					   copy(type->type)));
	}
}

static void write_to(const char *path)
{
	__u32 size;
	const void *data = btf__raw_data(to, &size);
	FILE *file = fopen(path, "we");

	if (!data || !file)
		die(path, -errno);
	if (fwrite(data, size, 1, file) != 1 || fclose(file))
		die(path, -EIO);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr,
			"usage: %s OUT-BTF KERNEL-BTF OBJECT... "
			"+NAME...\n",
			argv[0]);
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		if (*argv[i] == '+')
			want("", argv[i] + 1);
		else
			want_all_of(argv[i]);
	}
	from = btf__parse(argv[2], NULL);
	to = btf__new_empty();
	if (!from || !to)
		die(argv[2], -errno);
	new_ids = calloc(btf__type_cnt(from), sizeof(*new_ids));
	if (!new_ids || btf__set_pointer_size(to, btf__pointer_size(from)))
		die(argv[2], -ENOMEM);
	void_pointer = take(btf__add_ptr(to, 0));
	copy_wanted();
	write_to(argv[1]);
	return 0;
}

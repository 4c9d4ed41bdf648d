/* SPDX-License-Identifier: GPL-2.0-only */
#include "reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libbpf.c: bpf_core_poison_insn(), poison_map_ldimm64(). */
#define POISONED_RELOCATION 195896080
#define POISONED_MAP_FIRST 2001000000

#define NR_REGISTERS 11

/* What a register holds on all ways that lead to an instruction. */
struct value {
	enum { UNSEEN, NUMBER, POINTER, ANYTHING } kind;
	int map_fd;	 /* of a POINTER into a map's value */
	uint64_t number; /* or the offset there */
};

struct registers {
	struct value r[NR_REGISTERS];
};

struct walk {
	const struct bpf_insn *insns;
	size_t count;
	reach_constant_fn *constant;
	struct registers *at; /* before each instruction */
	bool *can_run;
	size_t *queue; /* each instruction at most once */
	bool *is_queued;
	size_t queue_length;
};

static const struct value anything = {.kind = ANYTHING};

static bool is_same(const struct value *a, const struct value *b)
{
	return a->kind == b->kind && a->map_fd == b->map_fd &&
	       a->number == b->number;
}

/* Values only ever get less certain, so this comes to an end. */
static void go(struct walk *walk, size_t to, const struct registers *with)
{
	struct registers *at = &walk->at[to];
	bool is_new;

	if (to >= walk->count)
		return;
	is_new = !walk->can_run[to];
	walk->can_run[to] = true;
	for (size_t i = 0; i < NR_REGISTERS; i++) {
		if (is_same(&at->r[i], &with->r[i]) ||
		    at->r[i].kind == ANYTHING)
			continue;
		at->r[i] = at->r[i].kind == UNSEEN ? with->r[i] : anything;
		is_new = true;
	}
	if (is_new && !walk->is_queued[to]) {
		walk->is_queued[to] = true;
		walk->queue[walk->queue_length++] = to;
	}
}

/* False: this is no plain arithmetic. */
static bool compute(uint8_t op, uint64_t a, uint64_t b, bool is_32,
		    uint64_t *ret)
{
	uint64_t mask = is_32 ? 31 : 63;

	switch (op) {
	case BPF_MOV:
		*ret = b;
		return true;
	case BPF_ADD:
		*ret = a + b;
		return true;
	case BPF_SUB:
		*ret = a - b;
		return true;
	case BPF_AND:
		*ret = a & b;
		return true;
	case BPF_OR:
		*ret = a | b;
		return true;
	case BPF_XOR:
		*ret = a ^ b;
		return true;
	case BPF_LSH:
		*ret = a << (b & mask);
		return true;
	case BPF_RSH:
		*ret = (is_32 ? (uint32_t)a : a) >> (b & mask);
		return true;
	default:
		return false;
	}
}

static struct value alu(const struct bpf_insn *insn,
			const struct registers *registers)
{
	bool is_32 = BPF_CLASS(insn->code) == BPF_ALU;
	struct value a = registers->r[insn->dst_reg], result = a;
	struct value b = {.kind = NUMBER,
			  .number = (uint64_t)(int64_t)insn->imm};
	uint8_t op = BPF_OP(insn->code);

	if (BPF_SRC(insn->code) == BPF_X)
		b = registers->r[insn->src_reg];
	if (op == BPF_MOV) {
		/* A sign extension has its width in off. */
		if (insn->off || (is_32 && b.kind != NUMBER))
			return anything;
		result = b;
	} else if (b.kind != NUMBER ||
		   (a.kind != NUMBER && (a.kind != POINTER || is_32 ||
					 (op != BPF_ADD && op != BPF_SUB))) ||
		   !compute(op, a.number, b.number, is_32, &result.number)) {
		return anything;
	}
	if (is_32)
		result.number = (uint32_t)result.number;
	return result;
}

static struct value load(const struct walk *walk, const struct bpf_insn *insn,
			 const struct registers *registers)
{
	static const size_t size_of[] = {[BPF_W >> 3] = 4,
					 [BPF_H >> 3] = 2,
					 [BPF_B >> 3] = 1,
					 [BPF_DW >> 3] = 8};
	const struct value *base = &registers->r[insn->src_reg];
	struct value result = {.kind = NUMBER};

	if (BPF_MODE(insn->code) != BPF_MEM || base->kind != POINTER ||
	    !walk->constant(base->map_fd, base->number + (uint64_t)insn->off,
			    size_of[BPF_SIZE(insn->code) >> 3], &result.number))
		return anything;
	return result;
}

static struct value load_64(const struct bpf_insn *insn)
{
	struct value result = {.kind = NUMBER};

	if (insn->src_reg == BPF_PSEUDO_MAP_VALUE)
		return (struct value){.kind = POINTER,
				      .map_fd = insn->imm,
				      .number = (uint32_t)insn[1].imm};
	if (insn->src_reg)
		return anything;
	result.number =
		(uint64_t)(uint32_t)insn[1].imm << 32 | (uint32_t)insn->imm;
	return result;
}

/* Of two known numbers; sets what is true of them. */
static bool compare(uint8_t op, uint64_t a, uint64_t b, bool is_32)
{
	int64_t signed_a = is_32 ? (int32_t)a : (int64_t)a;
	int64_t signed_b = is_32 ? (int32_t)b : (int64_t)b;

	if (is_32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return a & b;
	case BPF_JSGT:
		return signed_a > signed_b;
	case BPF_JSGE:
		return signed_a >= signed_b;
	case BPF_JSLT:
		return signed_a < signed_b;
	default:
		return signed_a <= signed_b;
	}
}

static void call(struct walk *walk, size_t i, struct registers *now)
{
	const struct bpf_insn *insn = &walk->insns[i];
	struct registers of_function;

	for (size_t r = 0; r < NR_REGISTERS; r++)
		of_function.r[r] = anything;
	if (insn->src_reg == BPF_PSEUDO_CALL)
		go(walk, i + 1 + (size_t)(int64_t)insn->imm, &of_function);
	for (size_t r = 0; r <= 5; r++)
		now->r[r] = anything;
	go(walk, i + 1, now);
}

static void jump(struct walk *walk, size_t i, const struct registers *now)
{
	const struct bpf_insn *insn = &walk->insns[i];
	const struct value *a = &now->r[insn->dst_reg];
	struct value b = {.kind = NUMBER,
			  .number = (uint64_t)(int64_t)insn->imm};
	bool is_32 = BPF_CLASS(insn->code) == BPF_JMP32, is_known;
	uint8_t op = BPF_OP(insn->code);
	size_t target = i + 1 + (size_t)(int64_t)insn->off;

	if (op == BPF_JA) {
		if (is_32) /* its offset is in imm */
			target = i + 1 + (size_t)(int64_t)insn->imm;
		go(walk, target, now);
		return;
	}
	if (BPF_SRC(insn->code) == BPF_X)
		b = now->r[insn->src_reg];
	is_known = a->kind == NUMBER && b.kind == NUMBER;
	if (!is_known || compare(op, a->number, b.number, is_32))
		go(walk, target, now);
	if (!is_known || !compare(op, a->number, b.number, is_32))
		go(walk, i + 1, now);
}

static void step(struct walk *walk, size_t i)
{
	const struct bpf_insn *insn = &walk->insns[i];
	struct registers now = walk->at[i];
	uint8_t op = BPF_OP(insn->code);

	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		now.r[insn->dst_reg] = alu(insn, &now);
		break;
	case BPF_LDX:
		now.r[insn->dst_reg] = load(walk, insn, &now);
		break;
	case BPF_LD:
		now.r[insn->dst_reg] = load_64(insn);
		go(walk, i + 2, &now);
		return;
	case BPF_STX: /* an atomic one may fetch */
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			now.r[insn->src_reg] = now.r[0] = anything;
		break;
	case BPF_ST:
		break;
	default:
		if (op == BPF_CALL)
			call(walk, i, &now);
		else if (op != BPF_EXIT)
			jump(walk, i, &now);
		return;
	}
	go(walk, i + 1, &now);
}

static void find_fault(const struct walk *walk, int nr_helpers, char *fault,
		       size_t fault_size)
{
	for (size_t i = 0; i < walk->count; i++) {
		const struct bpf_insn *insn = &walk->insns[i];

		if (!walk->can_run[i] || insn->code != (BPF_JMP | BPF_CALL) ||
		    insn->src_reg || insn->imm < nr_helpers)
			continue;
		if (insn->imm == POISONED_RELOCATION)
			snprintf(fault, fault_size,
				 "insn %zu: a relocation that found nothing",
				 i);
		else if (insn->imm >= POISONED_MAP_FIRST)
			snprintf(fault, fault_size,
				 "insn %zu: a map that was not made", i);
		else
			snprintf(fault, fault_size, "insn %zu: helper %d of %d",
				 i, insn->imm, nr_helpers);
		return;
	}
}

void reach_judge(const struct bpf_insn *insns, size_t count, int nr_helpers,
		 reach_constant_fn *constant, char *fault, size_t fault_size)
{
	struct walk walk = {
		.insns = insns,
		.count = count,
		.constant = constant,
		.at = calloc(count, sizeof(*walk.at)),
		.can_run = calloc(count, sizeof(*walk.can_run)),
		.queue = calloc(count, sizeof(*walk.queue)),
		.is_queued = calloc(count, sizeof(*walk.is_queued)),
	};
	struct registers start;

	*fault = '\0';
	if (!walk.at || !walk.can_run || !walk.queue || !walk.is_queued) {
		snprintf(fault, fault_size, "no memory");
	} else {
		for (size_t r = 0; r < NR_REGISTERS; r++)
			start.r[r] = anything;
		go(&walk, 0, &start);
		while (walk.queue_length) {
			size_t i = walk.queue[--walk.queue_length];

			walk.is_queued[i] = false;
			step(&walk, i);
		}
		find_fault(&walk, nr_helpers, fault, fault_size);
	}
	free(walk.at);
	free(walk.can_run);
	free(walk.queue);
	free(walk.is_queued);
}

/* SPDX-License-Identifier: GPL-2.0-only */
#include "report/tlb_saved.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "report/tlb_json.h"

/* 8,192 CPUs of some 150 bytes are 1.2 MB. */
#define MAX_FILE_BYTES (16 << 20)
#define MAX_CPUS 8192
#define SAVED_MODE 0666 /* less the umask */

/* A symbolic link stays one: the file that it leads to is replaced. */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);

	return real || errno != ENOENT ? real : strdup(path);
}

int tlb_save_begin(struct tlb_save *save, const char *path)
{
	struct stat status;
	int fd;

	memset(save, 0, sizeof(*save));
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	save->path = real_path(path);
	if (!save->path)
		return -errno;
	if (asprintf(&save->temporary, "%s.%d.tmp", save->path, getpid()) < 0) {
		save->temporary = NULL;
		return -ENOMEM;
	}
	fd = open(save->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		  SAVED_MODE);
	if (fd < 0) {
		int r = -errno;

		/* Not ours to remove. */
		free(TAKE_PTR(save->temporary));
		return r;
	}
	save->out = fdopen(fd, "w");
	if (!save->out)
		close(fd);
	return save->out ? 0 : -ENOMEM;
}

/* The name too: the directory is what holds it. */
static void sync_directory(const char *path)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (slash)
		slash[slash == dir] = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The file is whole without; some file systems cannot. */
	if (fd >= 0)
		IGNORE_RESULT(fsync(fd));
}

int tlb_save_commit(struct tlb_save *save, struct report *run)
{
	int r = report_write(run, save->out);

	if (!r && fsync(fileno(save->out)))
		r = -errno;
	if (fclose(TAKE_PTR(save->out)) && !r)
		r = -errno;
	if (!r && rename(save->temporary, save->path))
		r = -errno;
	if (r)
		return r;
	free(TAKE_PTR(save->temporary));
	sync_directory(save->path);
	return 0;
}

void tlb_save_done(struct tlb_save *save)
{
	if (save->out)
		fclose(save->out);
	if (save->temporary)
		(void)unlink(save->temporary); /* nothing more can be done */
	free(save->temporary);
	free(save->path);
	memset(save, 0, sizeof(*save));
}

/* Not more than MAX_FILE_BYTES, whatever the file says of itself. */
static int read_whole(const char *path, char **ret, size_t *ret_len)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	_cleanup_free_ char *text = NULL;
	struct stat status;
	size_t len = 0;
	ssize_t n;

	if (fd < 0 || fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	if (status.st_size > MAX_FILE_BYTES)
		return -EFBIG;
	text = malloc((size_t)status.st_size + 1);
	if (!text)
		return -ENOMEM;
	while (len < (size_t)status.st_size &&
	       (n = read(fd, text + len, (size_t)status.st_size - len))) {
		if (n < 0 && errno != EINTR)
			return -errno;
		len += n > 0 ? (size_t)n : 0;
	}
	*ret = TAKE_PTR(text);
	*ret_len = len;
	return 0;
}

/* A number that may be null; -EINVAL: neither, or not there. */
static int load_count(struct report_view object, const char *key,
		      bool *ret_known, uint64_t *ret)
{
	struct report_view value = report_get(object, key);

	*ret_known = value.json != NULL;
	return value.json ? report_as_count(value, ret) : 0;
}

static int load_name(struct report_view object, const char *key, char *ret,
		     size_t size)
{
	const char *text;
	int r = report_as_string(report_get(object, key), &text);

	if (!r)
		snprintf(ret, size, "%s", text);
	return r;
}

static int load_machine(struct report_view run, struct tlb_machine *ret)
{
	struct report_view machine = report_get(run, "machine");
	uint64_t online = 0;
	int r = load_name(machine, "node", ret->node, sizeof(ret->node));

	if (!r)
		r = load_name(machine, "release", ret->release,
			      sizeof(ret->release));
	if (!r)
		r = load_name(machine, "arch", ret->arch, sizeof(ret->arch));
	if (!r)
		r = report_as_count(report_get(machine, "online_cpus"),
				    &online);
	if (!r && online > MAX_CPUS)
		r = -EINVAL;
	ret->nr_online = (unsigned int)online;
	return r;
}

static int load_cpu(struct report_view one, struct tlb_saved *ret)
{
	struct tlb_cpu_count *count;
	uint64_t cpu;
	bool is_known;
	int r = report_as_count(report_get(one, "cpu"), &cpu);

	/* They rise, so none is there twice. */
	if (r || cpu >= MAX_CPUS || cpu < ret->nr_cpus)
		return -EINVAL;
	count = &ret->cpus[cpu];
	r = load_count(one, "tlb", &is_known, &count->count);
	/* Why it is not known matters no more. */
	count->known = is_known ? TLB_KNOWN : TLB_OFFLINE;
	ret->nr_cpus = (unsigned int)cpu + 1;
	return r;
}

static int load_cpus(struct report_view run, struct tlb_saved *ret)
{
	struct report_view list = report_get(run, "per_cpu");
	size_t count = report_count(list);
	int r = list.json ? 0 : -EINVAL;

	ret->cpus = calloc(MAX_CPUS, sizeof(*ret->cpus));
	if (!ret->cpus)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < MAX_CPUS; cpu++)
		ret->cpus[cpu].known = TLB_NO_CPU;
	for (size_t i = 0; !r && i < count; i++)
		r = load_cpu(report_at(list, i), ret);
	return r;
}

static int load_ticks(struct report_view run, struct tlb_saved *ret)
{
	struct report_view ticks = report_get(run, "cpu_ticks");
	int r;

	ret->has_ticks = ticks.json != NULL;
	if (!ret->has_ticks)
		return 0;
	r = report_as_count(report_get(ticks, "system"), &ret->system_ticks);
	return r ? r
		 : report_as_count(report_get(ticks, "total"),
				   &ret->total_ticks);
}

static int load_cost(struct report_view run, struct tlb_saved *ret)
{
	struct report_view cost = report_get(run, "cost_ns");
	char method[16];
	int r = load_name(cost, "method", method, sizeof(method));

	if (r || strcmp(method, tlb_receive_name(TLB_RECEIVE_FLUSH_FUNC)))
		return r;
	return load_count(cost, "total", &ret->has_received, &ret->received_ns);
}

static int load_verdict(struct report_view run, struct tlb_saved *ret)
{
	struct report_view verdict = report_get(run, "verdict");
	int r = load_name(verdict, "kind", ret->verdict, sizeof(ret->verdict));

	return r ? r
		 : report_as_bool(report_get(verdict, "is_count_trusted"),
				  &ret->is_trusted);
}

static int load_run(struct report_view run, struct tlb_saved *ret)
{
	int r = load_machine(run, &ret->machine);

	if (!r)
		r = report_as_count(report_get(run, "duration_ns"),
				    &ret->duration_ns);
	if (!r)
		r = load_cpus(run, ret);
	if (!r)
		r = load_count(run, "hsum", &ret->has_hsum, &ret->hsum);
	if (!r)
		r = report_as_bool(report_get(run, "hsum_is_partial"),
				   &ret->is_partial);
	if (!r)
		r = load_count(run, "sent", &ret->has_sent, &ret->sent);
	if (!r)
		r = load_ticks(run, ret);
	if (!r)
		r = load_cost(run, ret);
	return r ? r : load_verdict(run, ret);
}

static int load_checked(struct report_view run, struct tlb_saved *ret,
			char *error, size_t error_size)
{
	const char *format;
	uint64_t version;
	int r;

	if (report_as_string(report_get(run, "format"), &format) ||
	    strcmp(format, TLB_JSON_FORMAT) != 0) {
		snprintf(error, error_size,
			 "not a run that 'swaptend tlb' saved");
		return -EINVAL;
	}
	if (report_as_count(report_get(run, "version"), &version) ||
	    version != TLB_JSON_VERSION) {
		snprintf(error, error_size,
			 "saved by another version of swaptend, whose format "
			 "is not %d",
			 TLB_JSON_VERSION);
		return -EINVAL;
	}
	r = load_run(run, ret);
	if (r)
		snprintf(error, error_size, "%s",
			 r == -EINVAL ? "a value of a saved run is missing or "
					"out of range"
				      : strerror(-r));
	return r;
}

int tlb_saved_read(struct tlb_saved *ret, const char *path, char *error,
		   size_t error_size)
{
	_cleanup_free_ char *text = NULL;
	struct report *report = NULL;
	struct tlb_saved saved = {.path = path};
	char why[128];
	size_t len = 0;
	int r = read_whole(path, &text, &len);

	if (r) {
		snprintf(error, error_size, "%s",
			 r == -EINVAL ? "not a plain file" : strerror(-r));
		return r;
	}
	r = report_parse(&report, text, len, why, sizeof(why));
	if (r == -EINVAL)
		snprintf(error, error_size, "cut or not JSON: %s", why);
	else if (r)
		snprintf(error, error_size, "%s", strerror(-r));
	else
		r = load_checked(report_view(report), &saved, error,
				 error_size);
	report_free(report);
	if (r)
		tlb_saved_done(&saved);
	else
		*ret = saved;
	return r;
}

void tlb_saved_done(struct tlb_saved *saved)
{
	free(saved->cpus);
	saved->cpus = NULL;
}

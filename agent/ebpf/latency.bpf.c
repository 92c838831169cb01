// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// How long did each I/O of the watched disks take? Counted in the kernel, by disk, direction and R40 bucket.
//
// The clock is the one of /proc/diskstats: from the request's start_time_ns to its completion, of exactly the requests
// that blk_account_io_done (block/blk-mq.c) counts, in the direction in which it counts them. So the counts here and
// the counters there must agree, and user space checks that they do.
//
// Everything is in .bss, which libbpf makes a map that user space may mmap: reading it costs no system call. No kernel
// header is needed: the few fields are found in the running kernel's own BTF (CO-RE).

typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define CORE __attribute__((preserve_access_index))

enum { DISKS = 64, BUCKETS = 282, LAST = BUCKETS - 1 };
enum { OP_MASK = 0xff, OP_DISCARD = 3 };
enum { FIELD_EXISTS = 2, ENUM_EXISTS = 0, ENUM_VALUE = 1 };  // kinds of __builtin_preserve_*_info (libbpf's bpf_core_read.h)

struct gendisk {
	int major;
	int first_minor;
} CORE;

struct request_queue {
	struct gendisk *disk;  // since Linux 5.15
} CORE;

struct request {
	struct request_queue *q;
	u32 cmd_flags;
	u32 rq_flags;
	u32 __data_len;
	u64 start_time_ns;
} CORE;

struct request___before_5_17 {
	struct gendisk *rq_disk;
} CORE;

enum rqf_flags { __RQF_FLUSH_SEQ, __RQF_IO_STAT };  // since 6.11; plain numbers before

static u64 (*const ktime_get_ns)(void) = (void *)5;  // bpf_helpers, by number (include/uapi/linux/bpf.h)

// Written by user space: dev_t of the watched disks as major << 20 | minor, from the front, 0 behind the last.
struct {
	u32 disks[DISKS];
	// [disk][read, write][bucket + 1]: the first is below 10 us, the last 100 s and above.
	u64 counts[DISKS][2][BUCKETS];
} table;

// Upper edges in ns of the buckets below the last; behind them only what no latency reaches, so that the search by
// powers of two needs no bounds.
#define UP(k) \
	100##k, 106##k, 112##k, 118##k, 125##k, 132##k, 140##k, 150##k, 160##k, 170##k, 180##k, 190##k, 200##k, 212##k, \
	224##k, 236##k, 250##k, 265##k, 280##k, 300##k, 315##k, 335##k, 355##k, 375##k, 400##k, 425##k, 450##k, 475##k, \
	500##k, 530##k, 560##k, 600##k, 630##k, 670##k, 710##k, 750##k, 800##k, 850##k, 900##k, 950##k
static const u64 edges[512] = {
	UP(00ull), UP(000ull), UP(0000ull), UP(00000ull), UP(000000ull), UP(0000000ull), UP(00000000ull), 100000000000ull,
	[281 ... 511] = 1ull << 62,
};

// Without a branch: the verifier would follow each of the 512 ways through it.
static __attribute__((always_inline)) u64 bucket_of(u64 ns)
{
	u64 at = 0;  // how many edges are at or below ns

	for (u64 step = 256; step; step >>= 1)
		at += step & (u64)((long long)(edges[(at + step - 1) & 511] - ns - 1) >> 63);
	return at;
}

static __attribute__((always_inline)) u32 flags_of(u32 *flush)
{
	if (__builtin_preserve_enum_value(*(enum rqf_flags *)__RQF_IO_STAT, ENUM_EXISTS)) {
		*flush = 1u << __builtin_preserve_enum_value(*(enum rqf_flags *)__RQF_FLUSH_SEQ, ENUM_VALUE);
		return 1u << __builtin_preserve_enum_value(*(enum rqf_flags *)__RQF_IO_STAT, ENUM_VALUE);
	}
	*flush = 1u << 4;
	return 1u << 13;
}

static __attribute__((always_inline)) int count(struct request *rq)
{
	u32 flush, stat = flags_of(&flush);
	u32 op = rq->cmd_flags & OP_MASK;
	struct gendisk *disk;
	u64 now, start, bucket;
	u32 dev, at;

	if ((rq->rq_flags & (stat | flush)) != stat || op == OP_DISCARD)
		return 0;
	if (__builtin_preserve_field_info(((struct request_queue *)0)->disk, FIELD_EXISTS))
		disk = rq->q->disk;
	else
		disk = ((struct request___before_5_17 *)rq)->rq_disk;
	if (!disk)
		return 0;
	dev = (u32)disk->major << 20 | (u32)disk->first_minor;
	for (at = 0; at < DISKS; at++) {
		if (table.disks[at] == dev)
			break;
		if (!table.disks[at])
			return 0;
	}
	if (at >= DISKS)
		return 0;
	start = rq->start_time_ns;
	now = ktime_get_ns();
	bucket = bucket_of(now > start ? now - start : 0);
	asm volatile("" : "+r"(bucket));  // the compiler knows that the next line is true, the verifier does not
	if (bucket > LAST)
		return 0;
	__sync_fetch_and_add(&table.counts[at][op & 1][bucket], 1);
	return 0;
}

// Linux 6.5 and later tell when a request is accounted.
SEC("tp_btf/block_io_done") int io_done(u64 *ctx)
{
	return count((struct request *)ctx[0]);
}

// Before, every completion of a part of a request is told: the last one leaves nothing.
SEC("tp_btf/block_rq_complete") int rq_complete(u64 *ctx)
{
	struct request *rq = (struct request *)ctx[0];

	if ((u32)ctx[2] < rq->__data_len)
		return 0;
	return count(rq);
}

char _license[] SEC("license") = "Dual BSD/GPL";

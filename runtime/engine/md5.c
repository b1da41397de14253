/* MD5 of many messages: the assignment of messages to lanes.
 *
 * Busy lanes are the first ones, so that the narrowest kernel that fits them can run. A lane processes its message in
 * two parts: its whole blocks in place, then one or two blocks with the rest, the padding and the length, in the lane's
 * own buffer. All lanes run up to the end of the shortest part; a lane whose message has ended takes the next one. */
#include "internal.h"

#define LENGTH_AT (WL_MD5_BLOCK - 8)

/* Lanes in parallel; nothing here is allocated. */
typedef struct {
    wl_md5_state state;
    const uint8_t *at[WL_MD5_MOST_LANES]; /* the current position in the lane's part */
    size_t blocks[WL_MD5_MOST_LANES];     /* number of blocks left in it; at least 1 in a busy lane */
    size_t message[WL_MD5_MOST_LANES];
    bool padded[WL_MD5_MOST_LANES]; /* in its second part */
    uint8_t ends[WL_MD5_MOST_LANES][2 * WL_MD5_BLOCK];
    size_t busy;
} wl_lanes;

/* The messages in approximately descending order of size, by the number of bits. The remainder, when no message is
 * waiting any more, runs in few lanes, so it should be short. */
typedef struct {
    const size_t *sizes;
    size_t count;
    size_t next;
    uint64_t waiting; /* bit i: there may be messages left whose size has i + 1 bits */
} wl_queue;

/* Little-endian. */
static void store(uint8_t *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static unsigned bits_of(size_t size) { return 63 - (unsigned)__builtin_clzll((unsigned long long)size | 1); }

static wl_queue queue_of(const size_t *sizes, size_t count) {
    wl_queue queue = {sizes, count, 0, 0};
    for (size_t i = 0; i < count; i++)
        queue.waiting |= UINT64_C(1) << bits_of(sizes[i]);
    return queue;
}

/* False: there is none left. */
static bool take(wl_queue *queue, size_t *message) {
    while (queue->waiting) {
        unsigned bits = bits_of((size_t)queue->waiting);
        while (queue->next < queue->count) {
            *message = queue->next++;
            if (bits_of(queue->sizes[*message]) == bits)
                return true;
        }
        queue->waiting ^= UINT64_C(1) << bits;
        queue->next = 0;
    }
    return false;
}

static void begin_end(wl_lanes *lanes, size_t lane, const uint8_t *rest, size_t size) {
    uint8_t *end = lanes->ends[lane];
    size_t left = size % WL_MD5_BLOCK, blocks = left < LENGTH_AT ? 1 : 2;
    size_t length_at = (blocks - 1) * WL_MD5_BLOCK + LENGTH_AT;
    if (left)
        memcpy(end, rest, left);
    end[left] = 0x80;
    memset(end + left + 1, 0, length_at - left - 1);
    store(end + length_at, (uint64_t)size << 3, 8);
    lanes->at[lane] = end;
    lanes->blocks[lane] = blocks;
    lanes->padded[lane] = true;
}

static void begin(wl_lanes *lanes, size_t lane, size_t message, const uint8_t *data, size_t size) {
    static const uint32_t initial[4] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476};
    for (size_t i = 0; i < 4; i++)
        lanes->state.words[i][lane] = initial[i];
    lanes->message[lane] = message;
    lanes->at[lane] = data;
    lanes->blocks[lane] = size / WL_MD5_BLOCK;
    lanes->padded[lane] = false;
    if (size < WL_MD5_BLOCK)
        begin_end(lanes, lane, data, size);
}

static void move(wl_lanes *lanes, size_t from, size_t to) {
    for (size_t i = 0; i < 4; i++)
        lanes->state.words[i][to] = lanes->state.words[i][from];
    lanes->message[to] = lanes->message[from];
    lanes->at[to] = lanes->at[from];
    lanes->blocks[to] = lanes->blocks[from];
    lanes->padded[to] = lanes->padded[from];
    if (lanes->padded[from]) {
        memcpy(lanes->ends[to], lanes->ends[from], sizeof lanes->ends[to]);
        lanes->at[to] = lanes->ends[to] + (lanes->at[from] - lanes->ends[from]);
    }
}

/* Runs all busy lanes to the end of the shortest part. */
static void run(wl_lanes *lanes) {
    const wl_md5_kernel *kernel = wl_chosen.md5->kernels;
    while (kernel->width < lanes->busy)
        kernel++;
    size_t blocks = lanes->blocks[0];
    for (size_t lane = 1; lane < lanes->busy; lane++)
        blocks = wl_smaller(blocks, lanes->blocks[lane]);
    /* Idle lanes of the kernel repeat a busy one; their results are ignored. */
    for (size_t lane = lanes->busy; lane < kernel->width; lane++)
        lanes->at[lane] = lanes->at[0];
    kernel->run(&lanes->state, lanes->at, blocks);
    for (size_t lane = 0; lane < lanes->busy; lane++) {
        lanes->at[lane] += blocks * WL_MD5_BLOCK;
        lanes->blocks[lane] -= blocks;
    }
}

static size_t most_lanes(void) {
    size_t most = 0;
    for (const wl_md5_kernel *kernel = wl_chosen.md5->kernels; kernel < wl_chosen.md5->kernels + WL_MD5_MOST_KERNELS;
         kernel++)
        most = kernel->width ? kernel->width : most;
    return most;
}

void wl_md5_many(const uint8_t *const *data, const size_t *sizes, size_t count, uint8_t (*digests)[16]) {
    wl_queue queue = queue_of(sizes, count);
    wl_lanes lanes;
    size_t message, most = most_lanes();
    for (lanes.busy = 0; lanes.busy < most && take(&queue, &message); lanes.busy++)
        begin(&lanes, lanes.busy, message, data[message], sizes[message]);
    while (lanes.busy) {
        run(&lanes);
        /* From the last one on: the lane that fills a gap has been processed already. */
        for (size_t lane = lanes.busy; lane-- > 0;) {
            if (lanes.blocks[lane])
                continue;
            message = lanes.message[lane];
            if (!lanes.padded[lane]) {
                begin_end(&lanes, lane, lanes.at[lane], sizes[message]);
                continue;
            }
            for (size_t i = 0; i < 4; i++)
                store(digests[message] + 4 * i, lanes.state.words[i][lane], 4);
            if (take(&queue, &message))
                begin(&lanes, lane, message, data[message], sizes[message]);
            else if (lane != --lanes.busy)
                move(&lanes, lanes.busy, lane);
        }
    }
}

/* Repeating the elements of Arrow arrays, whose buffers begin with the first element. Every number is checked. */
#ifndef WIRELOOM_REPEAT_H
#define WIRELOOM_REPEAT_H

#include <stdbool.h>

#include "bytes.h"

/* The elements [begin, begin + size), so many times. */
typedef struct {
    uint64_t begin;
    uint64_t size;
    uint64_t times;
} wl_repeat_run;

/* The runs of equal numbers among `count` int32; `runs` NULL: only counts them. */
size_t wl_repeat_runs(const uint8_t *places, size_t count, wl_repeat_run *runs);

/* The runs one level further inside, by `elements` + 1 int32 offsets. `total`: the number of elements that they yield;
 * if it exceeds INT32_MAX, the runs are incomplete. False: they are not within the offsets. */
bool wl_repeat_inner(const wl_repeat_run *runs, size_t count, const uint8_t *offsets, size_t elements,
                     wl_repeat_run *inner, uint64_t *total);

/* Adds `width` bytes per repeated element to the weight of each run, a uint64. Returns the largest weight; UINT64_MAX
 * if one is beyond 64 bits. */
uint64_t wl_repeat_weigh(const wl_repeat_run *runs, size_t count, size_t width, uint8_t *weights);

/* Writes the repeated values, of `width` bytes each. False: they are not within `values`, or do not fit. */
bool wl_repeat_values(const wl_repeat_run *runs, size_t count, const uint8_t *values, size_t values_size, size_t width,
                      uint8_t *to, size_t room);

/* Writes the offsets of the repeated elements, for which there is room for `room` int32. False: as above. */
bool wl_repeat_offsets(const wl_repeat_run *runs, size_t count, const uint8_t *offsets, size_t elements, uint8_t *to,
                       size_t room);

#endif

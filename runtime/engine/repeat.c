/* Arrays whose elements are repeated, level by level: the elements of an array, then the items of its lists or the
 * bytes of its text. What is repeated is described by runs, each of which is some adjacent elements and a number of
 * times. */
#include "repeat.h"

size_t wl_repeat_runs(const uint8_t *places, size_t count, wl_repeat_run *runs) {
    size_t made = 0;
    for (size_t i = 0, next; i < count; i = next, made++) {
        uint32_t place = wl_load4(places + i * 4);
        for (next = i + 1; next < count && wl_load4(places + next * 4) == place;)
            next++;
        if (runs)
            runs[made] = (wl_repeat_run){place, 1, next - i};
    }
    return made;
}

bool wl_repeat_inner(const wl_repeat_run *runs, size_t count, const uint8_t *offsets, size_t elements,
                     wl_repeat_run *inner, uint64_t *total) {
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].begin > elements || runs[i].size > elements - runs[i].begin)
            return false;
        uint32_t begin = wl_load4(offsets + runs[i].begin * 4);
        uint32_t end = wl_load4(offsets + (runs[i].begin + runs[i].size) * 4);
        if (begin > end || end > INT32_MAX || runs[i].times > INT32_MAX)
            return false;
        inner[i] = (wl_repeat_run){begin, end - begin, runs[i].times};
        *total += inner[i].size * inner[i].times;
        if (*total > INT32_MAX)
            return true;
    }
    return true;
}

uint64_t wl_repeat_weigh(const wl_repeat_run *runs, size_t count, size_t width, uint8_t *weights) {
    uint64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t weight, elements, bytes;
        memcpy(&weight, weights + i * sizeof weight, sizeof weight);
        if (__builtin_mul_overflow(runs[i].size, runs[i].times, &elements) ||
            __builtin_mul_overflow(elements, (uint64_t)width, &bytes) || __builtin_add_overflow(weight, bytes, &weight))
            weight = UINT64_MAX;
        wl_store8(weights + i * sizeof weight, weight);
        largest = weight > largest ? weight : largest;
    }
    return largest;
}

/* Repeats the first `size` bytes until there are `total` of them. */
static void fill_up(uint8_t *to, size_t size, size_t total) {
    while (size < total) {
        size_t more = wl_smaller(size, total - size);
        memcpy(to + size, to, more);
        size += more;
    }
}

bool wl_repeat_values(const wl_repeat_run *runs, size_t count, const uint8_t *values, size_t values_size, size_t width,
                      uint8_t *to, size_t room) {
    const size_t elements = values_size / width;
    room /= width;
    for (size_t i = 0; i < count; i++) {
        const wl_repeat_run *run = runs + i;
        if (run->begin > elements || run->size > elements - run->begin || (run->size && run->times > room / run->size))
            return false;
        size_t size = (size_t)run->size * width, total = size * (size_t)run->times;
        room -= (size_t)(run->size * run->times);
        if (!total)
            continue;
        memcpy(to, values + run->begin * width, size);
        fill_up(to, size, total);
        to += total;
    }
    return true;
}

bool wl_repeat_offsets(const wl_repeat_run *runs, size_t count, const uint8_t *offsets, size_t elements, uint8_t *to,
                       size_t room) {
    uint32_t at = 0;
    if (!room--)
        return false;
    wl_store4(to, 0);
    for (size_t i = 0; i < count; i++) {
        const wl_repeat_run *run = runs + i;
        if (run->begin > elements || run->size > elements - run->begin || (run->size && run->times > room / run->size))
            return false;
        room -= (size_t)(run->size * run->times);
        const uint8_t *ends = offsets + (run->begin + 1) * 4;
        const uint32_t begin = wl_load4(offsets + run->begin * 4);
        for (uint64_t time = 0; run->size && time < run->times; time++) {
            for (uint64_t j = 0; j < run->size; j++)
                wl_store4(to + (j + 1) * 4, at + wl_load4(ends + j * 4) - begin);
            to += run->size * 4;
            at = wl_load4(to);
        }
    }
    return true;
}

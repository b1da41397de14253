/* A codec that anybody can see through: it repeats bytes. */
#include "check.h"

size_t contents_held;

/* The codecs: 0: the block is its content; 1: every byte, as often as its lowest two bits say; 2: the same, and backwards;
 * all others, and blocks that begin with 7, are damaged. Memory of exactly that size, so that the sanitizer sees a byte
 * too far. */
static uint32_t expand_block(void *context, const wl_block *block, wl_content *content) {
    size_t size = 0, to = 0;
    (void)context;
    if (block->chosen < 0 || block->chosen > 2 || (block->data_size && block->data[0] == 7))
        return WL_REASON_CODEC;
    if (block->chosen == 0) {
        *content = (wl_content){block->data, block->data_size, NULL};
        return block->size == WL_SIZE_UNKNOWN || block->size == (int64_t)block->data_size ? WL_REASON_NONE
                                                                                            : WL_REASON_CODEC;
    }
    for (size_t i = 0; i < block->data_size; i++)
        size += block->data[i] & 3;
    if (block->size != WL_SIZE_UNKNOWN && block->size != (int64_t)size)
        return WL_REASON_CODEC;
    if (size > 1000)
        return WL_REASON_LIMIT;
    uint8_t *made = exactly(size);
    for (size_t i = 0; i < block->data_size; i++) {
        for (int k = 0; k < (block->data[i] & 3); k++, to++)
            made[block->chosen == 1 ? to : size - 1 - to] = block->data[i];
    }
    contents_held++;
    *content = (wl_content){made, size, made};
    return WL_REASON_NONE;
}

static void release_block(void *context, const wl_content *content) {
    (void)context;
    contents_held--;
    free(content->handle);
}

const wl_expander repeating = {expand_block, release_block, NULL};

/* What fuzz targets share: choices out of bytes, and a driver where there is no libFuzzer: random bytes from a seed,
 * TARGET [ROUNDS [SEED]]. */
#ifndef WIRELOOM_DRIVE_H
#define WIRELOOM_DRIVE_H

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes bytes until there are none, then zeros. */
typedef struct {
    const uint8_t *at;
    const uint8_t *end;
} taker;

static inline unsigned take(taker *bytes) { return bytes->at < bytes->end ? *bytes->at++ : 0; }
static inline unsigned take_below(taker *bytes, unsigned count) { return take(bytes) % count; }

/* Appends a VARINT into a register, of any shape that loads. */
static inline void draft_varint(draft *it, taker *bytes, unsigned number) {
    unsigned groups = 1 + take_below(bytes, WL_MOST_GROUPS), most = groups + take_below(bytes, WL_MOST_GROUPS);
    unsigned shape = groups | (most <= WL_MOST_GROUPS ? most << 8 : 0) | take_below(bytes, 128) << 16;
    unsigned outcome = take_below(bytes, 2) | WL_REASON_VALUE << 8;
    draft_step(it, WL_OP_VARINT, number, 1 | WL_REASON_LENGTH << 8, shape | take_below(bytes, 4) << 24, outcome);
}

#ifdef WITH_MAIN
/* Inputs of which some have few different bytes, others many; `letters` are those that matter to the target. */
static inline int drive(int count, char **arguments, const char *letters, size_t letter_count) {
    size_t rounds = count > 1 ? strtoul(arguments[1], NULL, 10) : 3000;
    source_of_chance chance = {count > 2 ? strtoul(arguments[2], NULL, 10) : 1};
    for (size_t round = 0; round < rounds; round++) {
        size_t size = chance_below(&chance, round % 16 ? 200 : 4000), rarity = 1 + chance_below(&chance, 5);
        uint8_t *bytes = exactly(size);
        for (size_t i = 0; i < size; i++)
            bytes[i] = chance_below(&chance, rarity) ? (uint8_t)letters[chance_below(&chance, letter_count)]
                                                     : (uint8_t)chance_next(&chance);
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    printf("%zu rounds\n", rounds);
    return 0;
}
#endif

/* Chooses one of this machine's processor variants; 0 is the portable one. What is chosen already stays. */
static inline void choose_level(unsigned number) {
    static const char *chosen;
    char message[256];
    size_t levels = 0;
    while (wl_level_at(levels))
        levels++;
    const char *level = wl_level_at(number % levels);
    if (level != chosen)
        CHECK(wl_start(level, message, sizeof message));
    chosen = level;
}

#endif

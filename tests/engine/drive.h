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

/* A number of at most 32 bits that is computed of the bytes: any algorithm that gives one. */
static inline wl_sum_parameters take_sum(taker *bytes) {
    static const struct {
        uint32_t family, unit, width;
    } others[] = {{WL_ADLER, 1, 32},  {WL_FLETCHER, 1, 16},    {WL_FLETCHER, 2, 32}, {WL_SUM_LE, 1, 8},
                  {WL_SUM_LE, 2, 16}, {WL_SUM_LE, 4, 32},      {WL_SUM_BE, 2, 32},   {WL_SUM_BE, 4, 32},
                  {WL_SUM_XOR, 1, 8}, {WL_SUM_INTERNET, 2, 16}, {WL_XXH32, 1, 32}};
    const unsigned choice = take_below(bytes, 2 * sizeof others / sizeof *others);
    wl_sum_parameters of = {.family = WL_CRC, .unit = 1, .width = 3 + take_below(bytes, 30)};
    if (choice < sizeof others / sizeof *others) {
        of.family = others[choice].family;
        of.unit = others[choice].unit;
        of.width = others[choice].width;
    } else if (choice < 15) {
        return crc_of(1 + (choice & 1), take(bytes) * 0x01010101u, take(bytes));
    } else {
        of.reflects = take_below(bytes, 4);
        of.polynomial = (take(bytes) * 0x9E3779B1u | 1) & (UINT32_MAX >> (32 - of.width));
    }
    of.initial = take(bytes) * 0x01010101u & (UINT32_MAX >> (32 - of.width));
    of.final_xor = take(bytes) * 0x01010101u & (UINT32_MAX >> (32 - of.width));
    CHECK(wl_sum_parameters_hold(&of));
    return of;
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

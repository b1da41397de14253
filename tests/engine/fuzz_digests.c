/* A fuzz target in libFuzzer's form: CRC-32C, CRC-32, MD5, SHA-256 and merkle roots of any size, at any address.
 *
 * Every processor variant has to give what the portable one gives, which goes byte by byte or block by block; states
 * are carried over cuts; many messages digested side by side are what each is by itself. Buffers end where the data
 * does, so that a vector that reaches too far is seen. */
#include "drive.h"
#include "md5.h"

#define MOST_MESSAGES 40
#define LONGEST 60000

static uint32_t plain_crc(uint32_t polynomial, uint32_t state, const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        state ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            state = state & 1 ? state >> 1 ^ polynomial : state >> 1;
    }
    return state;
}

static void check_crcs(const uint8_t *data, size_t size, uint32_t state, size_t cut) {
    uint32_t castagnoli = plain_crc(0x82F63B78, state, data, size), zip = plain_crc(0xEDB88320, state, data, size);
    CHECK(crc_update(1, state, data, size) == castagnoli);
    CHECK(crc_update(1, crc_update(1, state, data, cut), data + cut, size - cut) == castagnoli);
    CHECK(crc_update(2, state, data, size) == zip);
    CHECK(crc_update(2, crc_update(2, state, data, cut), data + cut, size - cut) == zip);
    /* The state after both parts, from the states after each of them. */
    uint32_t first = crc_update(1, state, data, cut), second = crc_update(1, 0, data + cut, size - cut);
    CHECK((wl_crc_shift(crc_algorithm(CRC32C, 0, 0).crc, first, size - cut) ^ second) == castagnoli);
    first = crc_update(2, state, data, cut), second = crc_update(2, 0, data + cut, size - cut);
    CHECK((wl_crc_shift(crc_algorithm(CRC32, 0, 0).crc, first, size - cut) ^ second) == zip);
}

/* The CRC as its definition has it: the bits of each byte go into the register one by one, at its highest bit. */
static uint64_t plain_sum(const wl_sum_parameters *of, const uint8_t *data, size_t size) {
    uint64_t mask = of->width >= 64 ? UINT64_MAX : (UINT64_C(1) << of->width) - 1, state = of->initial;
    for (size_t i = 0; i < 8 * size; i++) {
        unsigned bit = of->reflects & WL_REFLECT_IN ? data[i / 8] >> (i % 8) & 1 : data[i / 8] >> (7 - i % 8) & 1;
        unsigned top = (state >> (of->width - 1) & 1) ^ bit;
        state = (state << 1 & mask) ^ (top ? of->polynomial : 0);
    }
    uint64_t turned = 0;
    for (unsigned bit = 0; bit < of->width; bit++)
        turned |= (state >> bit & 1) << (of->width - 1 - bit);
    return (of->reflects & WL_REFLECT_OUT ? turned : state) ^ of->final_xor;
}

/* Any algorithm over pieces, and from the checksum of what comes before, gives what it gives over all. */
static void check_sums(taker *bytes, const uint8_t *data, size_t size, size_t cut) {
    wl_sum_parameters of = take_sum(bytes);
    if (of.family == WL_CRC && take_below(bytes, 2)) {
        of.width = 33 + take_below(bytes, 32);
        of.polynomial = (take(bytes) * UINT64_C(0x9E3779B97F4A7C15) | 1) >> (64 - of.width);
    }
    wl_algorithm made;
    CHECK(wl_sum_parameters_hold(&of) && wl_algorithm_make(&made, &of));
    uint64_t state = made.update(made.initial, data, size, made.tables), sum = wl_sum_of_state(&made, state);
    if (of.family == WL_CRC && size < 3000)
        CHECK(sum == plain_sum(&of, data, size));
    if (wl_sums_in_pieces(&of)) {
        uint64_t first = made.update(made.initial, data, cut, made.tables);
        CHECK(made.update(first, data + cut, size - cut, made.tables) == state);
        if (of.unit == 1) {
            first = wl_state_of_sum(&made, wl_sum_of_state(&made, first));
            CHECK(wl_sum_of_state(&made, made.update(first, data + cut, size - cut, made.tables)) == sum);
        }
    }
    if (made.crc) {
        uint64_t first = made.update(made.initial, data, cut, made.tables);
        uint64_t second = made.update(0, data + cut, size - cut, made.tables);
        CHECK((wl_crc_shift(made.crc, first, size - cut) ^ second) == state);
    }
    wl_algorithm_free(&made);
}

/* Parts of the data that begin and end wherever its bytes say. */
static void check_digests(const uint8_t *data, size_t size, unsigned count) {
    const uint8_t *messages[MOST_MESSAGES] = {NULL};
    size_t sizes[MOST_MESSAGES] = {0};
    uint8_t digests[MOST_MESSAGES][16], alone[16];
    for (unsigned i = 0; i < count; i++) {
        size_t begin = size ? (data[i % size] * 7 + i) % (size + 1) : 0;
        messages[i] = data + begin;
        sizes[i] = (size - begin) * (size ? data[(i * 3 + 1) % size] : 0) / 255;
    }
    wl_md5_many(messages, sizes, count, digests);
    for (unsigned i = 0; i < count; i++) {
        md5_of(messages[i], sizes[i], alone);
        CHECK(!memcmp(alone, digests[i], sizeof alone));
    }
    choose_level(0);
    for (unsigned i = 0; i < count; i++) {
        md5_of(messages[i], sizes[i], alone);
        CHECK(!memcmp(alone, digests[i], sizeof alone));
    }
}

/* The SHA-256 of two parts is that of both together; the merkle root of no bytes is that of no transactions. */
static void check_hashes(const uint8_t *data, size_t size, size_t cut) {
    const wl_part parts[] = {{data, cut}, {data + cut, size - cut}};
    uint8_t whole[WL_MOST_DIGEST], found[WL_MOST_DIGEST];
    wl_sha256(data, size, whole);
    wl_sha256_parts(parts, 2, found);
    CHECK(!memcmp(whole, found, sizeof whole));
    wl_bitcoin_merkle(data, size, found);
    wl_bitcoin_merkle(data + cut, size - cut, found);
    if (size == cut) {
        wl_sha256d(NULL, 0, whole);
        CHECK(!memcmp(whole, found, sizeof whole));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4)
        return 0;
    choose_level(data[0]);
    /* Repeated, so that the ways for long messages are taken as well; an odd beginning is an odd address. */
    size_t odd = data[3] & 15, times = data[0] & 128 ? 1 + wl_smaller(data[1], LONGEST / size) : 1,
           length = (size - 4) * times;
    uint8_t *bytes = exactly(odd + length);
    for (size_t i = 0; size > 4 && i < times; i++)
        memcpy(bytes + odd + i * (size - 4), data + 4, size - 4);
    size_t cut = length * data[2] / 255;
    check_crcs(bytes + odd, length, (uint32_t)(data[1] * 0x01010101u ^ data[2]), cut);
    check_hashes(bytes + odd, length, cut);
    taker choices = {data, data + size};
    check_sums(&choices, bytes + odd, length, cut);
    check_digests(bytes + odd, length, data[2] % (MOST_MESSAGES + 1));
    free(bytes);
    return 0;
}

#ifdef WITH_MAIN
int main(int count, char **arguments) { return drive(count, arguments, "\0\1\xFF\x80za", 6); }
#endif

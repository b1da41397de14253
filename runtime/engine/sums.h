/* The functions of the checksum algorithms, which algorithms.c combines. */
#ifndef WIRELOOM_SUMS_H
#define WIRELOOM_SUMS_H

#include "internal.h"

/* Sets what is derived from the parameters of a CRC (crc.c). False: out of memory. */
bool wl_crc_make(wl_algorithm *algorithm);
/* Reverses the low `width` bits of the value. */
uint64_t wl_crc_reflected(uint64_t value, unsigned width);

/* In sums.c. A sum of words stores in the highest byte of its state the number of bytes of the current word. */
#define WL_SUM_BITS 56
uint64_t wl_adler32(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_fletcher16(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_fletcher16_256(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_fletcher32(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_fletcher64(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_bytes(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_le2(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_le4(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_be2(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_be4(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_xor_bytes(uint64_t state, const uint8_t *data, size_t size, const void *tables);

/* In xxhash.c and xxh3.c: the state is the seed, and then the hash of all bytes. */
uint64_t wl_xxh32(uint64_t seed, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_xxh64(uint64_t seed, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_xxh3(uint64_t seed, const uint8_t *data, size_t size, const void *tables);

/* In sha.c. */
void wl_sha1(const uint8_t *data, size_t size, uint8_t *digest);
void wl_sha256(const uint8_t *data, size_t size, uint8_t *digest);
void wl_sha256d(const uint8_t *data, size_t size, uint8_t *digest);
typedef struct {
    const uint8_t *at;
    size_t size;
} wl_part;
/* The digest of bytes in several parts. */
void wl_sha256_parts(const wl_part *parts, size_t count, uint8_t *digest);

/* In merkle.c: of what follows the head of a block. */
void wl_bitcoin_merkle(const uint8_t *data, size_t size, uint8_t *digest);

#endif

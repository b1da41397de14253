/* The functions of the checksum algorithms, which algorithms.c brings together. */
#ifndef WIRELOOM_SUMS_H
#define WIRELOOM_SUMS_H

#include "internal.h"

/* Fills in what follows from the parameters of a CRC (crc.c). False: there is no memory. */
bool wl_crc_make(wl_algorithm *algorithm);
/* The low `width` bits of the value in the opposite order. */
uint64_t wl_crc_reflected(uint64_t value, unsigned width);

/* Of sums.c. A sum of words keeps in the highest byte of its state how many bytes of a word it has had. */
#define WL_SUM_BITS 56
uint64_t wl_adler32(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_fletcher16(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_fletcher32(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_fletcher64(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_bytes(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_le2(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_le4(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_be2(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_sum_be4(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_xor_bytes(uint64_t state, const uint8_t *data, size_t size, const void *tables);

/* Of xxhash.c and xxh3.c: the state is the seed, and then the hash of all bytes. */
uint64_t wl_xxh32(uint64_t seed, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_xxh64(uint64_t seed, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_xxh3(uint64_t seed, const uint8_t *data, size_t size, const void *tables);

/* Of sha.c. */
void wl_sha1(const uint8_t *data, size_t size, uint8_t *digest);
void wl_sha256(const uint8_t *data, size_t size, uint8_t *digest);
void wl_sha256d(const uint8_t *data, size_t size, uint8_t *digest);

#endif

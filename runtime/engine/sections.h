/* The container of a packed program, of either kind: words, all little-endian, and the sections that some of them count.
 * Its version is WL_PACKED_VERSION. */
#ifndef WIRELOOM_SECTIONS_H
#define WIRELOOM_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* A word of the header after the version, and the section of as many items, if there is one. */
typedef struct {
    const char *what; /* for errors */
    uint32_t *word;
    uint32_t most;
    uint32_t width;     /* size in bytes of an item; 0: there is no section */
    const uint8_t **at; /* receives the position of the section */
} wl_section;

/* Reads the header: afterwards the words are at most `most`, and the sections, one after another in the order of their
 * words, are exactly the bytes after the header. `subject`: for errors, the kind of program. */
bool wl_sections_read(const wl_section *sections, size_t count, const char *subject, const uint8_t *packed, size_t size,
                      char *message, size_t message_size);

/* Zeroed memory, never 0 bytes of it, so that NULL always means out of memory. */
static inline void *wl_make(size_t count, size_t size) { return calloc(count ? count : 1, size); }

#endif

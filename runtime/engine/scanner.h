/* Consecutive delimiters (scan.c): finds them a block at a time, so that the search runs in one tight loop. */
#ifndef WIRELOOM_SCANNER_H
#define WIRELOOM_SCANNER_H

#include "internal.h"

typedef struct {
    const uint8_t *source;
    const uint8_t *delimiter;
    size_t delimiter_size;
    size_t end;
    size_t scanned; /* matches that begin before this have been found */
    size_t block;   /* the origin of positions */
    size_t count;
    size_t next; /* the first one in positions that has not been passed */
    uint16_t positions[WL_SCAN_BLOCK];
} wl_scanner;

void wl_scanner_start(wl_scanner *scanner, const uint8_t *source, size_t begin, size_t end, const uint8_t *delimiter,
                      size_t size);
/* Finds the matches that begin in the next block. False: no more can begin before the end. */
bool wl_scanner_go_on(wl_scanner *scanner);

static inline bool wl_scanner_matches(const wl_scanner *scanner, size_t at) {
    return scanner->delimiter_size <= 2 ||
           !memcmp(scanner->source + at + 2, scanner->delimiter + 2, scanner->delimiter_size - 2);
}

/* The first match at or after `from` (never smaller than in the previous call), or WL_NOT_FOUND. */
static inline size_t wl_scanner_find(wl_scanner *scanner, size_t from) {
    do {
        /* The returned match is kept, so that a later call may return it again. */
        for (; scanner->next < scanner->count; scanner->next++) {
            size_t at = scanner->block + scanner->positions[scanner->next];
            if (at >= from && wl_scanner_matches(scanner, at))
                return at;
        }
    } while (wl_scanner_go_on(scanner));
    return WL_NOT_FOUND;
}

#endif

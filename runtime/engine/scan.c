/* Searching for delimiters. The variants find every place where the first two bytes match, a block at a time; what is
 * left of a delimiter of three or four bytes is compared here. */
#include "internal.h"

void wl_scanner_start(wl_scanner *scanner, const uint8_t *source, size_t begin, size_t end, const uint8_t *delimiter,
                      size_t size) {
    scanner->source = source;
    scanner->delimiter = delimiter;
    scanner->delimiter_size = size;
    scanner->end = end;
    scanner->scanned = begin;
    scanner->block = begin;
    scanner->count = 0;
    scanner->next = 0;
}

/* Finds the matches that begin in the next block. False: no more can begin before the end. */
static bool next_block(wl_scanner *scanner) {
    size_t behind = scanner->delimiter_size - 1;
    if (scanner->end - scanner->scanned <= behind)
        return false;
    size_t count = wl_smaller(scanner->end - behind - scanner->scanned, WL_SCAN_BLOCK);
    const uint8_t *from = scanner->source + scanner->scanned;
    scanner->count =
        behind ? wl_chosen.scan_pair(from, count, scanner->delimiter[0], scanner->delimiter[1], scanner->positions)
               : wl_chosen.scan_byte(from, count, scanner->delimiter[0], 0, scanner->positions);
    scanner->next = 0;
    scanner->block = scanner->scanned;
    scanner->scanned += count;
    return true;
}

static bool rest_matches(const wl_scanner *scanner, size_t at) {
    return scanner->delimiter_size <= 2 ||
           !memcmp(scanner->source + at + 2, scanner->delimiter + 2, scanner->delimiter_size - 2);
}

size_t wl_scanner_find(wl_scanner *scanner, size_t from) {
    do {
        /* The match that is returned stays, so that a later call may return it again. */
        for (; scanner->next < scanner->count; scanner->next++) {
            size_t at = scanner->block + scanner->positions[scanner->next];
            if (at >= from && rest_matches(scanner, at))
                return at;
        }
    } while (next_block(scanner));
    return WL_NOT_FOUND;
}

size_t wl_find_delimiter(const uint8_t *source, size_t begin, size_t end, const uint8_t *delimiter, size_t size) {
    wl_scanner scanner;
    wl_scanner_start(&scanner, source, begin, end, delimiter, size);
    return wl_scanner_find(&scanner, begin);
}

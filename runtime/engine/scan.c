/* Searching for delimiters. The variants find every position at which the first two bytes match, a block at a time; the
 * rest of a delimiter of three or four bytes is compared here. */
#include "internal.h"
#include "scanner.h"

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

bool wl_scanner_go_on(wl_scanner *scanner) {
    size_t after = scanner->delimiter_size - 1;
    if (scanner->end - scanner->scanned <= after)
        return false;
    size_t count = wl_smaller(scanner->end - after - scanner->scanned, WL_SCAN_BLOCK);
    const uint8_t *from = scanner->source + scanner->scanned;
    scanner->count =
        after ? wl_chosen.scan_pair(from, count, scanner->delimiter[0], scanner->delimiter[1], scanner->positions)
               : wl_chosen.scan_byte(from, count, scanner->delimiter[0], 0, scanner->positions);
    scanner->next = 0;
    scanner->block = scanner->scanned;
    scanner->scanned += count;
    return true;
}

size_t wl_find_delimiter(const uint8_t *source, size_t begin, size_t end, const uint8_t *delimiter, size_t size) {
    wl_scanner scanner;
    wl_scanner_start(&scanner, source, begin, end, delimiter, size);
    return wl_scanner_find(&scanner, begin);
}

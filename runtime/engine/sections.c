#include "sections.h"

#include <stdio.h>

#include "bytes.h"
#include "program_limits.h"

static bool fits(const wl_section *sections, size_t count, const char *subject, size_t size, char *message,
                 size_t message_size) {
    uint64_t expected = 4 + 4 * (uint64_t)count;
    for (const wl_section *each = sections; each < sections + count; each++) {
        if (*each->word > each->most) {
            snprintf(message, message_size, "the %s has too many %s: %u (at most %u)", subject, each->what, *each->word,
                     each->most);
            return false;
        }
        expected += (uint64_t)*each->word * each->width;
    }
    if (size != expected)
        snprintf(message, message_size, "the %s has %zu bytes, its header says %llu", subject, size,
                 (unsigned long long)expected);
    return size == expected;
}

bool wl_sections_read(const wl_section *sections, size_t count, const char *subject, const uint8_t *packed, size_t size,
                      char *message, size_t message_size) {
    if (size < 4 + 4 * count) {
        snprintf(message, message_size, "the %s ends inside its header", subject);
        return false;
    }
    const uint32_t version = wl_load_le4(packed);
    if (version != WL_PACKED_VERSION) {
        snprintf(message, message_size, "the %s has version %u, this engine runs version %u", subject, version,
                 WL_PACKED_VERSION);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        *sections[i].word = wl_load_le4(packed + 4 + 4 * i);
    if (!fits(sections, count, subject, size, message, message_size))
        return false;
    const uint8_t *at = packed + 4 + 4 * count;
    for (const wl_section *each = sections; each < sections + count; each++) {
        if (each->at)
            *each->at = at;
        at += (size_t)*each->word * each->width;
    }
    return true;
}

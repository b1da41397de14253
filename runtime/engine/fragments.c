/* Records in fragments: which fragments begin a record. */
#include "fragments.h"

#include <stdbool.h>

/* Number of fragments whose roles are compared at once. */
#define AT_ONCE 8

wl_joined_fragments wl_join_fragments(const wl_fragments *fragments, uint8_t *places, uint8_t *ends) {
    const uint8_t *roles = fragments->roles, *from = fragments->places, *bounds = fragments->ends;
    wl_joined_fragments joined = {0, 0};
    size_t kept = 0;
    bool is_open = false;
    for (size_t i = 0; i < fragments->count;) {
        if (!is_open && fragments->count - i >= AT_ONCE && wl_load_le8(roles + i) == 0) {
            /* All of them are full, which is 0. */
            memcpy(places + kept * 8, from + i * 8, AT_ONCE * 8);
            memcpy(ends + kept * 4, bounds + i * 4, AT_ONCE * 4);
            kept += AT_ONCE;
            i += AT_ONCE;
        } else {
            const unsigned role = roles[i];
            const bool begins = role == WL_FRAGMENT_FULL || role == WL_FRAGMENT_FIRST;
            if (role > WL_FRAGMENT_LAST || begins == is_open)
                break;
            if (begins) {
                memcpy(places + kept * 8, from + i * 8, 8);
                memcpy(ends + kept * 4, bounds + i * 4, 4);
                kept++;
            }
            is_open = role == WL_FRAGMENT_FIRST || role == WL_FRAGMENT_MIDDLE;
            i++;
        }
        if (!is_open)
            joined = (wl_joined_fragments){i, kept};
    }
    memcpy(ends + joined.records * 4, bounds + joined.fragments * 4, 4);
    return joined;
}

/* Text in encodings other than UTF-8: UTF-16, and those with a table of the characters of bytes. */
#include "handlers.h"
#include "computed_text.h"

enum { REPLACEMENT = 0xFFFD };

/* The next character of text that is not empty, and its number of bytes; false if it is invalid. */
static bool next(wl_span text, unsigned encoding, const uint8_t *table, uint32_t *character, size_t *size) {
    *character = REPLACEMENT;
    *size = 1;
    if (encoding == WL_TEXT_TABLE) {
        uint32_t found = wl_load_le2(table + 2 * (size_t)text.at[0]);
        *character = found == WL_NO_CHARACTER ? REPLACEMENT : found;
        return found != WL_NO_CHARACTER;
    }
    const bool little = encoding == WL_UTF16LE;
    if (text.size < 2)
        return false;
    *size = 2;
    uint32_t first = little ? wl_load_le2(text.at) : wl_load_be2(text.at);
    if (first < 0xD800 || first > 0xDFFF)
        return *character = first, true;
    if (first > 0xDBFF || text.size < 4) {
        /* If the text ends inside of a character, the rest is one invalid piece. */
        *size = first > 0xDBFF ? 2 : text.size;
        return false;
    }
    uint32_t second = little ? wl_load_le2(text.at + 2) : wl_load_be2(text.at + 2);
    if (second < 0xDC00 || second > 0xDFFF)
        return false;
    *size = 4;
    *character = 0x10000 + ((first & 0x3FF) << 10 | (second & 0x3FF));
    return true;
}

static size_t size_of(uint32_t character) {
    return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

/* Writes a character as UTF-8, in size_of() bytes. */
static void put(uint8_t *to, uint32_t character) {
    size_t size = size_of(character);
    if (size == 1) {
        *to = (uint8_t)character;
        return;
    }
    for (size_t i = size; i-- > 1; character >>= 6)
        to[i] = (uint8_t)(0x80 | (character & 0x3F));
    static const uint8_t first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    to[0] = (uint8_t)(first[size] | character);
}

static wl_span after(wl_span text, size_t size) { return (wl_span){text.at + size, text.size - size}; }

bool wl_text_is_encoded(wl_span text, unsigned encoding, const uint8_t *table) {
    uint32_t character;
    size_t size;
    for (; text.size; text = after(text, size)) {
        if (!next(text, encoding, table, &character, &size))
            return false;
    }
    return true;
}

/* The next character in any encoding, or the next invalid piece; false if it is invalid. */
static bool next_of(wl_span text, unsigned encoding, const uint8_t *table, uint32_t *character, size_t *size) {
    if (encoding != WL_UTF8 && encoding != WL_ASCII)
        return next(text, encoding, table, character, size);
    *size = encoding == WL_ASCII ? 1 : wl_text_step(text);
    *character = text.at[0] < 0x80 ? text.at[0] : REPLACEMENT;
    return text.at[0] < 0x80;
}

/* Returns the size of the text in bytes as UTF-8; writes it to `out`, unless that is NULL. */
static size_t transcode(wl_span text, unsigned encoding, const uint8_t *table, uint8_t *out) {
    size_t used = 0, size;
    uint32_t character;
    for (; text.size; text = after(text, size)) {
        bool good = next_of(text, encoding, table, &character, &size);
        /* A UTF-8 character is copied unchanged. */
        bool same = !good && encoding == WL_UTF8 && wl_text_character(text.at, text.size) == size;
        if (out && same)
            memcpy(out + used, text.at, size);
        else if (out)
            put(out + used, character);
        used += same ? size : size_of(character);
    }
    return used;
}

/* Not inlined: variables whose addresses are taken would prevent the handler from ending in a jump. */
__attribute__((noinline)) static int column_text(const wl_instruction *step, wl_run *run, size_t row) {
    const unsigned encoding = (unsigned)(step->c & 0xFF);
    const uint8_t *table = run->program->constants + (step->c >> 8);
    wl_span text = run->spans[step->b];
    size_t used = wl_load4(step->offsets + row * 4), room = (size_t)step->d;
    size_t needed = transcode(text, encoding, table, NULL);
    /* The used size is read back from the caller's memory, so it is not trusted. */
    if (WL_UNLIKELY(used > room || needed > room - used)) {
        run->needed = used + needed;
        if (run->program->has_rows && run->units[0].rows == 0 && run->needed > INT32_MAX)
            return wl_lost(run, WL_REASON_LIMIT);
        run->column = step->a;
        return WL_ROW_NO_ROOM;
    }
    transcode(text, encoding, table, step->out + used);
    wl_store4(step->offsets + row * 4 + 4, (uint32_t)(used + needed));
    return WL_ROW_COMPLETE;
}

WL_HANDLER(wl_column_text) {
    int outcome = column_text(step, run, row);
    if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE))
        return outcome;
    GO_ON;
}

static bool is_good(wl_span text, unsigned encoding, const uint8_t *table) {
    if (encoding == WL_ASCII)
        return wl_text_is_ascii(text.at, text.size);
    return encoding == WL_UTF8 ? wl_text_is_utf8(text.at, text.size) : wl_text_is_encoded(text, encoding, table);
}

/* The bytes of a span as UTF-8; without a value if they are invalid in the encoding, or with U+FFFD for invalid
 * pieces. */
static wl_span decoded(wl_run *run, const wl_instruction *step, bool strict) {
    const unsigned encoding = (unsigned)step->c;
    wl_span text = run->spans[step->b];
    if (wl_text_missing(text))
        return strict ? wl_text_without(wl_text_reason(text)) : text;
    if (!wl_text_may_be_checked(run, text.size))
        return wl_text_none(WL_FAILED);
    bool good = (encoding < WL_UTF16LE || strict) && is_good(text, encoding, step->constant);
    if (strict && !good)
        return wl_text_none(WL_FAILED);
    if (good && encoding < WL_UTF16LE)
        return text;
    size_t size = transcode(text, encoding, step->constant, NULL);
    uint8_t *made = wl_text_hold(run, size);
    if (!made)
        return wl_text_none(WL_TOO_LONG);
    transcode(text, encoding, step->constant, made);
    return (wl_span){made, size};
}

WL_HANDLER(wl_text_decode) {
    run->spans[step->a] = decoded(run, step, true);
    GO_ON;
}

WL_HANDLER(wl_text_clean) {
    run->spans[step->a] = decoded(run, step, false);
    GO_ON;
}

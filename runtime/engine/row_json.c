/* Objects as JSON text: steps JSON_…, which append to a buffer of the row, and COLUMN_JSON.
 *
 * Text that is too long is only counted: json_used then exceeds json_room. */
#include <stdlib.h>

#include "computed_text.h"
#include "handlers.h"
#include "message_json.h"

/* Makes room for `size` bytes in all, unless the text is too long anyway. */
static bool grow(wl_run *run, size_t size) {
    if (run->json_used > run->arguments->max_items)
        return false;
    const size_t room = size > 2 * run->json_room ? size : 2 * run->json_room;
    uint8_t *json = realloc(run->json, room);
    if (!json)
        return false;
    run->json = json;
    run->json_room = room;
    return true;
}

typedef struct {
    enum { NOTHING, PLAIN, COMMA, INTEGER, DOUBLE, BOOLEAN, TIME, TEXT, BASE64 } kind;
    const uint8_t *at;
    size_t size;
    wl_integer value;
    unsigned unit;
    bool local;
} piece;

static void put_integer(wl_sink *to, wl_integer value) {
    char digits[40];
    size_t at = sizeof digits;
    unsigned __int128 rest = value < 0 ? 0 - (unsigned __int128)value : (unsigned __int128)value;
    for (; rest > UINT64_MAX; rest /= 10)
        digits[--at] = (char)('0' + (unsigned)(rest % 10));
    uint64_t left = (uint64_t)rest;
    do
        digits[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        wl_put_byte(to, '-');
    wl_put(to, digits + at, sizeof digits - at);
}

/* A number of at least `width` digits. */
static void put_digits(wl_sink *to, int64_t value, size_t width) {
    char digits[20];
    size_t at = sizeof digits;
    for (; value || sizeof digits - at < width; value /= 10)
        digits[--at] = (char)('0' + value % 10);
    wl_put(to, digits + at, sizeof digits - at);
}

static int64_t floor_of(int64_t value, int64_t by) { return value / by - (value % by < 0); }

/* A time in ISO 8601, as wireloom.base.iso_times writes it: years begin in March here, so that the leap day is last. */
static void put_time(wl_sink *to, const piece *of) {
    static const int64_t units[WL_UNITS] = {1, 1000, 1000000, 1000000000};
    const int64_t count = (int64_t)of->value, per = units[of->unit], seconds = floor_of(count, per);
    const int64_t days = floor_of(seconds, 86400) + 719468, second = seconds - (days - 719468) * 86400;
    const int64_t era = floor_of(days, 146097), in_era = days - era * 146097;
    int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const int64_t day = in_era - (365 * year + year / 4 - year / 100), month = (5 * day + 2) / 153;
    year += 400 * era + (month >= 10);
    wl_put_byte(to, '"');
    if (year < 0 || year > 9999)
        wl_put_byte(to, year < 0 ? '-' : '+');
    put_digits(to, year < 0 ? -year : year, 4);
    const int64_t parts[] = {month + (month < 10 ? 3 : -9), day - (153 * month + 2) / 5 + 1, second / 3600, second / 60 % 60,
                             second % 60};
    for (size_t i = 0; i < 5; i++) {
        wl_put_byte(to, (uint8_t) "--T::"[i]);
        put_digits(to, parts[i], 2);
    }
    if (of->unit) {
        wl_put_byte(to, '.');
        put_digits(to, count - seconds * per, 3 * of->unit);
    }
    wl_put(to, &"Z\""[of->local], 2 - (size_t)of->local);
}

static void put_piece(wl_sink *to, const piece *of) {
    switch (of->kind) {
    case NOTHING:
        return;
    case COMMA:
        if (to->used && to->used <= to->room && to->at[to->used - 1] != '[' && to->at[to->used - 1] != '{')
            wl_put_byte(to, ',');
        wl_put(to, of->at, of->size);
        return;
    case PLAIN:
        wl_put(to, of->at, of->size);
        return;
    case INTEGER:
        put_integer(to, of->value);
        return;
    case DOUBLE:
        wl_put_number(to, WL_KIND_DOUBLE, (uint64_t)of->value);
        return;
    case BOOLEAN:
        wl_put_number(to, WL_KIND_BOOL, of->value != 0);
        return;
    case TIME:
        put_time(to, of);
        return;
    case TEXT:
        wl_put_text(to, of->at, of->size);
        return;
    case BASE64:
        wl_put_base64(to, of->at, of->size);
    }
}

/* Not inlined: a variable whose address is taken would prevent a handler from ending in a jump. */
__attribute__((noinline)) static void append(wl_run *run, piece of) {
    wl_sink to = {run->json, run->json_room, run->json_used};
    put_piece(&to, &of);
    if (WL_UNLIKELY(to.used > to.room) && grow(run, to.used)) {
        to = (wl_sink){run->json, run->json_room, run->json_used};
        put_piece(&to, &of);
    }
    run->json_used = to.used;
}

WL_HANDLER(wl_json_put) {
    append(run, (piece){.kind = step->b ? COMMA : PLAIN, .at = step->constant, .size = (size_t)step->d});
    GO_ON;
}

/* The value that comes next cannot be computed: that refuses the row if it remains in a column that is wanted. */
static void fail(wl_run *run, uint32_t reason) {
    if (run->json_failed == WL_REASON_NONE) {
        run->json_failed = reason;
        run->json_failed_at = run->json_used;
    }
}

WL_HANDLER(wl_json_number) {
    static const uint8_t kinds[] = {INTEGER, DOUBLE, BOOLEAN, TIME, TIME, NOTHING};
    const wl_integer value = run->registers[step->a];
    const bool is_none = kinds[step->b] == TIME && (value < wl_earliest_time(step->c) || value > wl_latest_time(step->c) ||
                                          (step->c & WL_HAS_ABSENT && value == step->d));
    if (WL_LIKELY(!wl_is_missing(run, step->a) && !is_none))
        append(run, (piece){.kind = kinds[step->b], .value = value, .unit = step->c & (WL_UNITS - 1), .local = step->b == 4});
    else if (wl_is_missing(run, step->a) && wl_missing_reason(run, step->a) == WL_FAILED)
        fail(run, WL_REASON_VALUE);
    GO_ON;
}

WL_HANDLER(wl_json_bytes) {
    const wl_span span = run->spans[step->a];
    if (WL_LIKELY(!wl_text_missing(span)))
        append(run, (piece){.kind = step->b ? TEXT : BASE64, .at = span.at, .size = span.size});
    else if (wl_text_reason(span) == WL_FAILED || wl_text_reason(span) == WL_TOO_LONG)
        fail(run, wl_text_reason(span) == WL_FAILED ? WL_REASON_VALUE : WL_REASON_LIMIT);
    GO_ON;
}

WL_HANDLER(wl_json_mark) {
    run->registers[step->a] = (wl_integer)run->json_used;
    GO_ON;
}

WL_HANDLER(wl_json_null) {
    if (run->registers[step->a] == (wl_integer)run->json_used)
        append(run, (piece){.kind = PLAIN, .at = (const uint8_t *)"null", .size = 4});
    GO_ON;
}

WL_HANDLER(wl_json_first) {
    const wl_integer begin = run->registers[step->a], end = run->registers[step->b];
    if (begin < end && end <= (wl_integer)run->json_used) {
        run->json_used = (size_t)end;
        if (run->json_failed_at >= run->json_used)
            run->json_failed = WL_REASON_NONE;
    }
    GO_ON;
}

/* Text that is no string is written again after itself, in quotes, and moved to its place. */
__attribute__((noinline)) static void quote(wl_run *run, size_t begin) {
    const size_t end = run->json_used;
    if (begin < end && end <= run->json_room && run->json[begin] != '"' && (run->json_room - end >= 6 * (end - begin) + 2 || grow(run, end + 6 * (end - begin) + 2))) {
        append(run, (piece){.kind = TEXT, .at = run->json + begin, .size = end - begin});
        memmove(run->json + begin, run->json + end, run->json_used - end);
        run->json_used -= end - begin;
    }
    append(run, (piece){.kind = PLAIN, .at = (const uint8_t *)":", .size = 1});
}

WL_HANDLER(wl_json_name) {
    const wl_integer begin = run->registers[step->a];
    quote(run, begin < 0 || begin > (wl_integer)run->json_used ? run->json_used : (size_t)begin);
    GO_ON;
}

WL_HANDLER(wl_json_begin) {
    (void)step;
    run->json_used = 0;
    run->json_failed = WL_REASON_NONE;
    GO_ON;
}

WL_HANDLER(wl_column_json) {
    const size_t most = run->arguments->max_items;
    const bool failed = run->json_failed != WL_REASON_NONE && run->json_failed_at <= most;
    size_t size = run->json_used, used = wl_load4(step->offsets + row * 4), room = (size_t)step->d;
    if (WL_UNLIKELY(failed || size > most || size > run->json_room)) {
        if (run->json_refused == WL_REASON_NONE)
            run->json_refused = failed ? run->json_failed : WL_REASON_LIMIT;
        size = 0;
    }
    if (WL_UNLIKELY(used > room || size > room - used)) {
        run->needed = used + size;
        run->column = step->a;
        return WL_ROW_NO_ROOM;
    }
    if (size)
        memcpy(step->out + used, run->json, size);
    wl_store4(step->offsets + row * 4 + 4, (uint32_t)(used + size));
    GO_ON;
}

WL_HANDLER(wl_json_end) {
    (void)step;
    if (WL_UNLIKELY(run->json_refused != WL_REASON_NONE))
        wl_refuse(run, run->json_refused);
    run->json_refused = WL_REASON_NONE;
    GO_ON;
}

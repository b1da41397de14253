/* wireloom's column engine: the public interface of the C part, without Python, Arrow, input or output.
 *
 * A *program* (its steps are documented in runtime/format/program.py) describes one row of a wire format. wl_fill()
 * runs it over a buffer, row after row, and writes columns into memory that the caller has allocated in Arrow's
 * layouts.
 *
 * Ownership
 *   - wl_program_load() allocates the program, wl_program_free() frees it. It is immutable in between, so any
 *     number of threads may use it at the same time.
 *   - Every other buffer (source, columns, row offsets, damages) belongs to the caller and is borrowed for the
 *     length of the call. Nothing needs to be aligned.
 *   - wl_fill() and wl_resync() allocate working memory, limited by the program's size and by the actual size of the
 *     input (never by a number that the input claims), and free it before they return.
 *
 * Worked example: rows of one byte, a column of type uint8, input 07 08.
 *
 *     wl_start(NULL, message, sizeof message);
 *     wl_program *program = wl_program_load(packed, packed_size, message, sizeof message);
 *     uint8_t validity[1] = {0}, values[8];
 *     wl_column column = {.wanted = true, .validity = validity, .values = values};
 *     wl_damage damages[4];
 *     size_t nulls, used;
 *     wl_fill_arguments arguments = {
 *         .source = input, .begin = 0, .end = 2, .at_end = true, .verify = true, .capacity = 8, .columns = &column,
 *         .damages = damages, .damage_capacity = 4, .max_record = 1024, .stop = -1};
 *     wl_fill_result result = {.null_counts = &nulls, .data_used = &used};
 *     wl_fill(program, &arguments, &result);
 *     // result.rows == 2, result.consumed == 2, result.status == WL_END, values = 07 08, validity[0] == 3, nulls == 0
 */
#ifndef WIRELOOM_ENGINE_H
#define WIRELOOM_ENGINE_H

#ifndef __SIZEOF_INT128__
#error "wireloom's engine needs a compiler with __int128: gcc or clang for a 64-bit processor"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers of a program are signed 128-bit integers, which fit every field and the results of most arithmetic on
 * fields. */
__extension__ typedef __int128 wl_integer;

/* Processor variants -------------------------------------------------------------------------------------------- */

/* Selects the CRC, scan and MD5 variants for this processor; call it once before anything else, from one thread.
 * `level` forces one of "portable", "sse4.2", "avx2", "avx512", "armv8" ("neon" is an alias of "armv8"); NULL or ""
 * selects the best one. Returns false, with a sentence in `message`, if this processor or build does not support it. */
bool wl_start(const char *level, char *message, size_t message_size);

/* Names of the variants selected by wl_start(). */
const char *wl_level(void);
const char *wl_crc32c_name(void);
const char *wl_scan_name(void);
const char *wl_md5_name(void);

/* The levels supported by this build on this processor, in ascending order; NULL after the last one. */
const char *wl_level_at(size_t index);

/* Programs ------------------------------------------------------------------------------------------------------ */

typedef struct wl_program wl_program;

/* Loads a packed program (ColumnProgram.pack) after checking every operand: whatever its steps are, a loaded program
 * cannot make the engine read or write out of bounds, loop forever, or allocate without limit. Returns NULL, with a
 * sentence in `message`, for an invalid one. `packed` is copied. */
wl_program *wl_program_load(const uint8_t *packed, size_t size, char *message, size_t message_size);
void wl_program_free(wl_program *program);

size_t wl_program_columns(const wl_program *program);
size_t wl_program_input_registers(const wl_program *program);
bool wl_program_delimited(const wl_program *program);
/* Number of checksums that continue those of previous items, and of variables. */
size_t wl_program_carried_values(const wl_program *program);
/* Number of variables that are lists or tables; each has WL_STORE_BYTES of memory. */
size_t wl_program_stores(const wl_program *program);


#define WL_VARIABLE 16
#define WL_STRUCT 32
#define WL_LIST 33
/* 1, 2, 4 or 8: bytes per value of a fixed column; WL_VARIABLE: int32 offsets and data bytes; WL_LIST: int32 offsets of
 * items, whose columns have another level; WL_STRUCT: a bitmap only. */
unsigned wl_program_storage(const wl_program *program, size_t column);
/* Levels of lists: columns of level 0 have a value per row, those of other levels a value per item of their list. */
size_t wl_program_levels(const wl_program *program);
unsigned wl_program_level(const wl_program *program, size_t column);

/* Stuffing ------------------------------------------------------------------------------------------------------- */

/* Numbered as wireloom.format.stuffings.StuffingKind. */
enum {
    WL_STUFFING_NONE,
    WL_STUFFING_WORD,
    WL_STUFFING_COBS,
    WL_STUFFING_ESCAPE,
    WL_STUFFING_COBS_OTHER,
    WL_STUFFING_COBS_REDUCED,
    WL_STUFFING_COUNT
};

/* How rows are kept free of the delimiter, as Stuffing.packed has it. The first three kinds have no parameters. */
typedef struct {
    uint8_t kind;
    uint8_t value;         /* the escape byte; for COBS the delimiter */
    uint8_t meanings[256]; /* by code after an escape: the byte for which it stands */
    uint8_t codes[256];    /* by byte: its code */
    uint8_t flags[256];    /* 1: a code; 2: escaped */
} wl_stuffing;

#define WL_STUFFING_PARAMETERS (sizeof(wl_stuffing) - 1)
/* The number of bytes after the kind. */
size_t wl_stuffing_parameters(unsigned kind);
/* False: `packed` is not a stuffing. */
bool wl_stuffing_read(wl_stuffing *self, const uint8_t *packed, size_t size);
/* For all kinds but NONE. The output has at most the bound of bytes, and `size` bytes when it is unstuffed, of which
 * the number is returned: or WL_NOT_FOUND, if the data is refused. */
size_t wl_stuffed_bound(const wl_stuffing *self, size_t size);
size_t wl_stuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out);
size_t wl_unstuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out);

/* Filling columns ----------------------------------------------------------------------------------------------- */

/* Numbered as wireloom.format.program.Reason. */
enum {
    WL_REASON_NONE,
    WL_REASON_LENGTH,
    WL_REASON_CHECKSUM,
    WL_REASON_VALUE,
    WL_REASON_STUFFING,
    WL_REASON_LIMIT,
    WL_REASON_TRUNCATED,
    WL_REASON_ENCODING,
    WL_REASON_DIGEST,
    WL_REASON_CODEC,
    WL_REASON_UNSUPPORTED, /* a codec that the format does not have, or rows that cannot be read */
    WL_REASON_ITEMS, /* more loop iterations than max_items allows */
    WL_REASON_MESSAGE,
    WL_REASON_NESTED, /* calls nested more than WL_DEEPEST_CALL deep */
};

/* How a fill ended. */
enum {
    WL_NEED_INPUT, /* the next row is incomplete: call again from `consumed` with more input after it */
    WL_BATCH_FULL, /* no more rows, data bytes or damages fit: take the batch and call again from `consumed`. If `needed`
                    * is not 0 there was no room for the next row or unit: `needed` and `reason` are those of WL_NO_ROOM */
    WL_END,        /* everything up to `end` (or up to `stop`) has been read */
    WL_TRUNCATED,  /* the input ends inside the row at `position` */
    WL_LOST,       /* the end of the row at `position` is unknown, for the reason `reason` */
    WL_NO_ROOM,    /* the first row or unit needs more room: `needed` bytes for column number `reason`; if `reason` is
                    * the number of columns, that many rows; one more: damages; two more and above: items of level 1 and
                    * above */
    WL_OVERSIZE,   /* the frame at `position` has no delimiter within max_record; continue the search from `consumed` */
};

/* Bytes without a row. `begin`, `end` and `until` are absolute. */
typedef struct {
    uint64_t begin;
    uint64_t end;
    uint64_t rows;  /* number of rows before it; with `null_rows`, of the null row that represents it */
    uint64_t until; /* the end of the units directly after it that prove nothing: they are as doubtful as its end */
    uint32_t reason;
    uint32_t inside; /* 1: part of a unit whose end is known */
} wl_damage;

/* The memory of a column. `validity`: (capacity + 7) / 8 bytes, zeroed. Fixed: `values` of capacity × storage bytes.
 * Variable: `offsets` of capacity + 1 int32, and `values` of `data_size` bytes. Lists: only `offsets`. The capacity is
 * that of the column's level. If the column is not wanted, the other members are ignored. */
typedef struct {
    bool wanted;
    uint8_t *validity;
    uint8_t *values;
    uint8_t *offsets;
    size_t data_size;
} wl_column;

/* A compressed block, as a step of the program names it. */
typedef struct {
    uint32_t number;     /* its index among the program's expansions */
    int64_t chosen;      /* number of the codec; negative: none */
    int64_t size;        /* size of its content in bytes; WL_SIZE_UNKNOWN, or WL_SIZE_NONE for an impossible one */
    const uint8_t *data; /* the compressed bytes */
    size_t data_size;
    uint64_t position;   /* absolute offset of the block in the input; UINT64_MAX inside of frames and of other
                          * blocks */
} wl_block;

#define WL_SIZE_UNKNOWN (-1)
#define WL_SIZE_NONE (-2)

/* The content of a block: `at` … `at + size` is valid until `handle` is released. If that is NULL it need not be
 * released: the content is part of the block itself. */
typedef struct {
    const uint8_t *at;
    size_t size;
    void *handle;
} wl_content;

/* Decompresses blocks. `expand` returns WL_REASON_NONE, or the reason why the block has no content; `release` gets a
 * content with a handle. Both functions are called from the thread that fills. */
typedef struct {
    uint32_t (*expand)(void *context, const wl_block *block, wl_content *content);
    void (*release)(void *context, const wl_content *content);
    void *context;
} wl_expander;

/* What a unit leaves to the next one: the checksum of the last item, for the one that continues it, or a variable. */
enum { WL_CARRIED_UNKNOWN, WL_CARRIED_FIRST, WL_CARRIED_KNOWN, WL_CARRIED_VARIABLE };
typedef struct {
    uint32_t state; /* WL_CARRIED_FIRST: there is no previous item; _VARIABLE: a variable, of 64 signed bits */
    wl_integer value;
} wl_carried_value;

/* An item of a variable that is a list, and its number, from 1 on. */
#define WL_SLOT_BYTES 16
#define WL_STORE_BYTES ((size_t)WL_KEPT_ITEMS * WL_SLOT_BYTES)

/* The order of the values of a column: each value has a *key*, an unsigned integer. That of a signed integer is the
 * value plus 2^63; that of a floating-point number its bits, all inverted if it is negative, otherwise with the sign
 * bit set. */
enum { WL_UNSIGNED_KEYS, WL_SIGNED_KEYS, WL_FLOAT_KEYS, WL_KEYS_COUNT };

/* A predicate, which is true for rows in which the value of a column has a key in one of some ranges. */
typedef struct {
    uint32_t column; /* wanted, of a fixed size, and not nested in another column */
    uint32_t keys;   /* WL_UNSIGNED_KEYS … */
    bool nulls;      /* whether it is true for nulls */
    size_t count;
    const uint8_t *ranges; /* `count` pairs of uint64: the first key and the last one; ascending */
} wl_predicate;

/* An array of which the steps INPUT, INPUT_BYTES and INPUT_ITEMS take values: Arrow's buffers. `kind`: that of its
 * integers, numbered as wireloom.format.program.Kind, or one of these. */
enum { WL_INPUT_BITS = 18, WL_INPUT_BYTES, WL_INPUT_SIZES /* of lists */, WL_INPUT_KINDS };
typedef struct {
    unsigned kind;
    size_t first;            /* the element with the number 0 */
    size_t length;           /* number of elements from there on that the buffers have */
    const uint8_t *validity; /* a bit per element; NULL: none is null */
    const uint8_t *values;   /* BYTES, SIZES: int32 offsets */
    const uint8_t *data;     /* BYTES */
    size_t data_size;
    const uint8_t *lists;    /* INPUT_ITEMS: int32 offsets of the lists of which these are the items; or NULL */
    size_t lists_first;
    size_t list_count;
} wl_input;

typedef struct {
    const uint8_t *source; /* rows are read from source[begin … end) */
    size_t begin;
    size_t end;
    uint64_t base_offset;     /* offset of source[0] in the whole (decompressed) input */
    bool at_end;              /* no more input follows `end` */
    bool at_start;            /* delimited only: source[begin] is the beginning of the file, where a frame may begin */
    bool verify;              /* false: checksums are not computed */
    bool null_rows;           /* a damaged row becomes a row of nulls */
    bool proven;              /* wl_resync() only: a row needs a checksum of its own that covers some bytes */
    size_t capacity;          /* maximum number of rows */
    const size_t *items;      /* maximum number of items of each level of lists; wl_program_levels() of them */
    const wl_column *columns; /* one per column of the program */
    uint8_t *offsets;         /* NULL, or capacity uint64 for the absolute offset of each row */
    wl_damage *damages;
    size_t damage_capacity;   /* at least 1 */
    size_t padding;           /* back to back only: unused bytes after each row */
    size_t max_record;        /* largest row in bytes (as encoded), at most INT32_MAX */
    int64_t stop;             /* rows at or after this absolute offset are not read; -1: none */
    bool row_by_row;          /* for tests: plain rows are processed like all others, with the same result */
    const wl_integer *input_registers; /* values of registers 0 …; wl_program_input_registers() of them */
    const wl_expander *expander; /* NULL: a block has no content, for WL_REASON_CODEC */
    /* NULL: nothing is known. Arrays of wl_program_carried_values() wl_carried_value, 2 + damage_capacity of them: on
     * entry, the first is the state at `begin`; on return, it is the state at `consumed`, followed by those at the last
     * complete unit and at each damage. */
    uint8_t *carried_values;
    uint8_t *stores; /* NULL, or the stores of variables that are lists or tables (variables.c, entries.c): zeros at first;
                      * wl_resync() overwrites them */
    size_t max_items; /* maximum number of loop iterations without bytes; in the contents of a unit's blocks, as many
                       * more as these have bytes */
    const wl_predicate *predicates; /* rows for which one of them is false are read and verified, but not built */
    size_t predicate_count;
    const wl_input *inputs; /* wl_fill_computed() only */
    size_t input_count;
} wl_fill_arguments;

typedef struct {
    size_t rows;
    size_t dropped;  /* number of valid rows refused by a predicate */
    size_t consumed; /* index in source up to which the input has been processed: the next call's `begin` */
    int status;
    uint32_t reason;
    uint64_t position; /* absolute; set for WL_TRUNCATED, WL_LOST and WL_OVERSIZE */
    size_t needed; /* WL_NO_ROOM, WL_BATCH_FULL: data bytes; WL_NEED_INPUT: number of bytes that the row is known to
                    * need (a hint, bounded) */
    size_t damage_count;
    size_t empty_frames; /* number of frames without bytes that were found, perhaps some after `consumed` among them */
    size_t *null_counts; /* provided by the caller, one per column of the program */
    size_t *data_used;   /* likewise: data bytes of variable columns */
    size_t *items_used;  /* provided by the caller, one per level of lists */
    size_t unit_begin;   /* of the last complete unit, except those that extend the doubt of damage: its index in source,
                          * and the numbers of rows and damages before it */
    size_t unit_rows;
    size_t unit_damages;
} wl_fill_result;

/* Reads rows until one of WL_NEED_INPUT … WL_OVERSIZE occurs. Consecutive rows: the row at `begin` is read first.
 * Delimited: unless at_start, reading begins after the first delimiter at or after `begin`, and `consumed` is the index
 * of the delimiter before the next row. As long as `consumed` has not moved from the beginning of a file, at_start must
 * be set again. A unit is read when all of it is in the window; if it never is, the rows before its end are returned.
 * Returns false only if working memory could not be allocated. */
bool wl_fill(const wl_program *program, const wl_fill_arguments *arguments, wl_fill_result *result);

/* Runs a program, in which a unit is a row, for each row of the arrays `inputs`, from number `begin` on, `capacity` of them;
 * there is no source. A row that is refused or lost is null. The status is WL_END or, if there is no room for the data of
 * a row, WL_NO_ROOM; `needed` is then set. Returns false only if working memory could not be allocated. */
bool wl_fill_computed(const wl_program *program, const wl_fill_arguments *arguments, wl_fill_result *result);

/* Consecutive rows only: finds the next index at or after arguments->begin at which a valid row with valid checksums
 * begins. A row whose checksums cover no byte counts only if the next one is valid too or the input ends after it, and
 * never with `proven`. Uses source, begin, end, at_end, proven, padding, max_record and input_registers of the
 * arguments. Sets *found and *index: the row's index, or where to continue once more input is available. The work is
 * linear in end − begin, whatever lengths the garbage claims; so pass windows of at least twice max_record if the input
 * is that long. Returns false only if working memory could not be allocated. */
bool wl_resync(const wl_program *program, const wl_fill_arguments *arguments, bool *found, size_t *index);

/* Checksum algorithms --------------------------------------------------------------------------------------------
 *
 * Example, the standard CRC-32C of a message:
 *     wl_algorithm crc32c;
 *     wl_sum_parameters parameters = {.family = WL_CRC, .width = 32, .reflects = WL_REFLECT_IN | WL_REFLECT_OUT,
 *         .polynomial = 0x1EDC6F41, .initial = 0xFFFFFFFF, .final_xor = 0xFFFFFFFF};
 *     if (wl_algorithm_make(&crc32c, &parameters)) {
 *         uint64_t state = crc32c.update(crc32c.initial, message, size, crc32c.tables);
 *         uint64_t sum = wl_sum_of_state(&crc32c, state);
 *         wl_algorithm_free(&crc32c);
 *     }
 */

/* Numbered as wireloom.checksums.Family. */
enum {
    WL_CRC = 1,
    WL_ADLER,
    WL_FLETCHER, /* of words of `unit` bytes: half of the width */
    WL_SUM_LE,   /* of words of `unit` bytes */
    WL_SUM_BE,
    WL_SUM_XOR,
    WL_SUM_INTERNET,
    WL_XXH32,
    WL_XXH64,
    WL_XXH3,
    WL_MD5,
    WL_SHA1,
    WL_SHA256,
    WL_SHA256D,
    WL_FLETCHER_256,
    WL_BITCOIN_MERKLE,
    WL_FAMILIES,
};
enum { WL_REFLECT_IN = 1, WL_REFLECT_OUT = 2 };
enum { WL_MOST_DIGEST = 32 }; /* bytes */

typedef struct {
    uint32_t family;
    uint32_t width; /* bits of the checksum */
    uint32_t unit;  /* bytes of a word that is added; 1 for others */
    uint32_t reflects;
    uint64_t polynomial; /* of CRCs, in the notation of catalogues: without its highest term, not reflected */
    uint64_t initial;    /* of CRCs as in catalogues; of others the checksum of nothing, or the seed */
    uint64_t final_xor;
} wl_sum_parameters;

/* The state after `size` more bytes. */
typedef uint64_t (*wl_sum_function)(uint64_t state, const uint8_t *data, size_t size, const void *tables);
typedef void (*wl_digest_function)(const uint8_t *data, size_t size, uint8_t *digest);
typedef struct wl_crc wl_crc;

typedef struct {
    wl_sum_parameters of;
    wl_sum_function update;    /* NULL: a digest */
    wl_digest_function digest; /* NULL: a number */
    const void *tables;        /* passed to `update` */
    const wl_crc *crc;         /* NULL: not a CRC */
    uint64_t initial;          /* the state before the first byte */
    size_t digest_size;
    bool bare;      /* the checksum is the state xor the final xor */
    bool owns;      /* `crc` was allocated */
} wl_algorithm;

/* False: out of memory. The parameters must be valid: wl_sum_parameters_hold(). */
bool wl_algorithm_make(wl_algorithm *algorithm, const wl_sum_parameters *parameters);
/* The digest of that family; false if it has none. */
bool wl_digest_make(wl_algorithm *algorithm, uint32_t family);
void wl_algorithm_free(wl_algorithm *algorithm);
bool wl_sum_parameters_hold(const wl_sum_parameters *parameters);
/* Whether the result is bytes rather than a number. */
bool wl_is_digest(const wl_sum_parameters *parameters);
/* Whether bytes may be given to `update` in several pieces. */
bool wl_sums_in_pieces(const wl_sum_parameters *parameters);
/* Packed parameters: the four numbers of 4 bytes, then the three of 8, little-endian. */
enum { WL_PACKED_PARAMETERS = 40 };
wl_sum_parameters wl_sum_parameters_read(const uint8_t *packed);
/* The checksum of a state, and the state that continues a checksum. */
uint64_t wl_sum_of_state(const wl_algorithm *algorithm, uint64_t state);
uint64_t wl_state_of_sum(const wl_algorithm *algorithm, uint64_t sum);

/* Encoding plain rows --------------------------------------------------------------------------------------------
 *
 * A plain row is a head of fixed fields without gaps, then at most one byte string. Example, for frames of a length, a
 * checksum and a payload:
 *     wl_encode_field fields[] = {{WL_U4BE, WL_HOLDS_SIZE}, {WL_U4BE, WL_HOLDS_CHECKSUM}};
 *     wl_encode_arguments arguments = {.fields = fields, .field_count = 2, .offsets = offsets, .data = data,
 *                                      .data_size = data_size, 
 *                                      .rows = 1000, .algorithm = &crc32c, .begin = 8, .end = SIZE_MAX, .max_record = 1 << 20};
 */
enum { WL_HOLDS_COLUMN, WL_HOLDS_SIZE, WL_HOLDS_CHECKSUM };

typedef struct {
    unsigned kind;         /* its representation on the wire; numbered as wireloom.format.program.Kind */
    unsigned holds;        /* one of WL_HOLDS_… */
    const uint8_t *values; /* WL_HOLDS_COLUMN: one value per row, as wide as the kind, in the host's order */
    int64_t added;         /* WL_HOLDS_SIZE: the field is the byte string's size plus this */
} wl_encode_field;

typedef struct {
    const wl_encode_field *fields;
    size_t field_count;
    const uint8_t *offsets; /* rows + 1 int32 of the byte strings, or NULL if the rows have none */
    const uint8_t *data;
    size_t data_size;
    size_t rows;
    const wl_algorithm *algorithm; /* of the field with the checksum; NULL if there is none */
    uint8_t replace; /* the byte value that the checksum's own bytes count as */
    size_t begin;    /* the range of bytes of the row that it covers; SIZE_MAX: to the end of the row */
    size_t end;
    uint8_t delimiter[4]; /* after each row */
    size_t delimiter_size;
    wl_stuffing stuffing;
    size_t padding;    /* zeros after each row */
    size_t max_record; /* largest row in bytes, stuffed and without its delimiter */
} wl_encode_arguments;

enum {
    WL_ENCODED,        /* all rows are written */
    WL_ENCODE_NO_ROOM, /* the next row may not fit into the rest of `out`; `needed` bytes would be enough */
    WL_ENCODE_REFUSED, /* the next row cannot be written: its size does not fit its field, it is larger than max_record,
                        * it is not stuffed and a reader would find other delimiters or none, or its offsets are
                        * invalid */
};

typedef struct {
    size_t rows; /* written */
    size_t size; /* bytes written to `out` */
    int status;
    size_t needed;
} wl_encode_result;

/* Writes rows from number `first` on. Reads nothing outside of the buffers, whatever the offsets are; writes nothing
 * after `room` bytes of `out`, and garbage between `size` and there. Returns false only if working memory, of the size
 * of the largest row, could not be allocated. */
bool wl_encode(const wl_encode_arguments *arguments, size_t first, uint8_t *out, size_t room, wl_encode_result *result);

/* Separately useful functions ------------------------------------------------------------------------------------ */

#define WL_NOT_FOUND SIZE_MAX

/* The first index in [begin, end) at which the whole `delimiter` (1 to 4 bytes) is before `end`, or WL_NOT_FOUND. */
size_t wl_find_delimiter(const uint8_t *source, size_t begin, size_t end, const uint8_t *delimiter, size_t size);

/* Word stuffing (Backtrace). The output of stuffing has at most wl_word_stuffed_bound(size) bytes and never contains FE
 * FD. Unstuffing writes less than `size` + 1 bytes to `out` and returns their number, or WL_NOT_FOUND (refused). */
size_t wl_word_stuffed_bound(size_t size);
size_t wl_word_stuff(const uint8_t *data, size_t size, uint8_t *out);
size_t wl_word_unstuff(const uint8_t *data, size_t size, uint8_t *out);

/* COBS, likewise; the output of stuffing contains no 00. */
size_t wl_cobs_stuffed_bound(size_t size);
size_t wl_cobs_stuff(const uint8_t *data, size_t size, uint8_t *out);
size_t wl_cobs_unstuff(const uint8_t *data, size_t size, uint8_t *out);

/* MD5 (RFC 1321) of `count` messages: digests[i] is that of the sizes[i] bytes at data[i]. Up to 32 messages are
 * processed in parallel, so one call for many of them takes a fraction of the time of separate calls. The sizes may
 * differ and may be 0; messages may overlap; no memory is allocated. */
void wl_md5_many(const uint8_t *const *data, const size_t *sizes, size_t count, uint8_t (*digests)[16]);

#endif

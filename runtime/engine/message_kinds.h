/* Messages and their fields as far as the wire format knows them: the same for both readers, the walk over the units of
 * an input (message_walk.c) and the step FIELDS (row_messages.c). What becomes of a value is up to them. */
#ifndef WIRELOOM_MESSAGE_KINDS_H
#define WIRELOOM_MESSAGE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WL_DEEPEST_MESSAGE 500
#define WL_MOST_FIELD_NUMBER ((1 << 29) - 1)

/* Numbered as wireloom.format.message_rules.FieldKind. */
enum {
    WL_KIND_DOUBLE = 1,
    WL_KIND_FLOAT,
    WL_KIND_INT64,
    WL_KIND_UINT64,
    WL_KIND_INT32,
    WL_KIND_FIXED64,
    WL_KIND_FIXED32,
    WL_KIND_BOOL,
    WL_KIND_STRING,
    WL_KIND_MESSAGE = 11,
    WL_KIND_BYTES,
    WL_KIND_UINT32,
    WL_KIND_ENUM,
    WL_KIND_SFIXED32,
    WL_KIND_SFIXED64,
    WL_KIND_SINT32,
    WL_KIND_SINT64,
};

enum { WL_WIRE_VARINT, WL_WIRE_FIXED64, WL_WIRE_BYTES, WL_WIRE_GROUP_BEGIN, WL_WIRE_GROUP_END, WL_WIRE_FIXED32 };

/* How a value is read. */
enum {
    WL_READ_INTEGER, /* a varint that is the value unchanged */
    WL_READ_VARINT,  /* any other varint */
    WL_READ_FIXED64,
    WL_READ_FIXED32,
    WL_READ_BYTES,
    WL_READ_TEXT, /* checked */
};

typedef struct {
    uint32_t number;
    uint8_t kind;
    uint8_t wire;         /* of the kind; this and the members below are set by wl_wire_field_make() */
    uint8_t reads;        /* WL_READ_…; not for messages */
    bool several;         /* its numbers may be packed into bytes */
    uint32_t value_count; /* of a closed enum */
    const uint8_t *values; /* in ascending order, four bytes each; NULL: the enum is not closed */
} wl_wire_field;

/* The fields of a message type, which are in the order of their numbers. Each is `width` bytes, of which the first ones
 * are a wl_wire_field. */
typedef struct {
    const void *fields;
    uint32_t width;
    uint32_t count;
    bool strict; /* wire types and varints, see wireloom.format.message_rules.MessageRule */
    const wl_wire_field *by_tag[256]; /* the field with a tag of one byte and this wire type; NULL: other tags */
} wl_wire_message;

/* Sets what follows from the number and the kind. `text`: it must be UTF-8; `values`: of a closed enum, or NULL. Returns
 * what is wrong with them, or NULL (message_wire.c). */
const char *wl_wire_field_make(wl_wire_field *field, bool text, bool several, const uint8_t *values);
/* Sets the tags of a message whose fields are made. Returns the index of the first field that does not come after the
 * one before it, or the number of fields. */
uint32_t wl_wire_message_make(wl_wire_message *message, const void *fields, size_t width);

unsigned wl_wire_of_kind(unsigned kind);

static inline bool wl_is_signed_kind(unsigned kind) {
    return kind == WL_KIND_INT64 || kind == WL_KIND_INT32 || kind == WL_KIND_ENUM || kind >= WL_KIND_SFIXED32;
}

#endif

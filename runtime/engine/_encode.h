/* encode() for Python: reads which columns fill which fields. Included by _module.c only. */
#ifndef WIRELOOM_ENCODE_SHIM_H
#define WIRELOOM_ENCODE_SHIM_H

#include <stdlib.h>

#include "_arguments.h"
#include "_checksums.h"

#define MOST_FIELDS 4096
#define KINDS 18

static const uint8_t kind_sizes[KINDS] = {1, 2, 2, 4, 4, 8, 8, 1, 2, 2, 4, 4, 8, 8, 4, 4, 8, 8};

/* Everything that encode() owns while it runs. */
typedef struct {
    borrowed held;
    wl_encode_field *fields;
    wl_encode_arguments arguments;
} encode_call;

static bool read_encode_field(encode_call *each, PyObject *entry, wl_encode_field *field) {
    PyObject *values;
    long long kind, holds, added;
    if (!PyTuple_Check(entry)) {
        PyErr_SetString(PyExc_TypeError, "a field is a tuple (kind, holds, values, added)");
        return false;
    }
    if (!PyArg_ParseTuple(entry, "LLOL", &kind, &holds, &values, &added))
        return false;
    if (kind < 0 || kind >= KINDS || holds < 0 || holds > WL_HOLDS_CHECKSUM) {
        PyErr_Format(PyExc_ValueError, "there is no kind %lld that holds %lld", kind, holds);
        return false;
    }
    field->kind = (unsigned)kind;
    field->holds = (unsigned)holds;
    field->added = added;
    if (field->holds != WL_HOLDS_COLUMN)
        return true;
    size_t size = each->arguments.rows * kind_sizes[field->kind];
    field->values = borrow(&each->held, values, false, size, "a field's values", NULL);
    return field->values != NULL;
}

static bool read_encode_fields(encode_call *each, PyObject *fields) {
    if (!PyTuple_Check(fields) || PyTuple_Size(fields) > MOST_FIELDS)
        return PyErr_Format(PyExc_ValueError, "fields must be a tuple of at most %d entries", MOST_FIELDS), false;
    size_t count = (size_t)PyTuple_Size(fields);
    each->held.views = PyMem_Malloc((count + 3) * sizeof *each->held.views);
    each->fields = calloc(count + 1, sizeof *each->fields);
    if (!each->held.views || !each->fields)
        return PyErr_NoMemory(), false;
    each->arguments.fields = each->fields;
    each->arguments.field_count = count;
    for (size_t i = 0; i < count; i++) {
        if (!read_encode_field(each, PyTuple_GetItem(fields, (Py_ssize_t)i), each->fields + i))
            return false;
    }
    return true;
}

static bool read_encode_bytes(encode_call *each, PyObject *offsets, PyObject *data) {
    wl_encode_arguments *arguments = &each->arguments;
    if (offsets == Py_None)
        return true;
    arguments->offsets = borrow(&each->held, offsets, false, (arguments->rows + 1) * 4, "the offsets", NULL);
    if (!arguments->offsets)
        return false;
    arguments->data = borrow(&each->held, data, false, 0, "the data", &arguments->data_size);
    return arguments->data != NULL;
}

/* The checksum: None, or (function, replace, begin, end); an end of -1 is the end of the row. */
static bool read_encode_checksum(wl_encode_arguments *arguments, PyObject *checksum) {
    PyObject *function;
    unsigned char replace;
    Py_ssize_t begin, end;
    if (checksum == Py_None)
        return true;
    if (!PyTuple_Check(checksum))
        return PyErr_SetString(PyExc_TypeError, "the checksum must be None or a tuple"), false;
    if (!PyArg_ParseTuple(checksum, "Obnn", &function, &replace, &begin, &end))
        return false;
    arguments->algorithm = algorithm_of_function(function);
    if (!arguments->algorithm)
        return false;
    if (arguments->algorithm->digest || begin < 0 || end < -1)
        return PyErr_SetString(PyExc_ValueError, "there is no such checksum"), false;
    arguments->replace = replace;
    arguments->begin = (size_t)begin;
    arguments->end = end < 0 ? SIZE_MAX : (size_t)end;
    return true;
}

static bool read_encode_frame(wl_encode_arguments *arguments, const char *delimiter, Py_ssize_t size,
                              const char *stuffing, Py_ssize_t stuffing_size, Py_ssize_t padding,
                              Py_ssize_t max_record) {
    if (size > 4 || !wl_stuffing_read(&arguments->stuffing, (const uint8_t *)stuffing, (size_t)stuffing_size) ||
        padding < 0 || padding > INT32_MAX || max_record < 1 || max_record > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "a delimiter has at most 4 bytes, stuffing is as packed, padding must not be "
                                          "negative, max_record must be 1 to 2147483647");
        return false;
    }
    for (Py_ssize_t i = 0; i < size; i++)
        arguments->delimiter[i] = (uint8_t)delimiter[i];
    arguments->delimiter_size = (size_t)size;
    arguments->padding = (size_t)padding;
    arguments->max_record = (size_t)max_record;
    return true;
}

static PyObject *engine_encode(PyObject *module, PyObject *positional, PyObject *keywords) {
    static char *names[] = {"fields",    "offsets",  "data",    "first",      "rows", "checksum",
                            "delimiter", "stuffing", "padding", "max_record", "out",  NULL};
    PyObject *fields, *offsets, *data, *checksum, *out;
    Py_ssize_t first, rows, padding, max_record, size, stuffing_size;
    const char *delimiter, *stuffing;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(positional, keywords, "OOOnnOy#y#nnO:encode", names, &fields, &offsets, &data,
                                     &first, &rows, &checksum, &delimiter, &size, &stuffing, &stuffing_size,
                                     &padding, &max_record, &out))
        return NULL;
    if (first < 0 || rows < first || rows > INT32_MAX)
        return PyErr_SetString(PyExc_ValueError, "rows must be 0 to 2147483647, and first not larger"), NULL;
    encode_call each = {.arguments = {.rows = (size_t)rows}};
    PyObject *answer = NULL;
    uint8_t *target = NULL;
    size_t room = 0;
    if (read_encode_fields(&each, fields) && read_encode_bytes(&each, offsets, data) &&
        read_encode_checksum(&each.arguments, checksum) &&
        read_encode_frame(&each.arguments, delimiter, size, stuffing, stuffing_size, padding, max_record) &&
        (target = borrow(&each.held, out, true, 0, "the output", &room))) {
        wl_encode_result result;
        bool memory;
        Py_BEGIN_ALLOW_THREADS;
        memory = wl_encode(&each.arguments, (size_t)first, target, room, &result);
        Py_END_ALLOW_THREADS;
        answer = memory ? Py_BuildValue("(nnin)", (Py_ssize_t)result.rows, (Py_ssize_t)result.size, result.status,
                                        (Py_ssize_t)result.needed)
                        : PyErr_NoMemory();
    }
    give_back(&each.held);
    free(each.fields);
    return answer;
}

#endif

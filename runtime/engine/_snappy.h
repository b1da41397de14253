/* expand_snappy() for Python: a block of Snappy or S2. Included by _module.c only. */
#ifndef WIRELOOM_SNAPPY_SHIM_H
#define WIRELOOM_SNAPPY_SHIM_H

#include "_arguments.h"
#include "snappy.h"

/* Releasing the GIL costs more than a content of that many bytes. */
enum { SNAPPY_HOLDS_LOCK = 1 << 13 };

static PyObject *engine_expand_snappy(PyObject *module, PyObject *arguments) {
    Py_buffer data;
    Py_ssize_t limit;
    int repeats;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*np:expand_snappy", &data, &limit, &repeats))
        return NULL;
    PyObject *answer = NULL;
    size_t begin, size = wl_snappy_size(data.buf, (size_t)data.len, repeats, &begin);
    if (size == WL_NOT_FOUND) {
        PyErr_Format(PyExc_ValueError, "it states no size that %zd bytes could have", data.len);
    } else if (limit < 0 || size > (size_t)limit) {
        PyErr_Format(PyExc_OverflowError, "%zu bytes are more than the limit of %zd", size, limit);
    } else if ((answer = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size)) != NULL) {
        const uint8_t *elements = (const uint8_t *)data.buf + begin;
        uint8_t *content = (uint8_t *)PyBytes_AsString(answer);
        bool holds;
        if (size <= SNAPPY_HOLDS_LOCK) {
            holds = wl_snappy_expand(elements, (size_t)data.len - begin, repeats, content, size);
        } else {
            Py_BEGIN_ALLOW_THREADS;
            holds = wl_snappy_expand(elements, (size_t)data.len - begin, repeats, content, size);
            Py_END_ALLOW_THREADS;
        }
        if (!holds) {
            Py_CLEAR(answer);
            PyErr_Format(PyExc_ValueError, "its elements do not give %zu bytes", size);
        }
    }
    PyBuffer_Release(&data);
    return answer;
}

/* The content of records, their offsets in it, and the reasons of those that have none. */
static PyObject *expanded_records(const wl_snappy_records *records) {
    PyObject *reasons = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)records->count), *answer = NULL;
    PyObject *ends = PyBytes_FromStringAndSize(NULL, 4 * (Py_ssize_t)(records->count + 1)), *content = NULL;
    size_t room = WL_NOT_FOUND;
    if (reasons && ends) {
        room = wl_snappy_records_room(records, (uint8_t *)PyBytes_AsString(reasons));
        if (room > INT32_MAX)
            PyErr_SetString(PyExc_ValueError, "the offsets of the records, or the sizes of their contents, are too large");
        else
            content = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)room);
    }
    if (content) {
        uint8_t *to = (uint8_t *)PyBytes_AsString(content), *to_ends = (uint8_t *)PyBytes_AsString(ends);
        uint8_t *to_reasons = (uint8_t *)PyBytes_AsString(reasons);
        Py_BEGIN_ALLOW_THREADS;
        wl_snappy_records_expand(records, to_reasons, to, to_ends);
        Py_END_ALLOW_THREADS;
        answer = PyTuple_Pack(3, content, ends, reasons);
    }
    Py_XDECREF(content);
    Py_XDECREF(ends);
    Py_XDECREF(reasons);
    return answer;
}

static PyObject *engine_expand_records(PyObject *module, PyObject *arguments) {
    Py_buffer compressed, ends, data;
    Py_ssize_t limit;
    PyObject *answer = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*n:expand_records", &compressed, &ends, &data, &limit))
        return NULL;
    if (limit < 0 || (size_t)ends.len / 4 <= (size_t)compressed.len) {
        PyErr_Format(PyExc_ValueError, "the offsets of %zd records have %zd bytes", compressed.len, ends.len);
    } else {
        const wl_snappy_records records = {
            .compressed = compressed.buf,
            .count = (size_t)compressed.len,
            .ends = ends.buf,
            .data = data.buf,
            .data_size = (size_t)data.len,
            .limit = (size_t)limit,
        };
        answer = expanded_records(&records);
    }
    PyBuffer_Release(&compressed);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&data);
    return answer;
}

#endif

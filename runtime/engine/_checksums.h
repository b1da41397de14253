/* crc32c() and crc32() for Python, which generated objects call once each: what they cost besides the checksum itself
 * counts. Included by _module.c alone. */
#ifndef WIRELOOM_CHECKSUMS_SHIM_H
#define WIRELOOM_CHECKSUMS_SHIM_H

#include "engine.h"

/* Letting go of the GIL costs more than the checksum of a few bytes. */
enum { CHECKSUM_HOLDS_LOCK = 1 << 14 };

typedef uint32_t (*checksum_function)(uint32_t, const uint8_t *, size_t);

static PyObject *checksum_of(const void *data, Py_ssize_t size, uint32_t value, checksum_function update) {
    uint32_t state;
    if (size <= CHECKSUM_HOLDS_LOCK) {
        state = ~update(~value, data, (size_t)size);
    } else {
        Py_BEGIN_ALLOW_THREADS;
        state = ~update(~value, data, (size_t)size);
        Py_END_ALLOW_THREADS;
    }
    return PyLong_FromUnsignedLong(state);
}

/* The arguments are the data and, where there are two, the checksum of what comes before it. */
static PyObject *checksum(PyObject *const *arguments, Py_ssize_t count, checksum_function update) {
    if (count != 1 && count != 2)
        return PyErr_Format(PyExc_TypeError, "a checksum takes 1 or 2 arguments, not %zd", count), NULL;
    uint32_t value = 0;
    if (count == 2) {
        value = (uint32_t)PyLong_AsUnsignedLongMask(arguments[1]);
        if (PyErr_Occurred())
            return NULL;
    }
    if (PyBytes_CheckExact(arguments[0]))
        return checksum_of(PyBytes_AsString(arguments[0]), PyBytes_Size(arguments[0]), value, update);
    Py_buffer data;
    if (PyObject_GetBuffer(arguments[0], &data, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *answer = checksum_of(data.buf, data.len, value, update);
    PyBuffer_Release(&data);
    return answer;
}

static const char crc32c_doc[] = "crc32c(data, value=0, /)\n--\n\n"
                                 "Standard CRC-32C of data; value is the checksum of what comes before it.";

static PyObject *engine_crc32c(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return checksum(arguments, count, wl_crc32c_update);
}

static const char crc32_doc[] = "crc32(data, value=0, /)\n--\n\n"
                                "zlib's CRC-32 of data; value is the checksum of what comes before it.";

static PyObject *engine_crc32(PyObject *module, PyObject *const *arguments, Py_ssize_t count) {
    (void)module;
    return checksum(arguments, count, wl_crc32_update);
}

#endif

/* md5_many() for Python: reads which parts of the source are messages. Included by _module.c only. */
#ifndef WIRELOOM_MD5_SHIM_H
#define WIRELOOM_MD5_SHIM_H

#include <stdlib.h>
#include <string.h>

#include "engine.h"

/* The messages of one call; both arrays are one allocation, freed by the caller through `data`. */
typedef struct {
    const uint8_t **data;
    size_t *sizes;
    size_t count;
} md5_messages;

/* `begins` and `sizes` are uint64 (or int64, whose negative numbers lie beyond every source). They are copied first,
 * since another thread may write to the buffers in the meantime. False with an error set. */
static bool read_md5_messages(md5_messages *found, const Py_buffer *source, const Py_buffer *begins,
                              const Py_buffer *sizes) {
    if (begins->len != sizes->len || begins->len % 8) {
        PyErr_Format(PyExc_ValueError,
                     "begins has %zd bytes and sizes %zd: both must be 8 bytes per message, the same number in each",
                     begins->len, sizes->len);
        return false;
    }
    found->count = (size_t)begins->len / 8;
    found->data = malloc(found->count * (sizeof *found->data + sizeof *found->sizes) + 1);
    if (!found->data)
        return PyErr_NoMemory(), false;
    found->sizes = (size_t *)(void *)(found->data + found->count);
    for (size_t i = 0; i < found->count; i++) {
        uint64_t begin, size, end = (uint64_t)source->len;
        memcpy(&begin, (const uint8_t *)begins->buf + 8 * i, sizeof begin);
        memcpy(&size, (const uint8_t *)sizes->buf + 8 * i, sizeof size);
        if (begin > end || size > end - begin) {
            PyErr_Format(PyExc_ValueError, "message %zu: %lld bytes at %lld are not within the source's %zd bytes", i,
                         (long long)size, (long long)begin, source->len);
            return false;
        }
        found->data[i] = (const uint8_t *)source->buf + begin;
        found->sizes[i] = (size_t)size;
    }
    return true;
}

static PyObject *engine_md5_many(PyObject *module, PyObject *arguments) {
    Py_buffer source, begins, sizes;
    md5_messages found = {NULL, NULL, 0};
    PyObject *answer = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*:md5_many", &source, &begins, &sizes))
        return NULL;
    if (read_md5_messages(&found, &source, &begins, &sizes))
        answer = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(16 * found.count));
    if (answer) {
        uint8_t(*digests)[16] = (uint8_t(*)[16])(void *)PyBytes_AsString(answer);
        Py_BEGIN_ALLOW_THREADS;
        wl_md5_many(found.data, found.sizes, found.count, digests);
        Py_END_ALLOW_THREADS;
    }
    free(found.data);
    PyBuffer_Release(&source);
    PyBuffer_Release(&begins);
    PyBuffer_Release(&sizes);
    return answer;
}

#endif

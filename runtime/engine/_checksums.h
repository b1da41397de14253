/* The checksum functions for Python. Generated objects call them once per checksum, so their overhead matters. Included
 * by _module.c only. */
#ifndef WIRELOOM_CHECKSUMS_SHIM_H
#define WIRELOOM_CHECKSUMS_SHIM_H

#include <stdlib.h>

#include "engine.h"

/* Releasing the GIL costs more than the checksum of a few bytes. */
enum { CHECKSUM_HOLDS_LOCK = 1 << 14 };

static const char checksum_name[] = "wireloom.engine.checksum";

typedef struct {
    uint64_t state;
    uint8_t digest[WL_MOST_DIGEST];
} checksum_result;

static void compute_checksum(const wl_algorithm *algorithm, const void *data, size_t size, checksum_result *result) {
    if (algorithm->digest)
        algorithm->digest(data, size, result->digest);
    else
        result->state = algorithm->update(result->state, data, size, algorithm->tables);
}

static PyObject *checksum_of(const wl_algorithm *algorithm, const void *data, Py_ssize_t size, uint64_t state) {
    checksum_result result = {.state = state};
    if (size <= CHECKSUM_HOLDS_LOCK) {
        compute_checksum(algorithm, data, (size_t)size, &result);
    } else {
        Py_BEGIN_ALLOW_THREADS;
        compute_checksum(algorithm, data, (size_t)size, &result);
        Py_END_ALLOW_THREADS;
    }
    if (algorithm->digest)
        return PyBytes_FromStringAndSize((const char *)result.digest, (Py_ssize_t)algorithm->digest_size);
    return PyLong_FromUnsignedLongLong(wl_sum_of_state(algorithm, result.state));
}

/* The arguments are the data and optionally the checksum of the preceding bytes. */
static PyObject *engine_checksum_call(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    const wl_algorithm *algorithm = PyCapsule_GetPointer(self, checksum_name);
    if (count != 1 && (count != 2 || algorithm->digest))
        return PyErr_Format(PyExc_TypeError, "a checksum takes 1 or 2 arguments, a digest 1, not %zd", count), NULL;
    uint64_t state = algorithm->initial;
    if (count == 2) {
        state = wl_state_of_sum(algorithm, PyLong_AsUnsignedLongLongMask(arguments[1]));
        if (PyErr_Occurred())
            return NULL;
    }
    if (PyBytes_CheckExact(arguments[0]))
        return checksum_of(algorithm, PyBytes_AsString(arguments[0]), PyBytes_Size(arguments[0]), state);
    Py_buffer data;
    if (PyObject_GetBuffer(arguments[0], &data, PyBUF_SIMPLE) < 0)
        return NULL;
    PyObject *answer = checksum_of(algorithm, data.buf, data.len, state);
    PyBuffer_Release(&data);
    return answer;
}

static PyMethodDef checksum_method = {"checksum", (PyCFunction)(void (*)(void))engine_checksum_call, METH_FASTCALL,
                                      "checksum($self, data, value=0, /)\n--\n\n"
                                      "The checksum of data; value is that of what comes before it."};

static void free_checksum(PyObject *capsule) {
    wl_algorithm *algorithm = PyCapsule_GetPointer(capsule, checksum_name);
    if (algorithm)
        wl_algorithm_free(algorithm);
    free(algorithm);
}

/* The algorithm of a function that checksum() returned; NULL, with an error set, for other objects. */
static const wl_algorithm *algorithm_of_function(PyObject *function) {
    PyObject *self = PyCFunction_Check(function) ? PyCFunction_GetSelf(function) : NULL;
    if (!self || !PyCapsule_IsValid(self, checksum_name))
        return PyErr_SetString(PyExc_TypeError, "the checksum's function is none of the engine's"), NULL;
    return PyCapsule_GetPointer(self, checksum_name);
}

/* Returns a function for packed parameters. */
static PyObject *engine_checksum(PyObject *module, PyObject *packed) {
    char *bytes;
    Py_ssize_t size;
    (void)module;
    if (PyBytes_AsStringAndSize(packed, &bytes, &size) < 0)
        return NULL;
    wl_sum_parameters parameters = {0};
    if (size == WL_PACKED_PARAMETERS)
        parameters = wl_sum_parameters_read((const uint8_t *)bytes);
    if (!wl_sum_parameters_hold(&parameters))
        return PyErr_SetString(PyExc_ValueError, "there is no such checksum"), NULL;
    wl_algorithm *algorithm = calloc(1, sizeof *algorithm);
    if (!algorithm || !wl_algorithm_make(algorithm, &parameters)) {
        free(algorithm);
        return PyErr_NoMemory();
    }
    PyObject *self = PyCapsule_New(algorithm, checksum_name, free_checksum);
    if (!self) {
        wl_algorithm_free(algorithm);
        free(algorithm);
        return NULL;
    }
    PyObject *function = PyCFunction_NewEx(&checksum_method, self, NULL);
    Py_DECREF(self);
    return function;
}

#endif

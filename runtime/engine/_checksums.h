/* The checksum functions for Python, which generated objects call once each: what they cost besides the checksum itself
 * counts. Included by _module.c alone. */
#ifndef WIRELOOM_CHECKSUMS_SHIM_H
#define WIRELOOM_CHECKSUMS_SHIM_H

#include "engine.h"

/* Letting go of the GIL costs more than the checksum of a few bytes. */
enum { CHECKSUM_HOLDS_LOCK = 1 << 14 };

static PyObject *checksum_of(const wl_algorithm *algorithm, const void *data, Py_ssize_t size, uint32_t state) {
    wl_crc_function update = *algorithm->update;
    if (size <= CHECKSUM_HOLDS_LOCK) {
        state = update(state, data, (size_t)size);
    } else {
        Py_BEGIN_ALLOW_THREADS;
        state = update(state, data, (size_t)size);
        Py_END_ALLOW_THREADS;
    }
    return PyLong_FromUnsignedLong(state ^ algorithm->final_xor);
}

/* The arguments are the data and, where there are two, the checksum of what comes before it. */
static PyObject *engine_checksum(PyObject *self, PyObject *const *arguments, Py_ssize_t count) {
    const wl_algorithm *algorithm = PyCapsule_GetPointer(self, NULL);
    if (count != 1 && count != 2)
        return PyErr_Format(PyExc_TypeError, "a checksum takes 1 or 2 arguments, not %zd", count), NULL;
    uint32_t state = algorithm->initial;
    if (count == 2) {
        state = (uint32_t)PyLong_AsUnsignedLongMask(arguments[1]) ^ algorithm->final_xor;
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

static PyMethodDef checksum_method = {"checksum", (PyCFunction)(void (*)(void))engine_checksum, METH_FASTCALL,
                                      "checksum($self, data, value=0, /)\n--\n\n"
                                      "The standard checksum of data; value is that of what comes before it."};

/* A dictionary: the number of each algorithm, and its function. */
static PyObject *checksum_functions(void) {
    PyObject *functions = PyDict_New();
    for (const wl_algorithm *const *each = wl_algorithms; functions && *each; each++) {
        PyObject *self = PyCapsule_New((void *)*each, NULL, NULL);
        PyObject *function = self ? PyCFunction_NewEx(&checksum_method, self, NULL) : NULL;
        PyObject *number = function ? PyLong_FromUnsignedLong((*each)->number) : NULL;
        if (!number || PyDict_SetItem(functions, number, function) < 0)
            Py_CLEAR(functions);
        Py_XDECREF(number);
        Py_XDECREF(function);
        Py_XDECREF(self);
    }
    return functions;
}

#endif

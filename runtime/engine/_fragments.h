/* The joining of fragments for Python. Included by _module.c only, which owns Python.h. */
#ifndef WIRELOOM_FRAGMENTS_SHIM_H
#define WIRELOOM_FRAGMENTS_SHIM_H

#include "_arguments.h"
#include "fragments.h"

static PyObject *engine_join_fragments(PyObject *module, PyObject *arguments) {
    Py_buffer roles, places, ends, to_places, to_ends;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*w*w*:join_fragments", &roles, &places, &ends, &to_places, &to_ends))
        return NULL;
    const size_t count = (size_t)roles.len;
    const bool fits = (size_t)places.len / 8 >= count && (size_t)ends.len / 4 > count &&
                      (size_t)to_places.len / 8 >= count && (size_t)to_ends.len / 4 > count;
    wl_joined_fragments joined = {0, 0};
    if (fits) {
        const wl_fragments fragments = {roles.buf, count, places.buf, ends.buf};
        Py_BEGIN_ALLOW_THREADS;
        joined = wl_join_fragments(&fragments, to_places.buf, to_ends.buf);
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&roles);
    PyBuffer_Release(&places);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&to_places);
    PyBuffer_Release(&to_ends);
    if (!fits)
        return PyErr_Format(PyExc_ValueError, "the other buffers are too small for %zu fragments", count);
    return Py_BuildValue("(nn)", (Py_ssize_t)joined.fragments, (Py_ssize_t)joined.records);
}

#endif

/* The repetition of elements for Python. Included by _module.c only, which owns Python.h. */
#ifndef WIRELOOM_REPEAT_SHIM_H
#define WIRELOOM_REPEAT_SHIM_H

#include "_arguments.h"
#include "repeat.h"

static PyObject *refuse_repeating(void) {
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the repeated elements do not exist, or there is no room for them");
    return NULL;
}

/* Returns the runs in `view` as their number and an aligned copy, which the caller frees. */
static wl_repeat_run *copy_runs(const Py_buffer *view, size_t *count) {
    *count = (size_t)view->len / sizeof(wl_repeat_run);
    wl_repeat_run *runs = malloc(*count * sizeof *runs + 1);
    if (!runs)
        return PyErr_NoMemory(), NULL;
    if (*count)
        memcpy(runs, view->buf, *count * sizeof *runs);
    return runs;
}

static PyObject *engine_repeat_runs(PyObject *module, PyObject *places) {
    Py_buffer view;
    (void)module;
    if (PyObject_GetBuffer(places, &view, PyBUF_SIMPLE) < 0)
        return NULL;
    size_t count = (size_t)view.len / 4, made = wl_repeat_runs(view.buf, count, NULL);
    wl_repeat_run *runs = malloc(made * sizeof *runs + 1);
    if (runs)
        wl_repeat_runs(view.buf, count, runs);
    PyBuffer_Release(&view);
    PyObject *answer = runs ? PyBytes_FromStringAndSize((char *)runs, (Py_ssize_t)(made * sizeof *runs))
                            : PyErr_NoMemory();
    free(runs);
    return answer;
}

static PyObject *engine_repeat_inner(PyObject *module, PyObject *arguments) {
    Py_buffer given, offsets;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*:repeat_inner", &given, &offsets))
        return NULL;
    size_t count = 0;
    uint64_t total = 0;
    wl_repeat_run *runs = copy_runs(&given, &count);
    PyObject *answer = NULL;
    if (runs && (offsets.len < 4 ||
                 !wl_repeat_inner(runs, count, offsets.buf, (size_t)offsets.len / 4 - 1, runs, &total)))
        refuse_repeating();
    else if (runs)
        answer = Py_BuildValue("(y#K)", (char *)runs, (Py_ssize_t)(count * sizeof *runs), (unsigned long long)total);
    free(runs);
    PyBuffer_Release(&given);
    PyBuffer_Release(&offsets);
    return answer;
}

static PyObject *engine_repeat_weigh(PyObject *module, PyObject *arguments) {
    Py_buffer given, weights;
    Py_ssize_t width;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*nw*:repeat_weigh", &given, &width, &weights))
        return NULL;
    size_t count = 0;
    wl_repeat_run *runs = copy_runs(&given, &count);
    PyObject *answer = NULL;
    if (runs && width >= 0 && (size_t)weights.len / sizeof(uint64_t) >= count)
        answer = PyLong_FromUnsignedLongLong(wl_repeat_weigh(runs, count, (size_t)width, weights.buf));
    else
        refuse_repeating();
    free(runs);
    PyBuffer_Release(&given);
    PyBuffer_Release(&weights);
    return answer;
}

/* `width` 0: offsets. */
static PyObject *engine_repeat(PyObject *module, PyObject *arguments) {
    Py_buffer given, values, to;
    Py_ssize_t width;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*nw*:repeat", &given, &values, &width, &to))
        return NULL;
    size_t count = 0;
    wl_repeat_run *runs = copy_runs(&given, &count);
    bool good = runs && width >= 0 && (width || values.len >= 4);
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        const size_t size = (size_t)values.len, room = (size_t)to.len;
        good = width ? wl_repeat_values(runs, count, values.buf, size, (size_t)width, to.buf, room)
                     : wl_repeat_offsets(runs, count, values.buf, size / 4 - 1, to.buf, room / 4);
        Py_END_ALLOW_THREADS;
    }
    free(runs);
    PyBuffer_Release(&given);
    PyBuffer_Release(&values);
    PyBuffer_Release(&to);
    return good ? Py_NewRef(Py_None) : refuse_repeating();
}

#endif

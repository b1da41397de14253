/* compute() for Python: columns from other columns. Included by _module.c only. */
#ifndef WIRELOOM_COMPUTE_H
#define WIRELOOM_COMPUTE_H

#include "_arena.h"
#include "bytes.h"
#include "program.h"

#define INPUT_BUFFERS 4

/* A part of an array that may be absent: *at is then NULL. */
static bool read_part(call *each, PyObject *part, const uint8_t **at, size_t *size) {
    *at = NULL;
    *size = 0;
    return part == Py_None || (*at = borrow(&each->held, part, false, 0, "an array", size)) != NULL;
}

/* Number of elements from `first` on, of which there are `count`. */
static size_t count_from(size_t count, size_t first) { return first < count ? count - first : 0; }

/* (kind, first, validity, values, data, lists, first list), as in wl_input. */
static bool read_input(call *each, PyObject *parts, wl_input *input) {
    Py_ssize_t first, lists_first;
    PyObject *validity, *values, *data, *lists;
    size_t size;
    if (!PyArg_ParseTuple(parts, "InOOOOn;an array is a tuple of its kind, its first element and its buffers", &input->kind,
                          &first, &validity, &values, &data, &lists, &lists_first))
        return false;
    if (first < 0 || lists_first < 0 || input->kind >= WL_INPUT_KINDS || input->kind == WL_F4LE || input->kind == WL_F4BE ||
        input->kind == WL_F8LE || input->kind == WL_F8BE)
        return PyErr_SetString(PyExc_ValueError, "this is no array of integers, booleans, bytes or lists"), false;
    input->first = (size_t)first;
    input->lists_first = (size_t)lists_first;
    if (!read_part(each, values, &input->values, &size))
        return false;
    if (input->kind == WL_INPUT_BITS)
        size = 8 * wl_smaller(size, SIZE_MAX / 8);
    else if (input->kind > WL_INPUT_BITS)
        size = size / 4 ? size / 4 - 1 : 0;
    else
        size /= wl_kind_size(input->kind);
    input->length = count_from(size, input->first);
    if (!read_part(each, validity, &input->validity, &size))
        return false;
    if (input->validity)
        input->length = wl_smaller(input->length, count_from(8 * wl_smaller(size, SIZE_MAX / 8), input->first));
    if (!read_part(each, data, &input->data, &input->data_size) || !read_part(each, lists, &input->lists, &size))
        return false;
    input->list_count = size / 4 ? count_from(size / 4 - 1, input->lists_first) : 0;
    return true;
}

static bool read_inputs(call *each, PyObject *parts, wl_input *inputs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!read_input(each, PyTuple_GetItem(parts, (Py_ssize_t)i), inputs + i))
            return false;
    }
    each->arguments.inputs = inputs;
    each->arguments.input_count = count;
    return true;
}

/* Of all columns, of `rows` rows from number `first` on: the status and the number of rows, the number of bytes that a row
 * needs for which there is no room, null counts, and numbers of data bytes. */
static PyObject *engine_compute(PyObject *module, PyObject *arguments) {
    PyObject *program_given, *parts, *wanted, *arena, *data, *answer = NULL;
    Py_ssize_t first, rows;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!nnOOO:compute", program_type, &program_given, &PyTuple_Type, &parts, &first, &rows,
                          &wanted, &arena, &data))
        return NULL;
    const wl_program *program = ((program_object *)program_given)->program;
    const size_t count = (size_t)PyTuple_Size(parts), columns = wl_program_columns(program);
    if (first < 0 || program->has_rows || program->level_count || program->input_register_count ||
        program->delimiter_size)
        return PyErr_SetString(PyExc_ValueError, "this is no program of rows of arrays"), NULL;
    call each = {.held = {NULL, 0}};
    arena_layout layout;
    wl_input *inputs = calloc(count + 1, sizeof *inputs);
    PyObject *input_registers = PyTuple_New(0);
    if (inputs && input_registers && make_call(&each, program, input_registers, count * INPUT_BUFFERS) &&
        arena_read_layout(&each.held, &layout, program, wanted, rows, false, WITHOUT_LISTS) &&
        arena_read_outputs(&each, &layout, arena, data) && read_inputs(&each, parts, inputs, count)) {
        wl_fill_result result = {.null_counts = each.counts, .data_used = each.counts + columns};
        bool memory;
        each.arguments.begin = (size_t)first;
        each.arguments.max_items = SIZE_MAX / 2;
        Py_BEGIN_ALLOW_THREADS;
        memory = wl_fill_computed(program, &each.arguments, &result);
        Py_END_ALLOW_THREADS;
        answer = !memory ? PyErr_NoMemory()
                         : Py_BuildValue("(innNN)", result.status, (Py_ssize_t)result.rows, (Py_ssize_t)result.needed,
                                         tuple_of(result.null_counts, columns), tuple_of(result.data_used, columns));
    } else if (!inputs) {
        PyErr_NoMemory();
    }
    release(&each);
    free(inputs);
    Py_XDECREF(input_registers);
    return answer;
}

#endif

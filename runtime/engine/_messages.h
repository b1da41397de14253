/* Message programs and fill_messages() for Python. Included by _module.c only, which owns Python.h. */
#ifndef WIRELOOM_MESSAGES_SHIM_H
#define WIRELOOM_MESSAGES_SHIM_H

#include "_arguments.h"
#include "bytes.h"
#include "message.h"

typedef struct {
    PyObject_HEAD wl_message_program *program;
} message_program_object;

static PyObject *message_program_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"packed", NULL};
    char message[256];
    Py_buffer packed;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y*:MessageProgram", names, &packed))
        return NULL;
    wl_message_program *program = wl_message_program_load(packed.buf, (size_t)packed.len, message, sizeof message);
    PyBuffer_Release(&packed);
    if (!program)
        return PyErr_SetString(PyExc_ValueError, message), NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    message_program_object *self = (message_program_object *)allocate(type, 0);
    if (!self) {
        wl_message_program_free(program);
        return NULL;
    }
    self->program = program;
    return (PyObject *)self;
}

static void message_program_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    wl_message_program_free(((message_program_object *)self)->program);
    freefunc release_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_object(self);
    Py_DECREF(type);
}

static PyType_Slot message_program_slots[] = {
    {Py_tp_doc, (void *)"MessageProgram(packed)\n--\n\nA message program that has been checked. Threads may share it."},
    {Py_tp_new, (void *)message_program_new},
    {Py_tp_dealloc, (void *)message_program_dealloc},
    {0, NULL},
};

static PyType_Spec message_program_spec = {
    .name = "wireloom.engine._engine.MessageProgram",
    .basicsize = sizeof(message_program_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = message_program_slots,
};

static PyTypeObject *message_program_type; /* set once at import, before any other thread can see the module */

/* The fill level of a vector as stored in the caller's memory: three uint64. */
typedef struct {
    uint64_t length;
    uint64_t used;
    uint64_t nulls;
} vector_state;

/* Everything that fill_messages() owns while it runs. */
typedef struct {
    borrowed held;
    wl_vector *vectors;
    uint8_t *state; /* vector_state per vector, not aligned */
    wl_messages_arguments arguments;
} message_call;

static bool read_vector(message_call *each, PyObject *entry, unsigned storage, size_t number, wl_vector *vector) {
    size_t size = 0;
    vector_state state;
    if (!PyTuple_Check(entry) || PyTuple_Size(entry) != 3)
        return PyErr_SetString(PyExc_ValueError, "a vector must be a tuple of three buffers"), false;
    vector->validity = borrow(&each->held, PyTuple_GetItem(entry, 0), true, 0, "a validity bitmap", &size);
    if (!vector->validity)
        return false;
    vector->capacity = wl_smaller(size, INT32_MAX / 8) * 8;
    if (storage != WL_STRUCT) {
        bool offsets = storage == WL_VARIABLE || storage == WL_LIST;
        vector->values = borrow(&each->held, PyTuple_GetItem(entry, 1), true, offsets ? 4 : 0, "values", &size);
        if (!vector->values)
            return false;
        vector->capacity = wl_smaller(vector->capacity, offsets ? size / 4 - 1 : size / storage);
    }
    if (storage == WL_VARIABLE) {
        vector->data = borrow(&each->held, PyTuple_GetItem(entry, 2), true, 0, "a data buffer", &vector->data_size);
        if (!vector->data)
            return false;
        vector->data_size = wl_smaller(vector->data_size, INT32_MAX);
    }
    memcpy(&state, each->state + number * sizeof state, sizeof state);
    if (state.length > vector->capacity || state.used > vector->data_size || state.nulls > state.length)
        return PyErr_Format(PyExc_ValueError, "vector %zu holds less than its state says", number), false;
    vector->length = (size_t)state.length;
    vector->used = (size_t)state.used;
    vector->nulls = (size_t)state.nulls;
    return true;
}

static bool read_vectors(message_call *each, const wl_message_program *program, PyObject *buffers, PyObject *state) {
    size_t count = wl_message_program_vectors(program);
    if (!PyTuple_Check(buffers) || (size_t)PyTuple_Size(buffers) != count)
        return PyErr_Format(PyExc_ValueError, "vectors must be a tuple of %zu entries", count), false;
    each->held.views = PyMem_Malloc((count * 3 + 6) * sizeof *each->held.views);
    each->vectors = calloc(count + 1, sizeof *each->vectors);
    if (!each->held.views || !each->vectors)
        return PyErr_NoMemory(), false;
    each->state = borrow(&each->held, state, true, count * sizeof(vector_state), "the state", NULL);
    if (!each->state)
        return false;
    for (size_t i = 0; i < count; i++) {
        PyObject *entry = PyTuple_GetItem(buffers, (Py_ssize_t)i);
        if (!read_vector(each, entry, wl_message_program_storage(program, i), i, each->vectors + i))
            return false;
    }
    each->arguments.vectors = each->vectors;
    return true;
}

static bool read_units(message_call *each, PyObject *source, PyObject *begins, PyObject *sizes, Py_ssize_t first,
                       Py_ssize_t count) {
    wl_messages_arguments *arguments = &each->arguments;
    /* Eight bytes are requested for each below, so the count must fit into memory. */
    if (first < 0 || count < first || count > PY_SSIZE_T_MAX / 8)
        return PyErr_Format(PyExc_ValueError, "[%zd, %zd) is no range of units", first, count), false;
    arguments->first = (size_t)first;
    arguments->count = (size_t)count;
    arguments->source = borrow(&each->held, source, false, 0, "the source", &arguments->source_size);
    arguments->begins =
        arguments->source ? borrow(&each->held, begins, false, (size_t)count * 8, "begins", NULL) : NULL;
    arguments->sizes = arguments->begins ? borrow(&each->held, sizes, false, (size_t)count * 8, "sizes", NULL) : NULL;
    return arguments->sizes != NULL;
}

static bool read_notes(message_call *each, PyObject *counts, PyObject *problems) {
    wl_messages_arguments *arguments = &each->arguments;
    size_t size = 0, units = arguments->count - arguments->first;
    arguments->counts = borrow(&each->held, counts, true, units * 4, "counts", NULL);
    arguments->problems =
        arguments->counts ? borrow(&each->held, problems, true, sizeof(wl_unit_problem), "problems", &size) : NULL;
    arguments->problem_capacity = size / sizeof(wl_unit_problem);
    return arguments->problems != NULL;
}

static void write_state(message_call *each, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const wl_vector *vector = each->vectors + i;
        vector_state state = {vector->length, vector->used, vector->nulls};
        memcpy(each->state + i * sizeof state, &state, sizeof state);
    }
}

static PyObject *engine_fill_messages(PyObject *module, PyObject *positional, PyObject *keywords) {
    static char *names[] = {"program",  "source", "begins",  "sizes", "first",  "count",    "verify", "null_rows",
                            "capacity", "bytes",  "vectors", "state", "counts", "problems", NULL};
    PyObject *given, *source, *begins, *sizes, *vectors, *state, *counts, *problems, *answer = NULL;
    Py_ssize_t first, count, capacity, bytes;
    int verify, null_rows;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(positional, keywords, "O!OOOnnppnnOOOO:fill_messages", names, message_program_type,
                                     &given, &source, &begins, &sizes, &first, &count, &verify, &null_rows, &capacity,
                                     &bytes, &vectors, &state, &counts, &problems))
        return NULL;
    const wl_message_program *program = ((message_program_object *)given)->program;
    message_call each = {.held = {NULL, 0}};
    if (capacity < 1 || bytes < 1)
        return PyErr_SetString(PyExc_ValueError, "capacity and bytes must be at least 1"), NULL;
    each.arguments.verify = verify;
    each.arguments.null_rows = null_rows;
    each.arguments.capacity = (size_t)capacity;
    each.arguments.bytes = (size_t)bytes;
    if (read_vectors(&each, program, vectors, state) && read_units(&each, source, begins, sizes, first, count) &&
        read_notes(&each, counts, problems)) {
        wl_messages_result result;
        bool memory;
        Py_BEGIN_ALLOW_THREADS;
        memory = wl_messages_fill(program, &each.arguments, &result);
        Py_END_ALLOW_THREADS;
        write_state(&each, wl_message_program_vectors(program));
        if (!memory)
            PyErr_NoMemory();
        else if (result.status == WL_MESSAGES_RANGE)
            PyErr_Format(PyExc_ValueError, "unit %zu is not within the source", (size_t)first + result.units);
        else
            answer = Py_BuildValue("(innnnnn)", result.status, (Py_ssize_t)result.units, (Py_ssize_t)result.rows,
                                   (Py_ssize_t)result.problems, (Py_ssize_t)result.vector, (Py_ssize_t)result.elements,
                                   (Py_ssize_t)result.data);
    }
    give_back(&each.held);
    free(each.vectors);
    return answer;
}

#endif

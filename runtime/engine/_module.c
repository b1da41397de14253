/* The CPython shim: parses arguments, borrows buffers, releases the GIL and calls the engine, nothing else. It uses the
 * limited API of Python 3.11, so one build serves every later Python except free-threaded ones, each of which needs its
 * own build. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "_arguments.h"
#include "_checksums.h"
#include "_decimals.h"
#include "_encode.h"
#include "_expanding.h"
#include "_fragments.h"
#include "_md5.h"
#include "_messages.h"
#include "_repeat.h"
#include "_snappy.h"
#include "_arena.h"

/* Program --------------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD wl_program *program;
} program_object;

static PyObject *program_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"packed", NULL};
    char message[256];
    Py_buffer packed;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y*:Program", names, &packed))
        return NULL;
    wl_program *program = wl_program_load(packed.buf, (size_t)packed.len, message, sizeof message);
    PyBuffer_Release(&packed);
    if (!program)
        return PyErr_SetString(PyExc_ValueError, message), NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    program_object *self = (program_object *)allocate(type, 0);
    if (!self) {
        wl_program_free(program);
        return NULL;
    }
    self->program = program;
    return (PyObject *)self;
}

static void program_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    wl_program_free(((program_object *)self)->program);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyType_Slot program_slots[] = {
    {Py_tp_doc, (void *)"Program(packed)\n--\n\nA column program that has been checked. Threads may share it."},
    {Py_tp_new, (void *)program_new},
    {Py_tp_dealloc, (void *)program_dealloc},
    {0, NULL},
};

static PyType_Spec program_spec = {
    .name = "wireloom.engine._engine.Program",
    .basicsize = sizeof(program_object),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = program_slots,
};

/* Results --------------------------------------------------------------------------------------------------------- */

static PyObject *tuple_of(const size_t *values, size_t count) {
    PyObject *tuple = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; tuple && i < count; i++) {
        PyObject *value = PyLong_FromSize_t(values[i]);
        if (!value || PyTuple_SetItem(tuple, (Py_ssize_t)i, value) < 0)
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *result_of(const wl_fill_result *result, size_t columns, size_t levels) {
    PyObject *nulls = tuple_of(result->null_counts, columns);
    PyObject *used = nulls ? tuple_of(result->data_used, columns) : NULL;
    PyObject *items = used ? tuple_of(result->items_used, levels) : NULL;
    if (!items) {
        Py_XDECREF(nulls);
        Py_XDECREF(used);
        return NULL;
    }
    return Py_BuildValue("(nnnniIKnnNNN(nnn))", (Py_ssize_t)result->rows, (Py_ssize_t)result->dropped, (Py_ssize_t)result->empty_frames, (Py_ssize_t)result->consumed, result->status,
                         (unsigned)result->reason, (unsigned long long)result->position, (Py_ssize_t)result->needed,
                         (Py_ssize_t)result->damage_count, nulls, used, items, (Py_ssize_t)result->unit_begin,
                         (Py_ssize_t)result->unit_rows, (Py_ssize_t)result->unit_damages);
}

/* All arguments have been borrowed. */
static PyObject *run_fill(call *each, const wl_program *program, PyObject *expand) {
    size_t count = wl_program_columns(program);
    wl_fill_result result = {
        .null_counts = each->counts, .data_used = each->counts + count, .items_used = each->counts + 2 * count};
    bool memory;
    expanding blocks;
    expanding_begin(&blocks, &each->arguments, expand);
    memory = wl_fill(program, &each->arguments, &result);
    if (!expanding_end(&blocks))
        return NULL;
    return memory ? result_of(&result, count, wl_program_levels(program)) : PyErr_NoMemory();
}

/* Functions ------------------------------------------------------------------------------------------------------- */

static PyTypeObject *program_type; /* set once at import, before any other thread can see the module */

static PyObject *engine_arena_size(PyObject *module, PyObject *arguments) {
    PyObject *program_given, *wanted, *items, *answer = NULL;
    Py_ssize_t capacity;
    int offsets;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OnpO:arena_size", program_type, &program_given, &wanted, &capacity, &offsets,
                          &items))
        return NULL;
    Py_buffer view;
    borrowed held = {&view, 0};
    arena_layout layout;
    if (arena_read_layout(&held, &layout, ((program_object *)program_given)->program, wanted, capacity, offsets, items))
        answer = PyLong_FromSize_t((size_t)arena_size(&layout));
    return_views(&held);
    return answer;
}

static PyObject *engine_arena_places(PyObject *module, PyObject *arguments) {
    PyObject *program_given, *wanted, *items, *answer = NULL;
    Py_ssize_t capacity;
    int offsets;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OnpO:arena_places", program_type, &program_given, &wanted, &capacity, &offsets,
                          &items))
        return NULL;
    Py_buffer view;
    borrowed held = {&view, 0};
    arena_layout layout;
    if (arena_read_layout(&held, &layout, ((program_object *)program_given)->program, wanted, capacity, offsets, items))
        answer = arena_places(&layout);
    return_views(&held);
    return answer;
}

static PyObject *engine_fill_arena(PyObject *module, PyObject *positional, PyObject *keywords) {
    static char *names[] = {"program",         "source",   "begin",      "end",       "base_offset",    "at_end",
                            "at_start",        "capacity", "wanted",     "offsets",   "arena",          "data",
                            "damages",         "padding",  "max_record", "stop",      "verify",         "null_rows",
                            "input_registers", "items",    "expand",     "max_items", "carried_values", "stores",
                            "predicates",      NULL};
    PyObject *program_given, *source, *wanted, *arena, *data, *damages, *input_registers, *items, *expand,
        *carried_values, *stores, *predicates;
    Py_ssize_t begin, end, capacity, padding, max_record, max_items;
    long long base_offset, stop;
    int at_end, at_start, offsets, verify, null_rows;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(positional, keywords, "O!OnnLppnOpOOOnnLppOOOnOOO:fill_arena", names, program_type,
                                     &program_given, &source, &begin, &end, &base_offset, &at_end, &at_start, &capacity,
                                     &wanted, &offsets, &arena, &data, &damages, &padding, &max_record, &stop, &verify,
                                     &null_rows, &input_registers, &items, &expand, &max_items, &carried_values,
                                     &stores, &predicates))
        return NULL;
    const wl_program *program = ((program_object *)program_given)->program;
    call each = {.held = {NULL, 0}};
    arena_layout layout;
    PyObject *answer = NULL;
    if (make_call(&each, program, input_registers, 0) &&
        read_window(&each, source, begin, end, base_offset, padding, max_record) &&
        arena_read_layout(&each.held, &layout, program, wanted, capacity, offsets, items) &&
        arena_read_outputs(&each, &layout, arena, data) && read_damages(&each, damages) &&
        read_carried_values(&each, program, carried_values) && read_stores(&each, program, stores) &&
        read_predicates(&each, program, predicates)) {
        arguments_of(&each, at_end, at_start, verify, null_rows, stop);
        each.arguments.max_items = max_items < 0 ? 0 : (size_t)max_items;
        answer = run_fill(&each, program, expand);
    }
    release(&each);
    return answer;
}

#include "_compute.h"

static PyObject *engine_export_arena(PyObject *module, PyObject *arguments) {
    PyObject *program_given, *wanted, *arena, *data, *null_counts, *answer = NULL;
    Py_ssize_t capacity, rows;
    int offsets;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OnpOOnO:export_arena", program_type, &program_given, &wanted, &capacity,
                          &offsets, &arena, &data, &rows, &null_counts))
        return NULL;
    Py_buffer view;
    borrowed held = {&view, 0};
    arena_layout layout;
    if (arena_read_layout(&held, &layout, ((program_object *)program_given)->program, wanted, capacity, offsets,
                         WITHOUT_LISTS))
        answer = arena_export(&layout, arena, data, rows, null_counts);
    return_views(&held);
    return answer;
}

static PyObject *engine_resync(PyObject *module, PyObject *positional, PyObject *keywords) {
    static char *names[] = {"program",         "source", "begin",     "end",
                            "base_offset",     "at_end", "padding",   "max_record",
                            "input_registers", "expand", "max_items", "carried_values",
                            "stores",          "proven", NULL};
    PyObject *program_given, *source, *input_registers, *expand, *carried_values, *stores;
    Py_ssize_t begin, end, padding, max_record, max_items;
    long long base_offset;
    int at_end, proven;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(positional, keywords, "O!OnnLpnnOOnOOp:resync", names, program_type,
                                     &program_given, &source, &begin, &end, &base_offset, &at_end, &padding,
                                     &max_record, &input_registers, &expand, &max_items, &carried_values, &stores,
                                     &proven))
        return NULL;
    const wl_program *program = ((program_object *)program_given)->program;
    if (wl_program_delimited(program))
        return PyErr_SetString(PyExc_ValueError, "delimited rows need no resync: fill() finds the next delimiter"),
               NULL;
    call each = {.held = {NULL, 0}};
    PyObject *answer = NULL;
    if (make_call(&each, program, input_registers, 0) &&
        read_window(&each, source, begin, end, base_offset, padding, max_record) &&
        read_carried_values(&each, program, carried_values) && read_stores(&each, program, stores)) {
        bool memory, found = false;
        size_t index = 0;
        expanding blocks;
        each.arguments.at_end = at_end;
        each.arguments.proven = proven;
        each.arguments.max_items = max_items < 0 ? 0 : (size_t)max_items;
        expanding_begin(&blocks, &each.arguments, expand);
        memory = wl_resync(program, &each.arguments, &found, &index);
        if (expanding_end(&blocks))
            answer = memory ? Py_BuildValue("(in)", found ? 0 : 1, (Py_ssize_t)index) : PyErr_NoMemory();
    }
    release(&each);
    return answer;
}

static PyObject *engine_find_delimiter(PyObject *module, PyObject *arguments) {
    Py_buffer source, delimiter;
    Py_ssize_t begin, end;
    PyObject *answer = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*nny*:find_delimiter", &source, &begin, &end, &delimiter))
        return NULL;
    if (begin < 0 || end < begin || end > source.len) {
        PyErr_Format(PyExc_ValueError, "[%zd, %zd) is not a range of %zd bytes", begin, end, source.len);
    } else if (delimiter.len < 1 || delimiter.len > 4) {
        PyErr_SetString(PyExc_ValueError, "a delimiter has 1 to 4 bytes");
    } else {
        size_t found;
        Py_BEGIN_ALLOW_THREADS;
        found = wl_find_delimiter(source.buf, (size_t)begin, (size_t)end, delimiter.buf, (size_t)delimiter.len);
        Py_END_ALLOW_THREADS;
        answer = PyLong_FromSsize_t(found == WL_NOT_FOUND ? -1 : (Py_ssize_t)found);
    }
    PyBuffer_Release(&source);
    PyBuffer_Release(&delimiter);
    return answer;
}

/* False: there is no such stuffing, and an error is set. */
static bool read_stuffing(wl_stuffing *stuffing, const char *packed, Py_ssize_t size) {
    if (wl_stuffing_read(stuffing, (const uint8_t *)packed, (size_t)size) && stuffing->kind != WL_STUFFING_NONE)
        return true;
    PyErr_SetString(PyExc_ValueError, "there is no such stuffing");
    return false;
}

static PyObject *engine_stuff(PyObject *module, PyObject *arguments) {
    Py_buffer data;
    const char *packed;
    Py_ssize_t packed_size;
    wl_stuffing stuffing;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y#:stuff", &data, &packed, &packed_size))
        return NULL;
    PyObject *answer = NULL;
    size_t size = (size_t)data.len;
    uint8_t *out = NULL;
    if (!read_stuffing(&stuffing, packed, packed_size)) {
        ;
    } else if (!(out = malloc(wl_stuffed_bound(&stuffing, size) + 1))) {
        PyErr_NoMemory();
    } else {
        Py_BEGIN_ALLOW_THREADS;
        size = wl_stuff(&stuffing, data.buf, size, out);
        Py_END_ALLOW_THREADS;
        answer = PyBytes_FromStringAndSize((const char *)out, (Py_ssize_t)size);
    }
    free(out);
    PyBuffer_Release(&data);
    return answer;
}

static PyObject *engine_unstuff(PyObject *module, PyObject *arguments) {
    Py_buffer data;
    const char *packed;
    Py_ssize_t packed_size, limit;
    wl_stuffing stuffing;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y#n:unstuff", &data, &packed, &packed_size, &limit))
        return NULL;
    PyObject *answer = NULL;
    size_t size = (size_t)data.len;
    uint8_t *out = NULL;
    if (!read_stuffing(&stuffing, packed, packed_size)) {
        ;
    } else if (data.len > limit) {
        PyErr_Format(PyExc_ValueError, "%zd stuffed bytes are more than the limit of %zd", data.len, limit);
    } else if (!(out = malloc(size + 1))) {
        PyErr_NoMemory();
    } else {
        Py_BEGIN_ALLOW_THREADS;
        size = wl_unstuff(&stuffing, data.buf, size, out);
        Py_END_ALLOW_THREADS;
        if (size == WL_NOT_FOUND)
            PyErr_SetString(PyExc_ValueError, "the bytes are not stuffed that way");
        else
            answer = PyBytes_FromStringAndSize((const char *)out, (Py_ssize_t)size);
    }
    free(out);
    PyBuffer_Release(&data);
    return answer;
}

static PyObject *engine_features(PyObject *module, PyObject *nothing) {
    PyObject *levels = PyList_New(0);
    (void)module;
    (void)nothing;
    for (size_t i = 0; levels && wl_level_at(i); i++) {
        PyObject *name = PyUnicode_FromString(wl_level_at(i));
        if (!name || PyList_Append(levels, name) < 0)
            Py_CLEAR(levels);
        Py_XDECREF(name);
    }
    if (!levels)
        return NULL;
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:N}", "cpu", wl_level(), "crc32c", wl_crc32c_name(), "scan", wl_scan_name(),
                         "md5", wl_md5_name(), "levels", levels);
}

static PyMethodDef functions[] = {
    {"arena_size", engine_arena_size, METH_VARARGS, NULL},
    {"arena_places", engine_arena_places, METH_VARARGS, NULL},
    {"fill_arena", (PyCFunction)(void (*)(void))engine_fill_arena, METH_VARARGS | METH_KEYWORDS, NULL},
    {"compute", engine_compute, METH_VARARGS, NULL},
    {"export_arena", engine_export_arena, METH_VARARGS, NULL},
    {"resync", (PyCFunction)(void (*)(void))engine_resync, METH_VARARGS | METH_KEYWORDS, NULL},
    {"find_delimiter", engine_find_delimiter, METH_VARARGS, NULL},
    {"encode", (PyCFunction)(void (*)(void))engine_encode, METH_VARARGS | METH_KEYWORDS, NULL},
    {"stuff", engine_stuff, METH_VARARGS, NULL},
    {"unstuff", engine_unstuff, METH_VARARGS, NULL},
    {"fill_messages", (PyCFunction)(void (*)(void))engine_fill_messages, METH_VARARGS | METH_KEYWORDS, NULL},
    {"join_fragments", engine_join_fragments, METH_VARARGS, NULL},
    {"repeat_runs", engine_repeat_runs, METH_O, NULL},
    {"repeat_inner", engine_repeat_inner, METH_VARARGS, NULL},
    {"repeat_weigh", engine_repeat_weigh, METH_VARARGS, NULL},
    {"repeat", engine_repeat, METH_VARARGS, NULL},
    {"checksum", engine_checksum, METH_O, NULL},
    {"md5_many", engine_md5_many, METH_VARARGS, NULL},
    {"decimals", engine_decimals, METH_VARARGS, NULL},
    {"expand_snappy", engine_expand_snappy, METH_VARARGS, NULL},
    {"expand_records", engine_expand_records, METH_VARARGS, NULL},
    {"features", engine_features, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_engine",    .m_doc = "wireloom's column engine; see wireloom.engine.",
    .m_size = -1,          .m_methods = functions,
};

PyMODINIT_FUNC PyInit__engine(void) {
    char message[256];
    if (!wl_start(getenv("WIRELOOM_CPU"), message, sizeof message))
        return PyErr_Format(PyExc_ValueError, "WIRELOOM_CPU: %s", message);
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = module ? PyType_FromSpec(&program_spec) : NULL;
    PyObject *message_type = type ? PyType_FromSpec(&message_program_spec) : NULL;
    if (!message_type || PyModule_AddObjectRef(module, "Program", type) < 0 ||
        PyModule_AddObjectRef(module, "MessageProgram", message_type) < 0) {
        Py_XDECREF(message_type);
        Py_XDECREF(type);
        Py_XDECREF(module);
        return NULL;
    }
#ifdef Py_GIL_DISABLED
    /* State shared by calls is not changed after this function; the buffers that they write to belong to their
     * callers. */
    PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
    program_type = (PyTypeObject *)type; /* both kept for as long as the process runs */
    message_program_type = (PyTypeObject *)message_type;
    return module;
}

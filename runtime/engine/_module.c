/* The CPython shim: takes arguments apart, borrows buffers, lets go of the GIL, calls the engine. Nothing else.
 * Limited API of Python 3.11, so one build serves every later Python. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>

#include "engine.h"

/* Buffers that one call has borrowed; all are given back together. */
typedef struct {
    Py_buffer *views;
    size_t count;
} borrowed;

static void give_back(borrowed *held) {
    for (size_t i = 0; i < held->count; i++)
        PyBuffer_Release(held->views + i);
    PyMem_Free(held->views);
}

/* Borrows a buffer of at least `least` bytes. The address is never NULL, also where the buffer is empty. */
static uint8_t *borrow(borrowed *held, PyObject *object, bool writable, size_t least, const char *what, size_t *size) {
    static uint8_t nothing[1];
    Py_buffer *view = held->views + held->count;
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
        return NULL;
    held->count++;
    if ((size_t)view->len < least) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes, it needs %zu", what, view->len, least);
        return NULL;
    }
    if (size)
        *size = (size_t)view->len;
    return view->buf ? view->buf : nothing;
}

/* Program --------------------------------------------------------------------------------------------------------- */

typedef struct {
    PyObject_HEAD
    wl_program *program;
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
    {Py_tp_doc, (void *)"Program(packed)\n--\n\nA column program that has been checked. Immutable; threads may share it."},
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

/* Arguments ------------------------------------------------------------------------------------------------------- */

/* A register's value: any integer of 64 bits, signed or unsigned. */
static bool read_integer(PyObject *object, wl_integer *value) {
    int overflow = 0;
    long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    *value = small;
    if (overflow > 0)
        *value = PyLong_AsUnsignedLongLong(object);
    else if (overflow < 0)
        PyErr_SetString(PyExc_OverflowError, "a preset register is below -2**63");
    return !PyErr_Occurred();
}

/* The values of preset registers, or NULL with an error set. The caller frees them. */
static wl_integer *read_preset(const wl_program *program, PyObject *preset) {
    size_t count = wl_program_presets(program);
    if (!PyTuple_Check(preset) || (size_t)PyTuple_Size(preset) != count)
        return PyErr_Format(PyExc_ValueError, "preset must be a tuple of %zu integers", count), NULL;
    wl_integer *values = calloc(count + 1, sizeof *values);
    if (!values)
        return PyErr_NoMemory(), NULL;
    for (size_t i = 0; i < count; i++) {
        if (!read_integer(PyTuple_GetItem(preset, (Py_ssize_t)i), values + i)) {
            free(values);
            return NULL;
        }
    }
    return values;
}

static bool read_column(borrowed *held, PyObject *entry, size_t capacity, unsigned storage, wl_column *column) {
    size_t parts = storage == WL_VARIABLE ? 3 : 2;
    if (entry == Py_None)
        return true;
    if (!PyTuple_Check(entry) || (size_t)PyTuple_Size(entry) != parts) {
        PyErr_Format(PyExc_ValueError, "a column must be None or a tuple of %zu buffers", parts);
        return false;
    }
    column->wanted = true;
    column->validity = borrow(held, PyTuple_GetItem(entry, 0), true, (capacity + 7) / 8, "a validity bitmap", NULL);
    if (!column->validity)
        return false;
    if (storage != WL_VARIABLE) {
        column->values = borrow(held, PyTuple_GetItem(entry, 1), true, capacity * storage, "a values buffer", NULL);
        return column->values != NULL;
    }
    column->offsets = borrow(held, PyTuple_GetItem(entry, 1), true, (capacity + 1) * 4, "an offsets buffer", NULL);
    if (!column->offsets)
        return false;
    column->values = borrow(held, PyTuple_GetItem(entry, 2), true, 0, "a data buffer", &column->data_size);
    return column->values != NULL;
}

/* Everything that fill() holds while it runs. */
typedef struct {
    borrowed held;
    wl_column *columns;
    wl_integer *preset;
    size_t *counts; /* null counts, then data used */
    wl_fill_arguments arguments;
} call;

static void release(call *each) {
    give_back(&each->held);
    free(each->columns);
    free(each->preset);
    free(each->counts);
}

/* The window and the limits, which fill() and resync() have in common. */
static bool read_window(call *each, PyObject *source, Py_ssize_t begin, Py_ssize_t end, long long base_offset,
                        Py_ssize_t padding, Py_ssize_t max_record) {
    size_t size = 0;
    each->arguments.source = borrow(&each->held, source, false, 0, "the source", &size);
    if (!each->arguments.source)
        return false;
    if (begin < 0 || end < begin || (size_t)end > size) {
        PyErr_Format(PyExc_ValueError, "[%zd, %zd) is not a range of %zu bytes", begin, end, size);
        return false;
    }
    if (base_offset < 0 || padding < 0 || padding > INT32_MAX || max_record < 1 || max_record > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError,
                        "base_offset and padding must not be negative, max_record must be 1 to 2147483647");
        return false;
    }
    each->arguments.begin = (size_t)begin;
    each->arguments.end = (size_t)end;
    each->arguments.base_offset = (uint64_t)base_offset;
    each->arguments.padding = (size_t)padding;
    each->arguments.max_record = (size_t)max_record;
    return true;
}

static bool make_call(call *each, const wl_program *program, PyObject *preset) {
    size_t columns = wl_program_columns(program);
    each->held.views = PyMem_Malloc((columns * 3 + 3) * sizeof *each->held.views);
    each->columns = calloc(columns + 1, sizeof *each->columns);
    each->counts = calloc(2 * columns + 1, sizeof *each->counts);
    if (!each->held.views || !each->columns || !each->counts)
        return PyErr_NoMemory(), false;
    each->preset = read_preset(program, preset);
    each->arguments.preset = each->preset;
    each->arguments.columns = each->columns;
    return each->preset != NULL;
}

static bool read_outputs(call *each, const wl_program *program, PyObject *columns, PyObject *offsets,
                         PyObject *damages, Py_ssize_t capacity) {
    wl_fill_arguments *arguments = &each->arguments;
    size_t count = wl_program_columns(program), size = 0;
    if (capacity < 0 || capacity > INT32_MAX)
        return PyErr_SetString(PyExc_ValueError, "capacity must be 0 to 2147483647"), false;
    if (!PyTuple_Check(columns) || (size_t)PyTuple_Size(columns) != count)
        return PyErr_Format(PyExc_ValueError, "columns must be a tuple of %zu entries", count), false;
    arguments->capacity = (size_t)capacity;
    for (size_t i = 0; i < count; i++) {
        if (!read_column(&each->held, PyTuple_GetItem(columns, (Py_ssize_t)i), arguments->capacity,
                         wl_program_storage(program, i), each->columns + i))
            return false;
    }
    if (offsets != Py_None) {
        arguments->offsets = borrow(&each->held, offsets, true, arguments->capacity * 8, "the row offsets", NULL);
        if (!arguments->offsets)
            return false;
    }
    arguments->damages = (wl_damage *)(void *)borrow(&each->held, damages, true, sizeof(wl_damage), "damages", &size);
    arguments->damage_capacity = size / sizeof(wl_damage);
    return arguments->damages != NULL;
}

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

static PyObject *result_of(const wl_fill_result *result, size_t columns) {
    PyObject *nulls = tuple_of(result->null_counts, columns);
    PyObject *used = nulls ? tuple_of(result->data_used, columns) : NULL;
    if (!used) {
        Py_XDECREF(nulls);
        return NULL;
    }
    return Py_BuildValue("(nniIKnnNN)", (Py_ssize_t)result->rows, (Py_ssize_t)result->consumed, result->status,
                         (unsigned)result->reason, (unsigned long long)result->position, (Py_ssize_t)result->needed,
                         (Py_ssize_t)result->damage_count, nulls, used);
}

/* Functions ------------------------------------------------------------------------------------------------------- */

static PyTypeObject *program_type; /* set once at import, before any other thread can see the module */

static PyObject *engine_fill(PyObject *module, PyObject *positional, PyObject *keywords) {
    static char *names[] = {"program", "source", "begin", "end", "base_offset", "at_end", "at_start", "capacity",
                            "columns", "offsets", "damages", "padding", "max_record", "stop", "verify", "null_rows",
                            "preset", NULL};
    PyObject *program_given, *source, *columns, *offsets, *damages, *preset;
    Py_ssize_t begin, end, capacity, padding, max_record;
    long long base_offset, stop;
    int at_end, at_start, verify, null_rows;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(positional, keywords, "O!OnnLppnOOOnnLppO:fill", names, program_type,
                                     &program_given, &source, &begin, &end, &base_offset, &at_end, &at_start, &capacity,
                                     &columns, &offsets, &damages, &padding, &max_record, &stop, &verify, &null_rows,
                                     &preset))
        return NULL;
    const wl_program *program = ((program_object *)program_given)->program;
    call each = {.held = {NULL, 0}};
    PyObject *answer = NULL;
    if (make_call(&each, program, preset) &&
        read_window(&each, source, begin, end, base_offset, padding, max_record) &&
        read_outputs(&each, program, columns, offsets, damages, capacity)) {
        size_t count = wl_program_columns(program);
        wl_fill_result result = {.null_counts = each.counts, .data_used = each.counts + count};
        bool memory;
        each.arguments.at_end = at_end;
        each.arguments.at_start = at_start;
        each.arguments.verify = verify;
        each.arguments.null_rows = null_rows;
        each.arguments.stop = stop < 0 ? -1 : stop;
        Py_BEGIN_ALLOW_THREADS;
        memory = wl_fill(program, &each.arguments, &result);
        Py_END_ALLOW_THREADS;
        answer = memory ? result_of(&result, count) : PyErr_NoMemory();
    }
    release(&each);
    return answer;
}

static PyObject *engine_resync(PyObject *module, PyObject *positional, PyObject *keywords) {
    static char *names[] = {"program", "source", "begin", "end", "base_offset", "at_end", "padding", "max_record",
                            "preset", NULL};
    PyObject *program_given, *source, *preset;
    Py_ssize_t begin, end, padding, max_record;
    long long base_offset;
    int at_end;
    (void)module;
    if (!PyArg_ParseTupleAndKeywords(positional, keywords, "O!OnnLpnnO:resync", names, program_type, &program_given,
                                     &source, &begin, &end, &base_offset, &at_end, &padding, &max_record, &preset))
        return NULL;
    const wl_program *program = ((program_object *)program_given)->program;
    if (wl_program_delimited(program))
        return PyErr_SetString(PyExc_ValueError, "delimited rows need no resync: fill() finds the next delimiter"), NULL;
    call each = {.held = {NULL, 0}};
    PyObject *answer = NULL;
    if (make_call(&each, program, preset) && read_window(&each, source, begin, end, base_offset, padding, max_record)) {
        bool memory, found = false;
        size_t index = 0;
        each.arguments.at_end = at_end;
        Py_BEGIN_ALLOW_THREADS;
        memory = wl_resync(program, &each.arguments, &found, &index);
        Py_END_ALLOW_THREADS;
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

enum { STUFFING_WORD = 1, STUFFING_COBS = 2 };

static PyObject *engine_stuff(PyObject *module, PyObject *arguments) {
    Py_buffer data;
    int stuffing;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*i:stuff", &data, &stuffing))
        return NULL;
    PyObject *answer = NULL;
    size_t size = (size_t)data.len;
    size_t bound = stuffing == STUFFING_WORD ? wl_word_stuffed_bound(size) : wl_cobs_stuffed_bound(size);
    uint8_t *out = NULL;
    if (stuffing != STUFFING_WORD && stuffing != STUFFING_COBS) {
        PyErr_Format(PyExc_ValueError, "there is no stuffing %d", stuffing);
    } else if (!(out = malloc(bound))) {
        PyErr_NoMemory();
    } else {
        Py_BEGIN_ALLOW_THREADS;
        size = stuffing == STUFFING_WORD ? wl_word_stuff(data.buf, size, out) : wl_cobs_stuff(data.buf, size, out);
        Py_END_ALLOW_THREADS;
        answer = PyBytes_FromStringAndSize((const char *)out, (Py_ssize_t)size);
    }
    free(out);
    PyBuffer_Release(&data);
    return answer;
}

static PyObject *engine_unstuff(PyObject *module, PyObject *arguments) {
    Py_buffer data;
    int stuffing;
    Py_ssize_t limit;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*in:unstuff", &data, &stuffing, &limit))
        return NULL;
    PyObject *answer = NULL;
    size_t size = (size_t)data.len;
    uint8_t *out = NULL;
    if (stuffing != STUFFING_WORD && stuffing != STUFFING_COBS) {
        PyErr_Format(PyExc_ValueError, "there is no stuffing %d", stuffing);
    } else if (data.len > limit) {
        PyErr_Format(PyExc_ValueError, "%zd stuffed bytes are more than the limit of %zd", data.len, limit);
    } else if (!(out = malloc(size + 1))) {
        PyErr_NoMemory();
    } else {
        Py_BEGIN_ALLOW_THREADS;
        size = stuffing == STUFFING_WORD ? wl_word_unstuff(data.buf, size, out) : wl_cobs_unstuff(data.buf, size, out);
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

static PyObject *checksum(PyObject *arguments, const char *format, uint32_t (*update)(uint32_t, const uint8_t *, size_t)) {
    Py_buffer data;
    unsigned int value = 0;
    if (!PyArg_ParseTuple(arguments, format, &data, &value))
        return NULL;
    uint32_t state;
    Py_BEGIN_ALLOW_THREADS;
    state = ~update(~(uint32_t)value, data.buf, (size_t)data.len);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&data);
    return PyLong_FromUnsignedLong(state);
}

static PyObject *engine_crc32c(PyObject *module, PyObject *arguments) {
    (void)module;
    return checksum(arguments, "y*|I:crc32c", wl_crc32c_update);
}

static PyObject *engine_crc32(PyObject *module, PyObject *arguments) {
    (void)module;
    return checksum(arguments, "y*|I:crc32", wl_crc32_update);
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
    return Py_BuildValue("{s:s,s:s,s:s,s:N}", "cpu", wl_level(), "crc32c", wl_crc32c_name(), "scan", wl_scan_name(),
                         "levels", levels);
}

static PyMethodDef functions[] = {
    {"fill", (PyCFunction)(void (*)(void))engine_fill, METH_VARARGS | METH_KEYWORDS, NULL},
    {"resync", (PyCFunction)(void (*)(void))engine_resync, METH_VARARGS | METH_KEYWORDS, NULL},
    {"find_delimiter", engine_find_delimiter, METH_VARARGS, NULL},
    {"stuff", engine_stuff, METH_VARARGS, NULL},
    {"unstuff", engine_unstuff, METH_VARARGS, NULL},
    {"crc32c", engine_crc32c, METH_VARARGS, NULL},
    {"crc32", engine_crc32, METH_VARARGS, NULL},
    {"features", engine_features, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_engine", .m_doc = "wireloom's column engine; see wireloom.engine.",
    .m_size = -1, .m_methods = functions,
};

PyMODINIT_FUNC PyInit__engine(void) {
    char message[256];
    if (!wl_start(getenv("WIRELOOM_CPU"), message, sizeof message))
        return PyErr_Format(PyExc_ValueError, "WIRELOOM_CPU: %s", message);
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = module ? PyType_FromSpec(&program_spec) : NULL;
    if (!type || PyModule_AddObjectRef(module, "Program", type) < 0) {
        Py_XDECREF(type);
        Py_XDECREF(module);
        return NULL;
    }
    program_type = (PyTypeObject *)type; /* kept for as long as the process runs */
    return module;
}

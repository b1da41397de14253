/* Maker: creates an object of a generated class and fills its slots with consecutive numbers and bytes. Included by
 * _module.c only, which owns Python.h. */
#ifndef WIRELOOM_MAKER_H
#define WIRELOOM_MAKER_H

#include <string.h>
#include <structmember.h>

#include "bytes.h"
#include "engine.h"

typedef struct {
    char code; /* a code of Python's struct module; 's': bytes */
    size_t size;
    Py_ssize_t slot;
} maker_field;

typedef struct {
    PyObject_HEAD PyTypeObject *made;
    allocfunc allocate;
    PyObject *given[3]; /* _io, _parent, _root */
    Py_ssize_t given_slots[3];
    bool big;
    size_t size;
    size_t count;
    maker_field *fields;
} maker_object;

/* The offset at which objects of the class store a slot, or -1 with an error set. It is the one used by Python's own
 * member descriptor, valid for the declaring class and all derived classes. */
static Py_ssize_t slot_of(PyTypeObject *made, const char *name) {
    Py_ssize_t offset = -1;
    PyObject *descriptor = PyObject_GetAttrString((PyObject *)made, name);
    PyObject *owner = descriptor ? PyObject_GetAttrString(descriptor, "__objclass__") : NULL;
    if (owner && PyType_Check(owner) && PyType_IsSubtype(made, (PyTypeObject *)owner)) {
        const PyMemberDef *member = PyType_GetSlot((PyTypeObject *)owner, Py_tp_members);
        for (; member && member->name; member++)
            if (strcmp(member->name, name) == 0 && member->type == T_OBJECT_EX && !(member->flags & READONLY))
                offset = member->offset;
    }
    Py_XDECREF(owner);
    Py_XDECREF(descriptor);
    if (offset < 0)
        PyErr_Format(PyExc_TypeError, "%s is no slot of the class", name);
    return offset;
}

static size_t code_size(char code) {
    switch (code) {
    case 'b':
    case 'B':
        return 1;
    case 'h':
    case 'H':
        return 2;
    case 'i':
    case 'I':
    case 'f':
        return 4;
    case 'q':
    case 'Q':
    case 'd':
        return 8;
    default:
        return 0;
    }
}

/* The size in bytes of the field at `*at`, which is advanced to its code; WL_NOT_FOUND if it is not a field. */
static size_t read_width(const char **at) {
    size_t width = 0;
    const char *code = *at;
    for (; *code >= '0' && *code <= '9'; code++) {
        width = width * 10 + (size_t)(*code - '0');
        if (width > INT32_MAX)
            return WL_NOT_FOUND;
    }
    size_t size = code_size(*code);
    if (code == *at)
        return *code == 's' ? 1 : size ? size : WL_NOT_FOUND;
    *at = code;
    return *code == 's' ? width : WL_NOT_FOUND;
}

/* Reads a format such as ">IB16s" into `fields`; spaces are not allowed, and counts only for 's'. */
static bool read_fields(maker_object *self, const char *format, PyObject *names) {
    size_t count = (size_t)PyTuple_Size(names), found = 0;
    self->big = *format == '>';
    self->fields = PyMem_Calloc(count + 1, sizeof *self->fields);
    if (!self->fields)
        return PyErr_NoMemory(), false;
    if (*format != '<' && *format != '>')
        return PyErr_SetString(PyExc_ValueError, "the format must begin with its byte order"), false;
    for (const char *at = format + 1; *at; at++, found++) {
        size_t size = read_width(&at);
        if (size == WL_NOT_FOUND || found == count)
            return PyErr_SetString(PyExc_ValueError, "the format and the names do not go together"), false;
        PyObject *name = PyUnicode_AsUTF8String(PyTuple_GetItem(names, (Py_ssize_t)found));
        Py_ssize_t slot = name ? slot_of(self->made, PyBytes_AsString(name)) : -1;
        Py_XDECREF(name);
        if (slot < 0)
            return false;
        self->fields[found] = (maker_field){*at, size, slot};
        self->size += size;
    }
    if (found != count)
        return PyErr_SetString(PyExc_ValueError, "the format and the names do not go together"), false;
    self->count = count;
    return true;
}

static PyObject *maker_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"made", "format", "names", "io", "parent", "root", NULL};
    static const char *const kept[] = {"_io", "_parent", "_root"};
    PyObject *made, *fields, *given[3];
    const char *format;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!sO!OOO:Maker", names, &PyType_Type, &made, &format,
                                     &PyTuple_Type, &fields, given, given + 1, given + 2))
        return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    maker_object *self = (maker_object *)allocate(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(made);
    self->made = (PyTypeObject *)made;
    /* `object.__new__` would also allocate the values of a __dict__ that remains empty; Python creates the dict of an
     * object without them on first access. */
    self->allocate = (allocfunc)PyType_GetSlot(self->made, Py_tp_alloc);
    if (PyType_GetSlot(self->made, Py_tp_new) != PyType_GetSlot(&PyBaseObject_Type, Py_tp_new)) {
        PyErr_SetString(PyExc_TypeError, "the class makes its objects in a way of its own");
        return Py_DECREF(self), NULL;
    }
    for (size_t i = 0; i < 3; i++) {
        Py_INCREF(given[i]);
        self->given[i] = given[i];
        if ((self->given_slots[i] = slot_of(self->made, kept[i])) < 0)
            return Py_DECREF(self), NULL;
    }
    if (!read_fields(self, format, fields))
        return Py_DECREF(self), NULL;
    return (PyObject *)self;
}

static int maker_traverse(PyObject *object, visitproc visit, void *arg) {
    maker_object *self = (maker_object *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->made);
    for (size_t i = 0; i < 3; i++)
        Py_VISIT(self->given[i]);
    return 0;
}

static int maker_clear(PyObject *object) {
    maker_object *self = (maker_object *)object;
    Py_CLEAR(self->made);
    for (size_t i = 0; i < 3; i++)
        Py_CLEAR(self->given[i]);
    return 0;
}

static void maker_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    maker_clear(object);
    PyMem_Free(((maker_object *)object)->fields);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static PyObject *value_at(const maker_field *field, const uint8_t *at, bool big) {
    switch (field->code) {
    case 'b':
        return PyLong_FromLong((int8_t)*at);
    case 'B':
        return PyLong_FromLong(*at);
    case 'h':
        return PyLong_FromLong((int16_t)(big ? wl_load_be2(at) : wl_load_le2(at)));
    case 'H':
        return PyLong_FromLong(big ? wl_load_be2(at) : wl_load_le2(at));
    case 'i':
        return PyLong_FromLong((int32_t)(big ? wl_load_be4(at) : wl_load_le4(at)));
    case 'I':
        return PyLong_FromUnsignedLong(big ? wl_load_be4(at) : wl_load_le4(at));
    case 'q':
        return PyLong_FromLongLong((int64_t)(big ? wl_load_be8(at) : wl_load_le8(at)));
    case 'Q':
        return PyLong_FromUnsignedLongLong(big ? wl_load_be8(at) : wl_load_le8(at));
    case 'f': {
        uint32_t bits = big ? wl_load_be4(at) : wl_load_le4(at);
        float value;
        memcpy(&value, &bits, sizeof value);
        return PyFloat_FromDouble((double)value);
    }
    case 'd': {
        uint64_t bits = big ? wl_load_be8(at) : wl_load_le8(at);
        double value;
        memcpy(&value, &bits, sizeof value);
        return PyFloat_FromDouble(value);
    }
    default:
        return PyBytes_FromStringAndSize((const char *)at, (Py_ssize_t)field->size);
    }
}

/* The slots of a new object are empty: there is nothing to release. */
static void put(PyObject *object, Py_ssize_t slot, PyObject *value) {
    memcpy((char *)object + slot, &value, sizeof value);
}

static PyObject *maker_make(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    const maker_object *self = (const maker_object *)object;
    if (count != 3 || !PyBytes_Check(arguments[0]))
        return PyErr_SetString(PyExc_TypeError, "make() takes bytes, a position and an end"), NULL;
    Py_ssize_t position = PyLong_AsSsize_t(arguments[1]), end = PyLong_AsSsize_t(arguments[2]);
    if ((position == -1 || end == -1) && PyErr_Occurred())
        return NULL;
    if (position < 0 || end > PyBytes_Size(arguments[0]))
        return PyErr_SetString(PyExc_IndexError, "the position and the end are not within the bytes"), NULL;
    if (position > end || self->size > (size_t)(end - position))
        Py_RETURN_NONE;
    PyObject *made = self->allocate(self->made, 0);
    if (!made)
        return NULL;
    for (size_t i = 0; i < 3; i++) {
        Py_INCREF(self->given[i]);
        put(made, self->given_slots[i], self->given[i]);
    }
    const uint8_t *at = (const uint8_t *)PyBytes_AsString(arguments[0]) + position;
    for (size_t i = 0; i < self->count; i++) {
        const maker_field *field = self->fields + i;
        PyObject *value = value_at(field, at, self->big);
        if (!value)
            return Py_DECREF(made), NULL;
        put(made, field->slot, value);
        at += field->size;
    }
    return made;
}

static PyMethodDef maker_methods[] = {
    {"make", (PyCFunction)(void (*)(void))maker_make, METH_FASTCALL,
     "make(data, position, end)\n--\n\n"
     "Return an object whose fields are in data from position on, or None where they are not all before end."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot maker_slots[] = {
    {Py_tp_doc, (void *)"Maker(made, format, names, io, parent, root)\n--\n\nMakes objects of one class."},
    {Py_tp_new, (void *)maker_new},
    {Py_tp_dealloc, (void *)maker_dealloc},
    {Py_tp_traverse, (void *)maker_traverse},
    {Py_tp_clear, (void *)maker_clear},
    {Py_tp_methods, (void *)maker_methods},
    {0, NULL},
};

static PyType_Spec maker_spec = {
    .name = "wireloom.engine._engine.Maker",
    .basicsize = sizeof(maker_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = maker_slots,
};

#endif

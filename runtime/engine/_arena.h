/* Batches whose memory is one allocation, an arena, which Arrow takes over by its C data interface: filling any number of
 * columns takes one allocation and one call, and so does exporting them. Included by _module.c only.
 *
 * An arena contains, each at a multiple of 64 bytes: the offsets of rows (if requested), the validity bitmaps, and for
 * every wanted column its values, or its offsets if its size is variable. The data of variable columns is in separate
 * buffers, since its size is not known in advance. */
#ifndef WIRELOOM_ARENAS_H
#define WIRELOOM_ARENAS_H

#include <stdatomic.h>
#include <string.h>

#include "_arguments.h"

/* The layout ------------------------------------------------------------------------------------------------------ */

/* The parameters of the layout of an arena. */
typedef struct {
    const wl_program *program;
    const uint8_t *wanted; /* a byte per column */
    size_t capacity;
    size_t items[256]; /* maximum number of items of each level of lists */
    bool offsets;
} arena_layout;

static uint64_t arena_aligned(uint64_t size) { return (size + 63) & ~UINT64_C(63); }

/* Padding after a column: columns at distances of a power of two would compete for the same cache lines. */
#define ARENA_GAP 128

/* The maximum number of values of a column. */
static uint64_t arena_values(const arena_layout *layout, size_t column) {
    unsigned level = wl_program_level(layout->program, column);
    return level ? layout->items[level - 1] : layout->capacity;
}

/* The size in bytes of a column's values, or of its offsets if it has any. */
static uint64_t arena_column(const arena_layout *layout, size_t column) {
    unsigned storage = wl_program_storage(layout->program, column);
    if (storage == WL_VARIABLE || storage == WL_LIST)
        return arena_aligned((arena_values(layout, column) + 1) * 4) + ARENA_GAP;
    return storage == WL_STRUCT ? 0 : arena_aligned(arena_values(layout, column) * storage) + ARENA_GAP;
}

static uint64_t arena_bitmap(const arena_layout *layout, size_t column) {
    return arena_aligned((arena_values(layout, column) + 7) / 8);
}

/* The number of bytes before the bitmaps. */
static uint64_t arena_head(const arena_layout *layout) {
    return layout->offsets ? arena_aligned((uint64_t)layout->capacity * 8) : 0;
}

static uint64_t arena_size(const arena_layout *layout) {
    uint64_t size = arena_head(layout);
    for (size_t i = 0; i < wl_program_columns(layout->program); i++) {
        if (layout->wanted[i])
            size += arena_bitmap(layout, i) + arena_column(layout, i);
    }
    return size;
}

/* Sets the positions of wanted columns; `columns` must be zero-initialised. */
static void arena_place(const arena_layout *layout, uint8_t *arena, wl_column *columns) {
    size_t count = wl_program_columns(layout->program);
    uint8_t *at = arena + arena_head(layout);
    for (size_t i = 0; i < count; i++) {
        if (!layout->wanted[i])
            continue;
        columns[i].wanted = true;
        columns[i].validity = at;
        at += arena_bitmap(layout, i);
    }
    for (size_t i = 0; i < count; i++) {
        if (!layout->wanted[i])
            continue;
        unsigned storage = wl_program_storage(layout->program, i);
        if (storage == WL_VARIABLE || storage == WL_LIST)
            columns[i].offsets = at;
        else
            columns[i].values = at;
        at += arena_column(layout, i);
    }
}

/* In place of the maximum number of items: no column of a list is wanted. */
#define WITHOUT_LISTS ((PyObject *)NULL)

/* The maximum number of items of each level: a tuple of integers, or WITHOUT_LISTS. */
static bool arena_read_items(arena_layout *layout, PyObject *items) {
    Py_ssize_t count = (Py_ssize_t)wl_program_levels(layout->program);
    if (items == WITHOUT_LISTS) {
        memset(layout->items, 0, sizeof layout->items);
        return true;
    }
    if (!PyTuple_Check(items) || PyTuple_Size(items) != count)
        return PyErr_Format(PyExc_ValueError, "items must be a tuple of %zd integers", count), false;
    for (Py_ssize_t i = 0; i < count; i++) {
        size_t most = PyLong_AsSize_t(PyTuple_GetItem(items, i));
        if (PyErr_Occurred())
            return false;
        if (most > INT32_MAX)
            return PyErr_SetString(PyExc_ValueError, "items must be 0 to 2147483647"), false;
        layout->items[i] = most;
    }
    return true;
}

/* `wanted` is borrowed. */
static bool arena_read_layout(borrowed *held, arena_layout *layout, const wl_program *program, PyObject *wanted,
                             Py_ssize_t capacity, bool offsets, PyObject *items) {
    size_t size = 0;
    layout->program = program;
    layout->offsets = offsets;
    layout->wanted = borrow(held, wanted, false, wl_program_columns(program), "wanted", &size);
    if (!layout->wanted)
        return false;
    if (size != wl_program_columns(program))
        return PyErr_Format(PyExc_ValueError, "wanted must have %zu bytes", wl_program_columns(program)), false;
    if (capacity < 0 || capacity > INT32_MAX)
        return PyErr_SetString(PyExc_ValueError, "capacity must be 0 to 2147483647"), false;
    layout->capacity = (size_t)capacity;
    if (!arena_read_items(layout, items))
        return false;
    if (arena_size(layout) > PY_SSIZE_T_MAX)
        return PyErr_NoMemory(), false;
    return true;
}

/* Borrows the arena and the data buffers, one per wanted variable column, and sets the position of each column. */
static bool arena_read_columns(borrowed *held, const arena_layout *layout, PyObject *arena, PyObject *data, bool writable,
                              wl_column *columns, uint8_t **memory) {
    *memory = borrow(held, arena, writable, (size_t)arena_size(layout), "the arena", NULL);
    if (!*memory)
        return false;
    arena_place(layout, *memory, columns);
    Py_ssize_t next = 0, given = PyTuple_Check(data) ? PyTuple_Size(data) : -1;
    for (size_t i = 0; i < wl_program_columns(layout->program); i++) {
        wl_column *column = columns + i;
        if (!column->wanted || wl_program_storage(layout->program, i) != WL_VARIABLE)
            continue;
        if (next >= given)
            return PyErr_SetString(PyExc_ValueError, "data must be a tuple of a buffer per variable column"), false;
        column->values = borrow(held, PyTuple_GetItem(data, next++), writable, 0, "a data buffer", &column->data_size);
        if (!column->values)
            return false;
    }
    if (next != given)
        return PyErr_SetString(PyExc_ValueError, "data must be a tuple of a buffer per variable column"), false;
    return true;
}

/* For every wanted column, the positions in the arena of its bitmap and of its values or offsets. */
static PyObject *arena_places(const arena_layout *layout) {
    size_t count = wl_program_columns(layout->program);
    wl_column *columns = calloc(count + 1, sizeof *columns);
    if (!columns)
        return PyErr_NoMemory();
    arena_place(layout, NULL, columns);
    PyObject *places = PyList_New(0);
    for (size_t i = 0; places && i < count; i++) {
        if (!columns[i].wanted)
            continue;
        const uint8_t *values = columns[i].offsets ? columns[i].offsets : columns[i].values;
        PyObject *place = Py_BuildValue("(nn)", (Py_ssize_t)(uintptr_t)columns[i].validity, (Py_ssize_t)(uintptr_t)values);
        if (!place || PyList_Append(places, place) < 0)
            Py_CLEAR(places);
        Py_XDECREF(place);
    }
    free(columns);
    return places;
}

/* The outputs of a fill; the bitmaps are zeroed. */
static bool arena_read_outputs(call *each, const arena_layout *layout, PyObject *arena, PyObject *data) {
    uint8_t *memory;
    if (!arena_read_columns(&each->held, layout, arena, data, true, each->columns, &memory))
        return false;
    each->arguments.capacity = layout->capacity;
    each->arguments.offsets = layout->offsets ? memory : NULL;
    each->arguments.items = layout->items;
    for (size_t i = 0; i < wl_program_columns(layout->program); i++) {
        if (each->columns[i].wanted)
            memset(each->columns[i].validity, 0, (size_t)(arena_values(layout, i) + 7) / 8);
    }
    return true;
}

/* Export ----------------------------------------------------------------------------------------------------------- */

/* Arrow's C data interface, as in its specification. */
struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

typedef struct {
    struct ArrowArray array;
    const void *buffers[3];
} arena_child;

/* The memory of a batch, for as long as the batch or one of its columns is in use. */
typedef struct {
    atomic_size_t users;
    borrowed held;
    const void *no_validity;
    struct ArrowArray **pointers;
    arena_child children[];
} arena_batch;

static void arena_drop(arena_batch *batch) {
    give_back(&batch->held);
    free(batch);
}

/* The last user releases the memory, in any thread. If Python has exited, the memory is gone already. */
static void arena_let_go(arena_batch *batch) {
    if (atomic_fetch_sub(&batch->users, 1) != 1)
        return;
    if (Py_IsInitialized()) {
        PyGILState_STATE state = PyGILState_Ensure();
        arena_drop(batch);
        PyGILState_Release(state);
    }
}

static void arena_release_child(struct ArrowArray *array) {
    arena_batch *batch = array->private_data;
    array->release = NULL;
    arena_let_go(batch);
}

/* Children that the consumer has not moved are released with their parent. */
static void arena_release(struct ArrowArray *array) {
    arena_batch *batch = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
    }
    array->release = NULL;
    arena_let_go(batch);
}

static void arena_fill_child(arena_batch *batch, arena_child *child, const wl_column *column, bool variable, size_t rows,
                            size_t nulls) {
    child->buffers[0] = nulls ? column->validity : NULL;
    child->buffers[1] = variable ? column->offsets : column->values;
    child->buffers[2] = column->values;
    child->array = (struct ArrowArray){
        .length = (int64_t)rows,
        .null_count = (int64_t)nulls,
        .n_buffers = variable ? 3 : 2,
        .buffers = child->buffers,
        .release = arena_release_child,
        .private_data = batch,
    };
}

/* One child per wanted column. False, with an error set, if the numbers cannot come from a fill. */
static bool arena_fill_children(arena_batch *batch, const arena_layout *layout, const wl_column *columns, size_t rows,
                               PyObject *null_counts) {
    size_t count = wl_program_columns(layout->program), next = 0;
    if (!PyTuple_Check(null_counts) || (size_t)PyTuple_Size(null_counts) != count)
        return PyErr_Format(PyExc_ValueError, "null_counts must be a tuple of %zu integers", count), false;
    for (size_t i = 0; i < count; i++) {
        const wl_column *column = columns + i;
        if (!column->wanted)
            continue;
        bool variable = wl_program_storage(layout->program, i) == WL_VARIABLE;
        size_t nulls = PyLong_AsSize_t(PyTuple_GetItem(null_counts, (Py_ssize_t)i));
        if (PyErr_Occurred())
            return false;
        int32_t used = 0;
        if (variable)
            memcpy(&used, column->offsets + rows * 4, sizeof used);
        if (nulls > rows || used < 0 || (size_t)used > column->data_size)
            return PyErr_SetString(PyExc_ValueError, "this is not what a fill has left"), false;
        batch->pointers[next] = &batch->children[next].array;
        arena_fill_child(batch, batch->children + next, column, variable, rows, nulls);
        next++;
    }
    return true;
}

static void arena_forget(PyObject *capsule) {
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, "arrow_array");
    if (array->release)
        array->release(array);
    free(array);
}

/* The batch as a capsule, and the address of its ArrowArray. The capsule owns the array until it is moved. */
static PyObject *arena_hand_on(arena_batch *batch, size_t rows, size_t children) {
    struct ArrowArray *array = malloc(sizeof *array);
    PyObject *capsule = array ? PyCapsule_New(array, "arrow_array", arena_forget) : PyErr_NoMemory();
    if (!capsule) {
        free(array);
        arena_drop(batch);
        return NULL;
    }
    atomic_init(&batch->users, children + 1);
    *array = (struct ArrowArray){
        .length = (int64_t)rows,
        .n_buffers = 1,
        .n_children = (int64_t)children,
        .buffers = &batch->no_validity,
        .children = batch->pointers,
        .release = arena_release,
        .private_data = batch,
    };
    return Py_BuildValue("(NK)", capsule, (unsigned long long)(uintptr_t)array);
}

/* Creates a batch that has borrowed its memory; NULL with an error set. */
static arena_batch *arena_make(const arena_layout *layout, PyObject *arena, PyObject *data, size_t rows,
                             PyObject *null_counts) {
    size_t count = wl_program_columns(layout->program);
    arena_batch *batch = calloc(1, sizeof *batch + count * (sizeof *batch->children + sizeof *batch->pointers));
    wl_column *columns = calloc(count + 1, sizeof *columns);
    uint8_t *memory;
    bool good = false;
    if (batch && columns && (batch->held.views = PyMem_Malloc((count + 1) * sizeof *batch->held.views))) {
        batch->pointers = (struct ArrowArray **)(void *)(batch->children + count);
        good = arena_read_columns(&batch->held, layout, arena, data, false, columns, &memory) &&
               arena_fill_children(batch, layout, columns, rows, null_counts);
    } else {
        PyErr_NoMemory();
    }
    free(columns);
    if (good)
        return batch;
    if (batch)
        arena_drop(batch);
    return NULL;
}

static PyObject *arena_export(const arena_layout *layout, PyObject *arena, PyObject *data, Py_ssize_t rows,
                             PyObject *null_counts) {
    for (size_t i = 0; i < wl_program_columns(layout->program); i++) {
        const bool is_simple =
            wl_program_storage(layout->program, i) <= WL_VARIABLE && !wl_program_level(layout->program, i);
        if (layout->wanted[i] && !is_simple)
            return PyErr_SetString(PyExc_ValueError, "only columns without others inside are handed on together"), NULL;
    }
    if (rows < 0 || (size_t)rows > layout->capacity)
        return PyErr_Format(PyExc_ValueError, "rows must be 0 to %zu", layout->capacity), NULL;
    arena_batch *batch = arena_make(layout, arena, data, (size_t)rows, null_counts);
    size_t children = 0;
    for (size_t i = 0; i < wl_program_columns(layout->program); i++)
        children += layout->wanted[i] != 0;
    return batch ? arena_hand_on(batch, (size_t)rows, children) : NULL;
}

#endif

/* Decompresses blocks one by one with a Python function; the GIL is held only during its calls. Blocks that are their own
 * content need no call. Included by _module.c only. */
#ifndef WIRELOOM_EXPANDING_H
#define WIRELOOM_EXPANDING_H

#include <stdlib.h>
#include <string.h>

#include "_arguments.h"

/* The codec of an expansion whose blocks are their own content (or -1), and the maximum size in bytes of a block. */
typedef struct {
    int64_t chosen, most;
} expanding_plain;

/* `call` receives the number of the expansion, that of the codec, the size of the content (or -1), the bytes of the
 * block and their position (or -1). It returns the content as bytes, None if the block is its own content, or an
 * integer: a reason. Its attribute `plain`, if it has one, is an expanding_plain of each expansion, as bytes. Released
 * contents are freed the next time that the GIL is held. */
typedef struct {
    PyObject *call;
    PyObject *plain; /* NULL if there is none; owned */
    const char *plain_data;
    Py_ssize_t plain_size;
    PyThreadState *thread;
    PyObject **released;
    size_t released_count, room;
    size_t given; /* contents that have not been freed */
    bool failed;  /* an exception was raised: nothing more is called */
    wl_expander expander;
} expanding;

static void expanding_drop(expanding *blocks) {
    while (blocks->released_count) {
        Py_DECREF(blocks->released[--blocks->released_count]);
        blocks->given--;
    }
}

/* Makes room for one more content, so that it can be released without the GIL. */
static bool expanding_reserve(expanding *blocks) {
    if (blocks->given < blocks->room)
        return true;
    size_t room = 2 * blocks->room + 8;
    PyObject **released = realloc(blocks->released, room * sizeof *released);
    if (!released)
        return PyErr_NoMemory(), false;
    blocks->released = released;
    blocks->room = room;
    return true;
}

/* Stores the result of the function as a content; `answer` is owned. Returns a reason; WL_REASON_NONE also if an
 * exception is set. */
static uint32_t expanding_take(expanding *blocks, const wl_block *block, PyObject *answer, wl_content *content) {
    char *at;
    Py_ssize_t size;
    if (answer == Py_None) {
        *content = (wl_content){block->data, block->data_size, NULL};
    } else if (PyLong_Check(answer)) {
        long reason = PyLong_AsLong(answer);
        Py_DECREF(answer);
        return reason > WL_REASON_NONE && reason <= WL_REASON_UNSUPPORTED ? (uint32_t)reason : WL_REASON_CODEC;
    } else if (PyBytes_AsStringAndSize(answer, &at, &size) == 0 && expanding_reserve(blocks)) {
        *content = (wl_content){(const uint8_t *)at, (size_t)size, answer};
        blocks->given++;
        return WL_REASON_NONE;
    }
    Py_DECREF(answer);
    return WL_REASON_NONE;
}

/* Whether the block is its own content, for which the GIL is not needed. */
static bool expanding_is_plain(const expanding *blocks, const wl_block *block, int64_t *most) {
    expanding_plain plain;
    if (block->number >= (size_t)blocks->plain_size / sizeof plain)
        return false;
    memcpy(&plain, blocks->plain_data + block->number * sizeof plain, sizeof plain);
    *most = plain.most;
    return block->chosen >= 0 && block->chosen == plain.chosen && block->size == WL_SIZE_UNKNOWN;
}

static uint32_t expanding_expand(void *context, const wl_block *block, wl_content *content) {
    expanding *blocks = context;
    int64_t most;
    if (blocks->failed)
        return WL_REASON_CODEC;
    if (expanding_is_plain(blocks, block, &most)) {
        *content = (wl_content){block->data, block->data_size, NULL};
        return block->data_size <= (uint64_t)most ? WL_REASON_NONE : WL_REASON_LIMIT;
    }
    PyEval_RestoreThread(blocks->thread);
    expanding_drop(blocks);
    uint32_t reason = WL_REASON_CODEC;
    /* A copy, since the function may keep it or a part of it. */
    PyObject *data = PyBytes_FromStringAndSize((const char *)block->data, (Py_ssize_t)block->data_size);
    PyObject *answer = NULL;
    if (data)
        answer = PyObject_CallFunction(blocks->call, "ILLOL", (unsigned)block->number, (long long)block->chosen,
                                       (long long)block->size, data, (long long)block->position);
    Py_XDECREF(data);
    if (answer)
        reason = expanding_take(blocks, block, answer, content);
    if (!answer || PyErr_Occurred()) {
        blocks->failed = true;
        reason = WL_REASON_CODEC;
    }
    blocks->thread = PyEval_SaveThread();
    return reason;
}

static void expanding_release(void *context, void *handle) {
    expanding *blocks = context;
    blocks->released[blocks->released_count++] = handle;
}

/* Releases the GIL. `call`: None if blocks have no content. */
static void expanding_begin(expanding *blocks, wl_fill_arguments *arguments, PyObject *call) {
    *blocks = (expanding){.call = call};
    blocks->expander = (wl_expander){expanding_expand, expanding_release, blocks};
    arguments->expander = call == Py_None ? NULL : &blocks->expander;
    blocks->plain = call == Py_None ? NULL : PyObject_GetAttrString(call, "plain");
    if (!blocks->plain || PyBytes_AsStringAndSize(blocks->plain, (char **)&blocks->plain_data, &blocks->plain_size) < 0)
        PyErr_Clear();
    blocks->thread = PyEval_SaveThread();
}

/* Acquires the GIL. False: an exception is set. */
static bool expanding_end(expanding *blocks) {
    PyEval_RestoreThread(blocks->thread);
    expanding_drop(blocks);
    free(blocks->released);
    Py_XDECREF(blocks->plain);
    return !blocks->failed;
}

#endif

/* Decompresses blocks one by one with a Python function; the GIL is held only during its calls. Blocks that are their own
 * content, and small ones of Snappy and S2, need no call. Included by _module.c only. */
#ifndef WIRELOOM_EXPANDING_H
#define WIRELOOM_EXPANDING_H

#include <stdlib.h>
#include <string.h>

#include "_arguments.h"
#include "snappy.h"

/* Maximum size in bytes of a content that is decompressed without a call. The function keeps contents for units that are
 * read again; up to here a call costs more than decompressing them again. */
enum { EXPANDING_MOST_DIRECT = 1 << 16 };

/* The codecs of an expansion (or -1) whose blocks need no call: that of blocks that are their own content, Snappy, S2;
 * and the maximum size in bytes of a content. */
typedef struct {
    int64_t plain, snappy, s2, most;
} expanding_direct;

/* `call` receives the number of the expansion, that of the codec, the size of the content (or -1), the bytes of the
 * block and their position (or -1). It returns the content as bytes, None if the block is its own content, or an
 * integer: a reason. Its attribute `direct`, if it has one, is an expanding_direct of each expansion, as bytes. Released
 * contents that it returned are freed the next time that the GIL is held. */
typedef struct {
    PyObject *call;
    PyObject *direct; /* NULL if there is none; owned */
    const char *direct_data;
    Py_ssize_t direct_size;
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

/* Decompresses a block of Snappy or S2 into memory of malloc(), which is the content's handle. Returns a reason;
 * WL_REASON_NONE without a handle if that is left to the function. */
static uint32_t expanding_snappy(const wl_block *block, bool repeats, size_t most, wl_content *content) {
    size_t begin, size = wl_snappy_size(block->data, block->data_size, repeats, &begin);
    if (size == WL_NOT_FOUND)
        return WL_REASON_CODEC;
    if (size > most)
        return WL_REASON_LIMIT;
    uint8_t *memory = size > EXPANDING_MOST_DIRECT ? NULL : malloc(size ? size : 1);
    if (!memory)
        return WL_REASON_NONE;
    if (!wl_snappy_expand(block->data + begin, block->data_size - begin, repeats, memory, size)) {
        free(memory);
        return WL_REASON_CODEC;
    }
    *content = (wl_content){memory, size, memory};
    return WL_REASON_NONE;
}

/* Whether the block needs no call, for which the GIL is not needed either. Sets the content or the reason why there is
 * none. */
static bool expanding_is_direct(const expanding *blocks, const wl_block *block, wl_content *content,
                                uint32_t *reason) {
    expanding_direct direct;
    *reason = WL_REASON_NONE;
    if (block->number >= (size_t)blocks->direct_size / sizeof direct || block->chosen < 0 ||
        block->size != WL_SIZE_UNKNOWN)
        return false;
    memcpy(&direct, blocks->direct_data + block->number * sizeof direct, sizeof direct);
    if (block->chosen == direct.plain) {
        *content = (wl_content){block->data, block->data_size, NULL};
        *reason = block->data_size <= (uint64_t)direct.most ? WL_REASON_NONE : WL_REASON_LIMIT;
        return true;
    }
    if (block->chosen != direct.snappy && block->chosen != direct.s2)
        return false;
    *reason = expanding_snappy(block, block->chosen == direct.s2, (size_t)direct.most, content);
    return *reason || content->handle;
}

static uint32_t expanding_expand(void *context, const wl_block *block, wl_content *content) {
    expanding *blocks = context;
    uint32_t reason;
    if (blocks->failed)
        return WL_REASON_CODEC;
    if (expanding_is_direct(blocks, block, content, &reason))
        return reason;
    PyEval_RestoreThread(blocks->thread);
    expanding_drop(blocks);
    reason = WL_REASON_CODEC;
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

static void expanding_release(void *context, const wl_content *content) {
    expanding *blocks = context;
    if (content->at == content->handle)
        free(content->handle);
    else
        blocks->released[blocks->released_count++] = content->handle;
}

/* Releases the GIL. `call`: None if blocks have no content. */
static void expanding_begin(expanding *blocks, wl_fill_arguments *arguments, PyObject *call) {
    *blocks = (expanding){.call = call};
    blocks->expander = (wl_expander){expanding_expand, expanding_release, blocks};
    arguments->expander = call == Py_None ? NULL : &blocks->expander;
    blocks->direct = call == Py_None ? NULL : PyObject_GetAttrString(call, "direct");
    if (!blocks->direct ||
        PyBytes_AsStringAndSize(blocks->direct, (char **)&blocks->direct_data, &blocks->direct_size) < 0)
        PyErr_Clear();
    blocks->thread = PyEval_SaveThread();
}

/* Acquires the GIL. False: an exception is set. */
static bool expanding_end(expanding *blocks) {
    PyEval_RestoreThread(blocks->thread);
    expanding_drop(blocks);
    free(blocks->released);
    Py_XDECREF(blocks->direct);
    return !blocks->failed;
}

#endif

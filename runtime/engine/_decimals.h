/* decimals() for Python: decimal numbers of COBOL as Arrow stores decimals. Included by _module.c only. */
#ifndef WIRELOOM_DECIMALS_SHIM_H
#define WIRELOOM_DECIMALS_SHIM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "_arguments.h"

/* A number of `size` bytes, at least one, as 128 bits in two's complement, the lowest byte first. It is packed if the
 * last half of a byte is a sign, which is above 9, and zoned otherwise. */
static void wl_decimal(const uint8_t *bytes, size_t size, uint8_t *out) {
    const bool packed = (bytes[size - 1] & 15) > 9;
    const size_t digits = packed ? 2 * size - 1 : size;
    uint32_t limbs[4] = {0, 0, 0, 0};
    for (size_t at = 0; at < digits;) {
        /* Nine digits at once. */
        uint32_t scale = 1;
        uint64_t carry = 0;
        for (; at < digits && scale < 1000000000; at++, scale *= 10)
            carry = 10 * carry + (packed ? bytes[at / 2] >> (at % 2 ? 0 : 4) & 15 : bytes[at] & 15);
        for (int i = 0; i < 4; i++, carry >>= 32) {
            carry += (uint64_t)limbs[i] * scale;
            limbs[i] = (uint32_t)carry;
        }
    }
    const unsigned sign = packed ? bytes[size - 1] & 15 : bytes[size - 1] >> 4;
    uint64_t carry = sign == 0xB || sign == 0xD;
    const uint32_t flip = carry ? UINT32_MAX : 0;
    for (int i = 0; i < 4; i++, carry >>= 32) {
        carry += limbs[i] ^ flip;
        for (int j = 0; j < 4; j++)
            out[4 * i + j] = (uint8_t)(carry >> 8 * j);
    }
}

static PyObject *engine_decimals(PyObject *module, PyObject *arguments) {
    Py_buffer offsets, data;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*:decimals", &offsets, &data))
        return NULL;
    const size_t count = offsets.len < 8 ? 0 : (size_t)offsets.len / 4 - 1;
    PyObject *answer = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(16 * count));
    bool fits = true;
    if (answer) {
        uint8_t *out = (uint8_t *)PyBytes_AsString(answer);
        Py_BEGIN_ALLOW_THREADS;
        for (size_t i = 0; i < count && fits; i++, out += 16) {
            int32_t begin, end;
            memcpy(&begin, (const uint8_t *)offsets.buf + 4 * i, sizeof begin);
            memcpy(&end, (const uint8_t *)offsets.buf + 4 * i + 4, sizeof end);
            fits = begin >= 0 && begin <= end && end <= data.len;
            if (fits && begin < end)
                wl_decimal((const uint8_t *)data.buf + begin, (size_t)(end - begin), out);
            else
                memset(out, 0, 16);
        }
        Py_END_ALLOW_THREADS;
    }
    PyBuffer_Release(&offsets);
    PyBuffer_Release(&data);
    if (!fits) {
        Py_CLEAR(answer);
        PyErr_SetString(PyExc_ValueError, "the offsets are not within the data");
    }
    return answer;
}

#endif

/* The MD5 kernel for one vector of lanes, and for two vectors with interleaved steps. The file of each kind of vector
 * defines, before it includes this:
 *
 *   MD5_NARROW, MD5_WIDE     the names of the two kernels; the second one is optional
 *   MD5_TARGET               the attribute of functions that use the vectors
 *   MD5_LANES, vector        lanes of a vector, and its type
 *   load_row, store_row      a vector from and to an aligned row of the state
 *   load_words               word i of the next block of every lane into words[i]
 *   ADD, ROTATE              sum, rotation to the left
 *   CONSTANT                 a number in all lanes, given as a literal and by the address of a copy; uses either
 *   F, G, H, I               adds function(b, c, d) to a sum; b is ready last
 *   HOLD                     keeps the compiler from putting a later summand into a sum before this: it would join the
 *                            chain in which every step waits for the one before */

#define MD5_ADD_WORD(sum, word, same)                                                                                  \
    sum = ADD(sum, ADD(word, same));                                                                                   \
    HOLD(sum);

#define MD5_STEP(function, a, b, c, d, word, shift, constant)                                                          \
    MD5_ADD_WORD(a, words[word], CONSTANT(constant, copy++))                                                           \
    function(a, b, c, d);                                                                                              \
    a = ADD(ROTATE(a, shift), b);

MD5_TARGET void MD5_NARROW(wl_md5_state *state, const uint8_t *const *data, size_t blocks) {
    uint32_t(*rows)[WL_MD5_MOST_LANES] = state->words;
    vector a = load_row(rows[0]), b = load_row(rows[1]), c = load_row(rows[2]), d = load_row(rows[3]);
    for (size_t at = 0; blocks; blocks--, at += WL_MD5_BLOCK) {
        vector words[16], a_before = a, b_before = b, c_before = c, d_before = d;
        const uint32_t *copy = wl_md5_constants;
        (void)copy;
        load_words(words, data, at);
        WL_MD5_STEPS(MD5_STEP)
        a = ADD(a, a_before), b = ADD(b, b_before), c = ADD(c, c_before), d = ADD(d, d_before);
    }
    store_row(rows[0], a), store_row(rows[1], b), store_row(rows[2], c), store_row(rows[3], d);
}

#ifdef MD5_WIDE
#define MD5_STEP_TWICE(function, a, b, c, d, word, shift, constant)                                                    \
    same = CONSTANT(constant, copy++);                                                                                 \
    MD5_ADD_WORD(a##0, words[word], same)                                                                              \
    MD5_ADD_WORD(a##1, words[16 + (word)], same)                                                                       \
    function(a##0, b##0, c##0, d##0);                                                                                  \
    function(a##1, b##1, c##1, d##1);                                                                                  \
    a##0 = ADD(ROTATE(a##0, shift), b##0);                                                                             \
    a##1 = ADD(ROTATE(a##1, shift), b##1);

/* The initial values of the block are added from memory, since there are not enough registers for all of it. */
MD5_TARGET static inline void add_to_row(uint32_t *row, vector low, vector high) {
    store_row(row, ADD(low, load_row(row)));
    store_row(row + MD5_LANES, ADD(high, load_row(row + MD5_LANES)));
}

MD5_TARGET void MD5_WIDE(wl_md5_state *state, const uint8_t *const *data, size_t blocks) {
    uint32_t(*rows)[WL_MD5_MOST_LANES] = state->words;
    for (size_t at = 0; blocks; blocks--, at += WL_MD5_BLOCK) {
        vector words[32], same;
        const uint32_t *copy = wl_md5_constants;
        vector a0 = load_row(rows[0]), b0 = load_row(rows[1]), c0 = load_row(rows[2]), d0 = load_row(rows[3]);
        vector a1 = load_row(rows[0] + MD5_LANES), b1 = load_row(rows[1] + MD5_LANES);
        vector c1 = load_row(rows[2] + MD5_LANES), d1 = load_row(rows[3] + MD5_LANES);
        (void)copy;
        load_words(words, data, at);
        load_words(words + 16, data + MD5_LANES, at);
        WL_MD5_STEPS(MD5_STEP_TWICE)
        add_to_row(rows[0], a0, a1);
        add_to_row(rows[1], b0, b1);
        add_to_row(rows[2], c0, c1);
        add_to_row(rows[3], d0, d1);
    }
}
#endif

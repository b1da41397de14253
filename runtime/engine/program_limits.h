/* The most that a column program may ask for, and the sizes of the tables that hold it. The loader refuses what goes
 * beyond. The lowering of specs reads these lines too (wireloom.format.program_limits), so that it never makes a program that
 * the loader refuses: each is a name and a plain number. */
#ifndef WIRELOOM_ENGINE_PROGRAM_LIMITS_H
#define WIRELOOM_ENGINE_PROGRAM_LIMITS_H

#define WL_MOST_STEPS 4096
#define WL_MOST_COLUMNS 4096
#define WL_MOST_REGISTERS 2048
#define WL_MOST_SPANS 1024
#define WL_MOST_MARKS 512
#define WL_MOST_CONSTANTS 16777216
#define WL_MOST_CHECKSUMS 256
#define WL_MOST_DELIMITER_BYTES 4
#define WL_MOST_OWN_BYTES 16
#define WL_DEEPEST_LIMIT 16
#define WL_MOST_LOOPS 64
#define WL_MOST_LEVELS 64
#define WL_DEEPEST_STACK 32
#define WL_DEEPEST_UNIT 8
#define WL_MOST_CHAINS 32
#define WL_MOST_STORES 16
#define WL_MOST_SERIES 256
#define WL_MOST_FUNCTIONS 128
#define WL_DEEPEST_CALL 512

/* Sub-streams that may be open with those of all functions that have been called. */
#define WL_MOST_OPEN_LIMITS 1024
#define WL_MOST_GROUPS 10
#define WL_MOST_MESSAGES 256
#define WL_MOST_MESSAGE_FIELDS 4096
#define WL_MOST_ARMS 65535
#define WL_MOST_CLOSED_VALUES 65536

/* Items of a variable that is a list; the oldest are forgotten first. */
#define WL_MOST_ITEMS 65536

/* Turns of a loop one after another that take no bytes. */
#define WL_MOST_IDLE 65536

/* Bytes of a size, or of what is added to one. Sums of it and of any position stay far from overflowing. */
#define WL_MOST_BYTES 1099511627776

#endif

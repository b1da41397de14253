/* Limits of column programs, the sizes of the tables for them, and the version of packed programs. The loader refuses
 * programs beyond them. The lowering of specs reads these lines too (wireloom.format.program_words), so that it never
 * creates a program that the loader refuses: each line is a name and a plain number. */
#ifndef WIRELOOM_ENGINE_PROGRAM_LIMITS_H
#define WIRELOOM_ENGINE_PROGRAM_LIMITS_H

#define WL_PACKED_VERSION 9
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
#define WL_MOST_CARRIED_VALUES 32
#define WL_MOST_STORES 16
#define WL_MOST_SERIES 256
#define WL_MOST_FUNCTIONS 128
#define WL_DEEPEST_CALL 512

/* Maximum number of open sub-streams, including those of all active calls. */
#define WL_MOST_OPEN_LIMITS 1024
#define WL_MOST_GROUPS 10
#define WL_MOST_MESSAGES 256
#define WL_MOST_MESSAGE_FIELDS 4096
#define WL_MOST_ARMS 65535
#define WL_MOST_CLOSED_VALUES 65536

/* Maximum number of items of a variable that is a list; the oldest are forgotten first. */
#define WL_MOST_ITEMS 65536

/* Number of items whose memory is not used again: after an attempt that added up to WL_MOST_ITEMS and is repeated, all
 * items that may be read are still there. */
#define WL_KEPT_ITEMS 131072

/* Maximum number of keys of a variable that is a table, and number of its changes that can be taken back. */
#define WL_MOST_KEYS 32767
#define WL_KEPT_CHANGES 65536

/* Maximum number of consecutive loop iterations that take no bytes. */
#define WL_MOST_IDLE 65536

/* Maximum of a size in bytes, and of the addend of one. Sums of it and of any position are far from overflowing. */
#define WL_MOST_BYTES 1099511627776

#endif

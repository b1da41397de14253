/* Sheets: making them, running their steps, and when not to. */
#include "sheet.h"

#include <stdlib.h>

#define LINE 64
#define COLUMNS_AHEAD 2

/* After a row that did not go this way less is tried at once, and where such rows are many, nothing for a while: what
 * was done for the rows behind one has to be done again. */
static void learn(wl_sheet *sheet, size_t tried, size_t held) {
    if (tried && held == tried) {
        sheet->pause = 0;
        sheet->most = wl_smaller(sheet->most * 2, WL_SHEET_ROWS);
        return;
    }
    sheet->most = held < 4 ? 8 : wl_smaller(held * 2, WL_SHEET_ROWS);
    sheet->pause = held < 4 ? wl_smaller(sheet->pause * 2 + 1, 64) : 0;
    sheet->wait = sheet->pause;
}

/* Addresses only: nothing is read, so the input may end before. */
static void fetch(uintptr_t at, size_t size) {
    for (size_t i = 0; i < size; i += LINE)
        __builtin_prefetch((const void *)(at + i));
}

static void fetch_to_write(const wl_sheet *sheet, size_t number, size_t rows) {
    const wl_sheet_step *step = sheet->columns + number;
    for (size_t i = 0; number < sheet->column_count && i < rows * step->width; i += LINE)
        __builtin_prefetch(step->out + sheet->row * step->width + i, 1);
}

/* Where rows are of one size each column asks for its share of the block that follows, and for the memory of a column
 * to come: between columns is where processors see nothing coming. */
static void run_columns(wl_sheet *sheet, size_t rows) {
    const size_t share = sheet->stride * WL_SHEET_ROWS / (sheet->column_count + 1) + LINE;
    const uint8_t *next = sheet->at[0][rows];
    for (size_t i = 0; i < sheet->column_count; i++) {
        if (sheet->stride) {
            fetch((uintptr_t)next + i * share, share);
            fetch_to_write(sheet, i + COLUMNS_AHEAD, rows);
        }
        sheet->columns[i].run(sheet, sheet->columns + i, rows);
    }
}

size_t wl_sheet_run(wl_sheet *sheet, size_t rows, size_t tried) {
    for (size_t i = 0; i < sheet->check_count && rows; i++)
        rows = sheet->checks[i].run(sheet, sheet->checks + i, rows);
    if (rows)
        run_columns(sheet, rows);
    learn(sheet, tried, rows);
    return rows;
}

wl_sheet *wl_sheet_make(wl_run *run) {
    if (run->arguments->row_by_row || run->unprepared)
        return NULL;
    size_t steps = 0;
    while (run->plan[steps].operation != WL_RUN_END)
        steps++;
    /* Any step of the plan may become one of either kind. */
    wl_sheet *sheet = malloc(sizeof *sheet + steps * (sizeof *sheet->sums + sizeof *sheet->copies +
                                                      sizeof *sheet->checks + sizeof *sheet->columns));
    if (!sheet)
        return NULL;
    memset(sheet, 0, offsetof(wl_sheet, at));
    sheet->run = run;
    sheet->sums = (wl_sum *)(void *)(sheet + 1);
    sheet->copies = (wl_string_column *)(void *)(sheet->sums + steps);
    sheet->checks = (wl_sheet_step *)(void *)(sheet->copies + steps);
    sheet->columns = sheet->checks + steps;
    sheet->most = WL_SHEET_ROWS;
    if (wl_sheet_plan(sheet))
        return sheet;
    free(sheet);
    return NULL;
}

void wl_sheet_free(wl_sheet *sheet) { free(sheet); }

/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of one case of a library beside libcomity in each language; cases are numbered by kTasks and kRecords of beside.cpp. */
#ifndef BENCH_FORTRAN_BESIDE_H
#define BENCH_FORTRAN_BESIDE_H

#include <comity/record.h>
#include <comity/sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In a fiber. */
void tasks_in_c(int number, int turns);
void tasks_in_fortran(int number, int turns);

/* `loaded`: a rank of the record, with a fact. */
void records_in_c(const comity_record* record, const comity_record_rank* loaded, int number, int turns);
void records_in_fortran(const comity_record* record, const comity_record_rank* loaded, int number, int turns);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of one case in each language; cases are numbered by kCases of main.cpp. */
#ifndef BENCH_FORTRAN_CALLS_H
#define BENCH_FORTRAN_CALLS_H

#include <comity/comity.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `group`: of this rank alone, split from the context. */
void calls_in_c(comity_context* context, comity_group* group, int number, int calls);
void calls_in_fortran(comity_context* context, comity_group* group, int number, int calls);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Expectations for tests in C: each prints what it found, the end says how many failed. */
#ifndef COMITY_TESTS_EXPECT_H
#define COMITY_TESTS_EXPECT_H

#include <comity/comity.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect_status(const char* what, comity_status found, comity_status wanted) {
  if (found == wanted) return;
  ++failures;
  printf("FAIL: %s: %s (\"%s\"), expected %s\n", what, comity_status_name(found), comity_last_error(),
         comity_status_name(wanted));
}

/* The call fails with that code, and its sentence holds the words. */
static void expect_failure(const char* what, comity_status found, comity_status wanted, const char* words) {
  expect_status(what, found, wanted);
  if (strstr(comity_last_error(), words) != NULL) return;
  ++failures;
  printf("FAIL: %s: the sentence \"%s\" does not say \"%s\"\n", what, comity_last_error(), words);
}

static void expect_int(const char* what, long found, long wanted) {
  if (found == wanted) return;
  ++failures;
  printf("FAIL: %s: %ld, expected %ld\n", what, found, wanted);
}

static int finish(void) {
  printf(failures == 0 ? "all expectations hold\n" : "%d expectations failed\n", failures);
  return failures == 0 ? 0 : 1;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Codes: what a failure of Comity is called in QUO, and telling its sentence on the standard error where QUO does. Not: which
// arguments a function of QUO takes.
#pragma once

#include <comity/error.h>
#include <quo.h>

namespace comity::quo {

// What QUO_ERR_... a status is where nothing else is said.
[[nodiscard]] int code_of(comity_status status);

// A failure in `call`, a function's name; prints why and returns `code`.
int fail(const char* call, int code, const char* why);
// One that a program may ask for, to try whether something is there: libquo prints nothing of it. comity_last_error() has why.
int decline(const char* call, int code, const char* why);

// QUO_SUCCESS, or the failure with Comity's sentence: declined where an index, an object or a push is not there, else told.
[[nodiscard]] int answer(const char* call, comity_status status);
// The same, but always told: of a create and of what ranks meet in, which nobody calls to try whether something is there.
[[nodiscard]] int answer_aloud(const char* call, comity_status status);
// As `answer`, of an index: a kind that the node lacks has no index at all.
[[nodiscard]] int answer_index(const char* call, comity_status status);
// The same, of a binding, which the kernel may refuse.
[[nodiscard]] int answer_binding(const char* call, comity_status status);

}  // namespace comity::quo

// SPDX-License-Identifier: BSD-3-Clause
#include "compat/quo/codes.hpp"

#include <array>
#include <cstdio>

namespace comity::quo {
namespace {

const char* name_of(int code) {
  switch (code) {
    case QUO_ERR:
      return "QUO_ERR";
    case QUO_ERR_SYS:
      return "QUO_ERR_SYS";
    case QUO_ERR_OOR:
      return "QUO_ERR_OOR";
    case QUO_ERR_INVLD_ARG:
      return "QUO_ERR_INVLD_ARG";
    case QUO_ERR_TOPO:
      return "QUO_ERR_TOPO";
    case QUO_ERR_MPI:
      return "QUO_ERR_MPI";
    case QUO_ERR_NOT_SUPPORTED:
      return "QUO_ERR_NOT_SUPPORTED";
    case QUO_ERR_POP:
      return "QUO_ERR_POP";
    case QUO_ERR_NOT_FOUND:
      return "QUO_ERR_NOT_FOUND";
    default:
      return "?";
  }
}

bool is_declined(comity_status status) {
  return status == COMITY_ERR_RANGE || status == COMITY_ERR_NOT_FOUND || status == COMITY_ERR_ORDER;
}

int answer_as(const char* call, comity_status status, int code) {
  if (code == QUO_SUCCESS) return QUO_SUCCESS;
  return is_declined(status) ? decline(call, code, comity_last_error()) : fail(call, code, comity_last_error());
}

}  // namespace

int code_of(comity_status status) {
  switch (status) {
    case COMITY_OK:
      return QUO_SUCCESS;
    case COMITY_ERR_ARGUMENT:
    case COMITY_ERR_HANDLE:
    case COMITY_ERR_RANGE:
    case COMITY_ERR_OPTION:
      return QUO_ERR_INVLD_ARG;
    case COMITY_ERR_NOT_FOUND:
      return QUO_ERR_NOT_FOUND;
    case COMITY_ERR_ORDER:
      return QUO_ERR_POP;
    case COMITY_ERR_MPI:
      return QUO_ERR_MPI;
    case COMITY_ERR_TOPOLOGY:
      return QUO_ERR_TOPO;
    case COMITY_ERR_VERSION:
    case COMITY_ERR_SYSTEM:
    case COMITY_ERR_PEER_LOST:
    case COMITY_ERR_TIMEOUT:
      return QUO_ERR_SYS;
    case COMITY_ERR_MEMORY:
      return QUO_ERR_OOR;
    case COMITY_ERR_UNSUPPORTED:
      return QUO_ERR_NOT_SUPPORTED;
    case COMITY_ERR_INTERNAL:
      return QUO_ERR;
  }
  return QUO_ERR;
}

int fail(const char* call, int code, const char* why) {
  (void)std::fprintf(stderr, "[quo] %s: %s (%s)\n", call, why, name_of(code));
  return code;
}

int decline(const char* call, int code, const char* why) {
  std::array<char, 2048> sentence{};  // `why` may be the one that this replaces
  (void)std::snprintf(sentence.data(), sentence.size(), "%s: %s (%s)", call, why, name_of(code));
  comity_report_failure(sentence.data());
  return code;
}

int answer(const char* call, comity_status status) { return answer_as(call, status, code_of(status)); }

int answer_aloud(const char* call, comity_status status) {
  return status == COMITY_OK ? QUO_SUCCESS : fail(call, code_of(status), comity_last_error());
}

int answer_index(const char* call, comity_status status) {
  return answer_as(call, status, status == COMITY_ERR_NOT_FOUND ? QUO_ERR_INVLD_ARG : code_of(status));
}

int answer_binding(const char* call, comity_status status) {
  // Declined by libquo, too: where nothing can be bound every push would say so.
  if (status == COMITY_ERR_SYSTEM) return decline(call, QUO_ERR_NOT_SUPPORTED, comity_last_error());
  return answer(call, status);
}

}  // namespace comity::quo

// SPDX-License-Identifier: BSD-3-Clause
#include <comity/error.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "capi/guard.hpp"

namespace comity::capi {
namespace {

// Fixed room, so that remembering an error cannot fail; longer sentences are cut.
thread_local std::array<char, 2048> last_sentence{};

const StatusRow* row_of(comity_status status) {
  const auto code = static_cast<std::size_t>(status);
  return code < kStatusTable.size() ? &kStatusTable[code] : nullptr;
}

}  // namespace

void remember_error(std::string_view sentence) noexcept {
  const std::size_t length = std::min(sentence.size(), last_sentence.size() - 1);
  std::memcpy(last_sentence.data(), sentence.data(), length);
  last_sentence[length] = '\0';
}

}  // namespace comity::capi

using namespace comity;

const char* comity_status_name(comity_status status) {
  const StatusRow* row = capi::row_of(status);
  return row == nullptr ? "COMITY_ERR_?" : row->name.data();
}

const char* comity_status_text(comity_status status) {
  const StatusRow* row = capi::row_of(status);
  return row == nullptr ? "Not a code of Comity." : row->text.data();
}

const char* comity_last_error(void) { return capi::last_sentence.data(); }

void comity_report_failure(const char* sentence) { capi::remember_error(sentence == nullptr ? "" : sentence); }

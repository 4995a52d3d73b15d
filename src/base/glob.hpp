// SPDX-License-Identifier: BSD-3-Clause
// Whether a text is of a pattern: `*` stands for any characters but '/', `**` for any, `?` for one that is not '/'. Neither
// allocates nor asks for the locale, as fnmatch does, so that it may stand behind malloc.
#pragma once

#include <string_view>

namespace comity {

[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text) noexcept;

}  // namespace comity

// SPDX-License-Identifier: BSD-3-Clause
// `comity --man [PAGE]`: the manual pages, made from the tables of commands and settings and from what each command
// says in its help. The build writes them to files (cmake/ComityManPages.cmake); nobody writes one by hand.
#pragma once

#include <span>
#include <string>

namespace comity::cli {

// Without a word the names of all pages, such as comity-topo.1, one a line; with one of them that page as roff.
[[nodiscard]] int man_page(std::span<const std::string> words);

}  // namespace comity::cli

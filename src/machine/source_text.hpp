// SPDX-License-Identifier: BSD-3-Clause
// What a user wrote to name a machine, looked at before hwloc sees it: hwloc says only "invalid", and has no
// limits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace comity::machine {

// The text of an XML file; throws Status::topology naming file and cause. "-" is a file of that name, not the
// standard input as in hwloc, and what is larger than 64 MiB is refused: it may have no end. `place`: where the user wrote
// the name, for the advice; "": nowhere that can be told.
[[nodiscard]] std::string read_xml_file(const std::string& path, const std::string& place);

// What of a topology in XML hwloc does not survive, as far as that is known: an object with a set and without its complete
// form. "" where there is nothing of it.
[[nodiscard]] std::string why_xml_ends_hwloc(std::string_view text);

// [count] PUs that a synthetic description asks for: the product of its counts. 1 where it has none; the
// largest number where they overflow. Not whether the description is valid.
[[nodiscard]] std::size_t count_synthetic_pus(std::string_view description);

}  // namespace comity::machine

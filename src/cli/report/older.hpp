// SPDX-License-Identifier: BSD-3-Clause
// What a file of memnesia says of its run, in the place of a record.
#pragma once

#include <string>

namespace comity::cli {

// Prints it, and draws it where a picture is named. Throws Error where it makes no sense.
int report_older(const std::string& file, bool json, const std::string& picture);

}  // namespace comity::cli

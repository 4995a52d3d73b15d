// SPDX-License-Identifier: BSD-3-Clause
#include "quiesce/arguments.hpp"

#include <stdexcept>

namespace bench::quiesce {
namespace {

constexpr const char* kUsage = "bench-quiesce-<mpi> [--case NAME] [--units COUNT] [--seconds S] [--samples COUNT]";

template <typename Number>
Number positive(Number number) {
  if (!(number > 0)) throw std::invalid_argument("not above 0");
  return number;
}

void take(Arguments& arguments, const std::string& option, const std::string& value) {
  if (option == "--case") {
    arguments.name = value;
  } else if (option == "--units") {
    arguments.units = positive(std::stoi(value));
  } else if (option == "--seconds") {
    arguments.seconds = positive(std::stod(value));
  } else if (option == "--samples") {
    arguments.samples = positive(std::stoi(value));
  } else {
    throw std::invalid_argument("no such option");
  }
}

}  // namespace

Arguments parse_arguments(int count, char** words) {
  Arguments arguments;
  for (int place = 1; place < count; place += 2) {
    const std::string option = words[place];
    const std::string value = place + 1 < count ? words[place + 1] : "";
    try {
      take(arguments, option, value);
    } catch (const std::logic_error& reason) {
      std::string what = option;
      what.append(" '").append(value).append("': ").append(reason.what()).append("; usage: ").append(kUsage);
      throw std::invalid_argument(what);
    }
  }
  return arguments;
}

}  // namespace bench::quiesce

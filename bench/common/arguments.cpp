// SPDX-License-Identifier: BSD-3-Clause
#include "common/arguments.hpp"

#include <stdexcept>

namespace bench {
namespace {

constexpr const char* kUsage = "-<mpi> [--case NAME] [--units COUNT] [--threads COUNT] [--seconds S] [--samples COUNT]";

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
  } else if (option == "--threads") {
    arguments.threads = positive(std::stoi(value));
  } else if (option == "--seconds") {
    arguments.seconds = positive(std::stod(value));
  } else if (option == "--samples") {
    arguments.samples = positive(std::stoi(value));
  } else {
    throw std::invalid_argument("no such option");
  }
}

}  // namespace

Arguments parse_arguments(const std::string& program, int count, char** words) {
  Arguments arguments;
  for (int place = 1; place < count; place += 2) {
    const std::string option = words[place];
    const std::string value = place + 1 < count ? words[place + 1] : "";
    try {
      take(arguments, option, value);
    } catch (const std::logic_error& reason) {
      std::string what = option;
      what.append(" '")
          .append(value)
          .append("': ")
          .append(reason.what())
          .append("; usage: ")
          .append(program)
          .append(kUsage);
      throw std::invalid_argument(what);
    }
  }
  return arguments;
}

}  // namespace bench

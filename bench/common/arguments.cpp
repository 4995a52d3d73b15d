// SPDX-License-Identifier: BSD-3-Clause
#include "common/arguments.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <system_error>

namespace bench {
namespace {

constexpr const char* kUsage = "-<mpi> [--case NAME] [--units COUNT] [--threads COUNT] [--seconds S] [--samples COUNT]";

// Throws where a word is no number, or more than one.
template <typename Number>
Number whole(const std::string& value) {
  Number number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size()) throw std::invalid_argument("no number");
  if (!std::isfinite(static_cast<double>(number))) throw std::invalid_argument("no finite number");
  return number;
}

template <typename Number>
Number positive(Number number) {
  if (!(number > 0)) throw std::invalid_argument("not above 0");
  return number;
}

void take(Arguments& arguments, const std::string& option, const std::string& value) {
  if (option == "--case") {
    arguments.name = value;
  } else if (option == "--units") {
    arguments.units = positive(whole<int>(value));
  } else if (option == "--threads") {
    arguments.threads = positive(whole<int>(value));
  } else if (option == "--seconds") {
    arguments.seconds = positive(whole<double>(value));
  } else if (option == "--samples") {
    arguments.samples = positive(whole<int>(value));
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

// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/regions.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "os/code/symbol.hpp"

namespace comity::runtime {
namespace {

constexpr std::size_t kLongest_bytes = 255;

// The names by which a preloaded library is found: it stands before us in the process, and needs none of our libraries.
struct Tool {
  void (*begin)(const char* name) =
      reinterpret_cast<void (*)(const char*)>(os::find_symbol("comity_tool_region_begin"));
  void (*end)() = reinterpret_cast<void (*)()>(os::find_symbol("comity_tool_region_end"));

  static const Tool& here() {
    static const Tool found;
    return found;
  }
};

thread_local int open_regions = 0;

// "(run)", "(others)", "(all)", and the regions of MPI_Pcontrol's levels (metrics): their rows would hold both.
bool is_of_the_figures(std::string_view name) { return name.starts_with('(') || name.starts_with("MPI_Pcontrol("); }

void check(const char* name) {
  const std::size_t length = std::strlen(name);
  if (length == 0) throw Error(Status::argument, "begin a region: its name is empty; say what the program does in it");
  if (length > kLongest_bytes) {
    throw Error(Status::argument, "begin a region: its name has " + std::to_string(length) +
                                      " bytes; shorten it to 255: " + visible(begin_of(name, 40)) + "...");
  }
  if (!is_visible(name)) {
    throw Error(Status::argument,
                "begin a region: the name \"" + visible(name) +
                    "\" has bytes, shown as \"?\", that are no visible letters of UTF-8; write it in that encoding");
  }
  if (std::strchr(name, '/') != nullptr) {
    throw Error(Status::argument, "begin a region: the name \"" + std::string(name) +
                                      "\" has a \"/\", which joins regions inside each other; use another sign");
  }
  if (is_of_the_figures(name)) {
    throw Error(Status::argument, "begin a region: the name \"" + std::string(name) +
                                      "\" is one that figures have for rows of their own, as \"(run)\" and "
                                      "\"MPI_Pcontrol(3)\"; use one that begins otherwise");
  }
}

}  // namespace

void begin_region(const char* name) {
  check(name);
  ++open_regions;
  if (Tool::here().begin != nullptr) Tool::here().begin(name);
}

void end_region() {
  if (open_regions == 0) {
    throw Error(Status::order, "end a region: this thread has begun none; each comity_region_end needs a begin before");
  }
  --open_regions;
  if (Tool::here().end != nullptr) Tool::here().end();
}

}  // namespace comity::runtime

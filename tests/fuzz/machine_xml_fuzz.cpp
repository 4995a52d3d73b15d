// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a topology file, or the machine that it describes answers every query. Some
// texts end hwloc itself; a child finds those out first, for they say nothing of Comity. Seeds: the described machines.
#include <hwloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../machine/every_query.hpp"
#include "base/error.hpp"
#include "machine/loader.hpp"
#include "machine/source_text.hpp"

namespace {

void read_with_hwloc_alone(const std::string& text) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return;
  const int bytes = static_cast<int>(text.size() + 1);
  if (hwloc_topology_set_xmlbuffer(topology, text.c_str(), bytes) == 0) (void)hwloc_topology_load(topology);
  hwloc_topology_destroy(topology);
}

bool ends_hwloc(const std::string& text) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDERR_FILENO);
    ::alarm(2);
    read_with_hwloc_alone(text);
    ::_exit(0);
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child)
    std::abort();  // else nothing would be tested, and nobody see it
  return status != 0;
}

// A file without a name, under the path that the loader opens.
std::string file_of(const std::string& text) {
  static const int file = ::memfd_create("topology", MFD_CLOEXEC);
  if (::ftruncate(file, 0) != 0) std::abort();
  if (::pwrite(file, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

// The same XML as most programs write it.
std::string without_space_around_equals(const std::string& text) {
  const std::string blanks = " \t\r\n";
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '=') {
      plain += text[at];
      continue;
    }
    plain.erase(plain.find_last_not_of(blanks) + 1);
    plain += '=';
    at = std::min(text.find_first_not_of(blanks, at + 1), text.size()) - 1;
  }
  return plain;
}

// What is known to end hwloc is known however it is spelt.
void expect_one_verdict(const std::string& text) {
  using comity::machine::why_xml_ends_hwloc;
  if (why_xml_ends_hwloc(text).empty() && !why_xml_ends_hwloc(without_space_around_equals(text)).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  if (ends_hwloc(text)) {
    expect_one_verdict(text);
    return -1;  // not to be kept
  }
  try {
    const comity::machine::Image image = comity::machine::load_xml(file_of(text));
    (void)comity::machine::ask_everything(comity::machine::Machine(image));
  } catch (const comity::Error&) {
    return 0;  // refused
  }
  return 0;
}

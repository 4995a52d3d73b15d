// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a topology file, or the machine that it describes answers every query. Some
// texts end hwloc itself; a child finds those out first, for they say nothing of Comity. How many were dropped so is said at
// the end, lest a run that tries nothing look like one that finds nothing. Seeds: the described machines, the .xml files in
// the folders of the command line; they need no child, and one that is not read ends the run.
#include <hwloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "../machine/every_query.hpp"
#include "base/error.hpp"
#include "machine/loader.hpp"
#include "machine/source_text.hpp"

namespace {

struct Count {
  std::size_t tried;
  std::size_t dropped;  // for they end hwloc, or keep it for too long
  std::size_t machines;
};
Count count{};

std::set<std::string> unread_machines;

void say_count() {
  std::fprintf(stderr,
               "%zu texts tried, %zu dropped before Comity saw them; of %zu described machines %zu were not read\n",
               count.tried, count.dropped, count.machines, unread_machines.size());
}

void keep_machines_in(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".xml") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    unread_machines.emplace(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
}

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

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int at = 1; at < *argc; ++at) {
    if (std::filesystem::is_directory((*argv)[at])) keep_machines_in((*argv)[at]);
  }
  count.machines = unread_machines.size();
  return std::atexit(say_count);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  const bool is_machine = unread_machines.contains(text);
  ++count.tried;
  if (!is_machine && ends_hwloc(text)) {
    ++count.dropped;
    expect_one_verdict(text);
    return -1;  // not to be kept
  }
  try {
    const comity::machine::Image image = comity::machine::load_xml(file_of(text));
    (void)comity::machine::ask_everything(comity::machine::Machine(image));
    unread_machines.erase(text);
  } catch (const comity::Error& error) {
    if (!is_machine) return 0;  // refused
    std::fprintf(stderr, "a described machine is refused: %s\n", error.what());
    std::abort();
  }
  return 0;
}

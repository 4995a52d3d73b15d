// SPDX-License-Identifier: BSD-3-Clause
#include "os/kernel.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/error.hpp"
#include "os/files/descriptor.hpp"

namespace comity::os {

std::string boot_id() {
  constexpr const char* kPath = "/proc/sys/kernel/random/boot_id";
  try {
    std::array<std::byte, 64> text{};
    const std::size_t length = read_at(open_file(kPath, O_RDONLY), text, 0);
    const std::string id(reinterpret_cast<const char*>(text.data()), length);
    return id.substr(0, id.find('\n'));
  } catch (const Error&) {
    return {};
  }
}

std::string host_name() {
  constexpr std::size_t kMost = 256;
  std::array<char, kMost> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

std::uint64_t namespace_id(const std::string& kind) {
  struct stat status {};
  if (::stat(("/proc/self/ns/" + kind).c_str(), &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_ino);
}

pid_t process_id() { return ::getpid(); }

std::size_t read_program_path(std::span<char> into) noexcept {
  const ssize_t bytes = ::readlink("/proc/self/exe", into.data(), into.size());
  return bytes <= 0 || static_cast<std::size_t>(bytes) == into.size() ? 0 : static_cast<std::size_t>(bytes);
}

bool process_exists(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t online_cpus() { return static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

void fill_random(std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::getrandom(into.data() + done, into.size() - done, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("getrandom", errno);
    done += static_cast<std::size_t>(got);
  }
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  fill_random(std::as_writable_bytes(std::span(&number, 1)));
  return number;
}

std::string random_hex(std::size_t bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::vector<std::byte> random(bytes);
  fill_random(random);
  std::string text;
  for (const std::byte value : random) {
    text += kDigits[std::to_integer<unsigned>(value) >> 4U];
    text += kDigits[std::to_integer<unsigned>(value) & 15U];
  }
  return text;
}

}  // namespace comity::os

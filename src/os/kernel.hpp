// SPDX-License-Identifier: BSD-3-Clause
// What only the kernel knows: which boot this is, which namespaces and process we are, random bytes, CPUs
// online.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace comity::os {

// "3a1f..-..": equal on two processes exactly if one kernel runs both; "" where /proc is missing.
[[nodiscard]] std::string boot_id();

[[nodiscard]] std::string host_name();  // "" where the kernel does not tell

// Inode of /proc/self/ns/<kind> ("pid", "user", "mnt", "net"); 0 where it cannot be read.
[[nodiscard]] std::uint64_t namespace_id(const std::string& kind);

[[nodiscard]] pid_t process_id();
// [bytes] Of the path of this process's program, without allocating; 0 where the kernel does not tell it, or it does not fit.
[[nodiscard]] std::size_t read_program_path(std::span<char> into) noexcept;
// Whether this namespace has such a process. Numbers are reused: for liveness use OfdLock.
[[nodiscard]] bool process_exists(pid_t process);

[[nodiscard]] std::size_t online_cpus();
[[nodiscard]] std::size_t page_bytes() noexcept;

void fill_random(std::span<std::byte> into);
[[nodiscard]] std::uint64_t random_number();
[[nodiscard]] std::string random_hex(std::size_t bytes);  // 2 * bytes digits

}  // namespace comity::os

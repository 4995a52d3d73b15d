// SPDX-License-Identifier: BSD-3-Clause
// Futexes, sockets, environment, and what only the kernel knows.
#include "os/kernel.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/error.hpp"
#include "os/environment.hpp"
#include "os/files/memory_file.hpp"
#include "os/files/unix_socket.hpp"
#include "os/host_address.hpp"
#include "os/memory/page_node.hpp"
#include "os/threads/futex.hpp"

namespace comity::os {
namespace {

using namespace std::chrono_literals;

TEST(Futex, ReturnsAtOnceWhenTheWordIsNotAsExpected) {
  const std::atomic<std::uint32_t> word{1};
  EXPECT_EQ(futex_wait(word, 0, 10s), FutexEnd::changed);
}

TEST(Futex, TimesOutAtItsDeadline) {
  const std::atomic<std::uint32_t> word{0};
  const std::int64_t start_ns = now_ns();
  EXPECT_EQ(futex_wait(word, 0, 5ms), FutexEnd::timed_out);
  EXPECT_GE(now_ns() - start_ns, 5'000'000);
  EXPECT_EQ(futex_wait_until(word, 0, 0), FutexEnd::timed_out);
  EXPECT_EQ(futex_wait_until(word, 0, -7), FutexEnd::timed_out);
}

TEST(Futex, WakesWhoSleeps) {
  const std::atomic<std::uint32_t> word{0};  // never changes, so only the wake-up can end the sleep in time
  FutexEnd end = FutexEnd::changed;
  std::thread sleeper([&] { end = futex_wait(word, 0, 10s); });
  int woken = 0;
  for (const std::int64_t deadline_ns = now_ns() + 5'000'000'000; woken == 0 && now_ns() < deadline_ns;) {
    std::this_thread::yield();
    woken = futex_wake(word);  // 0: it does not sleep yet
  }
  sleeper.join();
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(end, FutexEnd::woken);
}

TEST(DescriptorSocket, HandsOverTwoDescriptorsToWhoeverIsToldTheName) {
  DescriptorReceiver receiver;
  const PassedDescriptors files{create_memory_file("one", 111), create_memory_file("two", 222)};
  const std::array<std::byte, 4> text{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  EXPECT_FALSE(receiver.receive(text).has_value());
  send_descriptors(receiver.name(), text, files);
  const auto got = receiver.receive(text);
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(file_facts((*got)[0]).bytes, 111U);
  EXPECT_EQ(file_facts((*got)[1]).bytes, 222U);
}

TEST(DescriptorSocket, DropsMessagesOfStrangersAndTheirDescriptors) {
  DescriptorReceiver receiver;
  const PassedDescriptors files{create_memory_file("one", 111), create_memory_file("two", 222)};
  const std::array<std::byte, 2> wrong{std::byte{9}, std::byte{9}};
  const std::array<std::byte, 3> longer{std::byte{1}, std::byte{2}, std::byte{3}};
  const std::array<std::byte, 2> right{std::byte{1}, std::byte{2}};
  const int before = ::dup(0);
  ::close(before);
  send_descriptors(receiver.name(), wrong, files);
  send_descriptors(receiver.name(), longer, files);
  EXPECT_FALSE(receiver.receive(right).has_value());
  const int after = ::dup(0);
  ::close(after);
  EXPECT_EQ(before, after);  // the lowest free number: nothing stayed open
  send_descriptors(receiver.name(), wrong, files);
  send_descriptors(receiver.name(), right, files);
  EXPECT_TRUE(receiver.receive(right).has_value());
}

TEST(DescriptorSocket, ANameThatNobodyListensToIsAnError) {
  const PassedDescriptors files{create_memory_file("one", 1), create_memory_file("two", 1)};
  EXPECT_THROW(send_descriptors("comity-nobody", std::array<std::byte, 1>{}, files), Error);
}

TEST(Environment, TellsAnUnsetVariableFromAnEmptyOne) {
  ::setenv("COMITY_TEST_EMPTY", "", 1);
  ::setenv("COMITY_TEST_SET", "a=b", 1);
  ::unsetenv("COMITY_TEST_UNSET");
  EXPECT_EQ(environment("COMITY_TEST_EMPTY"), "");
  EXPECT_EQ(environment("COMITY_TEST_SET"), "a=b");
  EXPECT_EQ(environment("COMITY_TEST_UNSET"), std::nullopt);
  const auto names = environment_names("COMITY_TEST_S");
  EXPECT_EQ(names, std::vector<std::string>{"COMITY_TEST_SET"});
}

TEST(Kernel, KnowsThisBootThisProcessAndItsNamespaces) {
  EXPECT_EQ(boot_id().size(), 36U);
  EXPECT_EQ(boot_id(), boot_id());
  EXPECT_NE(namespace_id("pid"), 0U);
  EXPECT_EQ(namespace_id("nonsense"), 0U);
  EXPECT_TRUE(process_exists(process_id()));
  EXPECT_FALSE(process_exists(0));
  EXPECT_FALSE(process_exists(-1));
  EXPECT_GE(online_cpus(), 1U);
}

TEST(Kernel, RandomNumbersDiffer) {
  EXPECT_NE(random_number(), random_number());
  EXPECT_EQ(random_hex(16).size(), 32U);
  EXPECT_NE(random_hex(16), random_hex(16));
}

TEST(Page, OfWrittenMemoryIsAtSomeNode) {
  const std::vector<char> page(1U << 20U, 1);
  const std::optional<int> node = node_of_page(page.data() + page.size() / 2);
  EXPECT_GE(node.value_or(0), 0);  // a container may forbid the question
  EXPECT_EQ(node_of_page(nullptr), std::nullopt);
}

TEST(HostAddresses, LeaveOutTheLoopback) {
  for (const std::string& address : host_addresses()) {
    EXPECT_FALSE(address.empty());
    EXPECT_FALSE(address.starts_with("127.")) << address;
    EXPECT_NE(address, "::1");
  }
}

}  // namespace
}  // namespace comity::os

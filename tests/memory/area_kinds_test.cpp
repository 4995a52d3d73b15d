// SPDX-License-Identifier: BSD-3-Clause
// What mappings are, told from maps of programs whose layout is known.
#include "memory/area_kinds.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace comity::memory {
namespace {

using Blocks = std::vector<std::uint64_t>;

std::optional<std::uint64_t> nobody_knows(const os::Area&) { return std::nullopt; }

std::vector<AreaRole> roles(std::string_view maps, const ObjectSpan& span = nobody_knows, const Blocks& blocks = {}) {
  const Components components;
  return roles_of(os::parse_areas(maps), components, span, blocks);
}

TEST(AreaKinds, NamesOfTheKernelTell) {
  const auto told = roles(
      "00400000-00401000 r-xp 00000000 fd:01 17 /home/me/model\n"
      "01000000-01100000 rw-p 00000000 00:00 0 [heap]\n"
      "7f0000000000-7f0000001000 r--p 00000000 fd:01 18 /data/mesh.bin\n"
      "7f0000001000-7f0000002000 r-xp 00000000 fd:01 19 /usr/lib/libmpich.so.12.2.2\n"
      "7f0000002000-7f0000003000 rw-p 00001000 fd:01 19 /usr/lib/libmpich.so.12.2.2\n"
      "7f0000010000-7f0000011000 rw-s 00000000 00:01 20 /memfd:comity-node (deleted)\n"
      "7f0000011000-7f0000012000 rw-s 00000000 00:01 21 /dev/shm/vader_segment.vm.0.1.0\n"
      "7f0000012000-7f0000013000 rw-s 00000000 00:01 22 /SYSV00000000 (deleted)\n"
      "7f0000013000-7f0000014000 rw-s 00000000 00:01 23 /dev/zero (deleted)\n"
      "7f0000014000-7f0000015000 rw-s 00000000 fd:01 24 /home/me/log.bin\n"
      "7f0000015000-7f0000016000 rw-s 00000000 fd:01 25 /tmp/ompi.vm.0/pid.1/pmix_dstor_ds21_1/smseg-1-0\n"
      "7f0000015000-7f0000016000 rw-s 00000000 fd:01 27 /scratch/comity-1000/3a1f09/rank-000012.comity\n"
      "7f0000015000-7f0000016000 rw-s 00000000 fd:01 28 /scratch/comity-1000/3a1f09/rank-000013.comity (deleted)\n"
      "7f0000016000-7f0000017000 r-xp 00000000 00:01 26 /memfd:jit (deleted)\n"
      "7f0000017000-7f0000018000 rw-p 00000000 00:00 0 \n"
      "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n"
      "7ffc00022000-7ffc00023000 r-xp 00000000 00:00 0 [vdso]\n"
      "7ffc00023000-7ffc00024000 r--p 00000000 00:00 0 [vvar_vclock]\n");
  const std::vector<std::pair<AreaKind, Component>> expected{
      {AreaKind::object, Component::application},  {AreaKind::heap, Component::heap},
      {AreaKind::file, Component::file},           {AreaKind::object, Component::mpi},
      {AreaKind::object, Component::mpi},          {AreaKind::segment, Component::comity},
      {AreaKind::segment, Component::mpi},         {AreaKind::segment, Component::shared},
      {AreaKind::segment, Component::shared},      {AreaKind::file, Component::file},
      {AreaKind::segment, Component::pmix},        {AreaKind::file, Component::comity},
      {AreaKind::file, Component::comity},         {AreaKind::segment, Component::shared},
      {AreaKind::anonymous, Component::anonymous}, {AreaKind::stack, Component::stack},
      {AreaKind::kernel, Component::kernel},       {AreaKind::kernel, Component::kernel}};
  ASSERT_EQ(told.size(), expected.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].kind, expected[i].first) << i;
    EXPECT_EQ(told[i].component, expected[i].second) << i;
    EXPECT_EQ(told[i].object_until, 0U) << i;
  }
}

TEST(AreaKinds, GivenNamesOfPrivateMemoryTell) {
  const auto told = roles(
      "7f0000000000-7f0000001000 rw-p 00000000 00:00 0 [anon: glibc: malloc arena]\n"
      "7f0000002000-7f0000003000 rw-p 00000000 00:00 0 [anon: glibc: pthread stack: 17]\n"
      "7f0000004000-7f0000005000 rw-p 00000000 00:00 0 [anon:fields]\n"
      "7f0000006000-7f0000007000 rw-s 00000000 00:01 7 [anon_shmem:halo]\n");
  EXPECT_EQ(told[0].kind, AreaKind::heap);
  EXPECT_EQ(told[1].kind, AreaKind::stack);
  EXPECT_EQ(told[2].kind, AreaKind::anonymous);
  EXPECT_EQ(told[3].kind, AreaKind::segment);
}

constexpr std::string_view kLibrary =
    "7f0000000000-7f0000001000 r-xp 00000000 fd:01 19 /usr/lib/libucp.so.0\n"
    "7f0000001000-7f0000002000 rw-p 00001000 fd:01 19 /usr/lib/libucp.so.0\n"
    "7f0000002000-7f0000802000 rw-p 00000000 00:00 0 \n";

TEST(AreaKinds, MemoryBehindAnObjectIsItsOwnAsFarAsTheObjectGoes) {
  const auto told = roles(kLibrary, [](const os::Area& first) {
    EXPECT_EQ(first.start, 0x7f0000000000U);
    return std::optional<std::uint64_t>(0x6000);
  });
  EXPECT_EQ(told[2].object_until, 0x7f0000006000U);
  EXPECT_EQ(told[2].object, Component::fabric);
  EXPECT_EQ(told[2].kind, AreaKind::anonymous);
}

TEST(AreaKinds, OfAnObjectWhoseFileIsGoneOnlyLittleIsBelievedToBe) {
  EXPECT_EQ(roles(kLibrary)[2].object_until, 0U);
  const auto told = roles(
      "7f0000000000-7f0000001000 r-xp 00000000 fd:01 19 /usr/lib/libucp.so.0\n"
      "7f0000001000-7f0000002000 rw-p 00001000 fd:01 19 /usr/lib/libucp.so.0\n"
      "7f0000002000-7f0000006000 rw-p 00000000 00:00 0 \n");
  EXPECT_EQ(told[2].object_until, 0x7f0000006000U);
}

TEST(AreaKinds, AHeapThatBeginsInTheProgramIsPartlyThePrograms) {
  const auto told = roles(
      "00400000-00401000 r-xp 00000000 fd:01 17 /home/me/model\n"
      "00401000-00500000 rw-p 00000000 00:00 0 [heap]\n",
      [](const os::Area&) { return std::optional<std::uint64_t>(0x3000); });
  EXPECT_EQ(told[1].kind, AreaKind::heap);
  EXPECT_EQ(told[1].object_until, 0x403000U);
}

TEST(AreaKinds, AnObjectLoadedTwiceIsTwoObjects) {
  std::vector<std::uint64_t> begins;
  const auto told = roles(
      "7f0000000000-7f0000001000 r-xp 00000000 fd:01 19 /usr/lib/libucp.so.0\n"
      "7f0000001000-7f0000002000 rw-p 00001000 fd:01 19 /usr/lib/libucp.so.0\n"
      "7f0000008000-7f0000009000 r-xp 00000000 fd:01 19 /usr/lib/libucp.so.0\n"
      "7f0000009000-7f000000a000 rw-p 00000000 00:00 0 \n",
      [&](const os::Area& first) {
        begins.push_back(first.start);
        return std::optional<std::uint64_t>(0x2000);
      });
  EXPECT_EQ(begins, (std::vector<std::uint64_t>{0x7f0000000000U, 0x7f0000008000U}));
  EXPECT_EQ(told[3].object_until, 0x7f000000a000U);
}

// glibc's stacks lie above a guard, its arenas begin at multiples of 64 MiB and have what is left of them above.
constexpr std::string_view kThreads =
    "7f0000000000-7f0000021000 rw-p 00000000 00:00 0 \nVmFlags: rd wr mr mw me nr sd\n"
    "7f0000021000-7f0004001000 ---p 00000000 00:00 0 \nVmFlags: mr mw me nr sd\n"
    "7f0004001000-7f0004801000 rw-p 00000000 00:00 0 \nVmFlags: rd wr mr mw me nr sd\n"
    "7f0004900000-7f0004a00000 rw-p 00000000 00:00 0 \nVmFlags: rd wr mr mw me ac sd\n"
    "7f0008000000-7f0008021000 rw-p 00000000 00:00 0 \nVmFlags: rd wr mr mw me nr sd\n"
    "7f0008021000-7f000c000000 ---p 00000000 00:00 0 \nVmFlags: mr mw me nr sd\n"
    "7f000c000000-7f000c021000 rw-p 00000000 00:00 0 \nVmFlags: rd wr mr mw me nr sd\n";

TEST(AreaKinds, StacksAndArenasOfThreadsAreToldApart) {
  for (const Blocks& blocks : {Blocks{0x7f0004800700}, Blocks{}}) {  // a thread that lives, and one that has ended
    const auto told = roles(kThreads, nobody_knows, blocks);
    EXPECT_EQ(told[0].kind, AreaKind::heap);
    EXPECT_EQ(told[2].kind, AreaKind::stack);
    EXPECT_EQ(told[3].kind, AreaKind::anonymous);
    EXPECT_EQ(told[4].kind, AreaKind::heap);
    EXPECT_EQ(told[6].kind, AreaKind::heap);
  }
}

TEST(AreaKinds, AStackThatBeginsAsAnArenaIsOneIfAThreadIsThere) {
  const auto told = roles(kThreads, nobody_knows, {0x7f0008020000});
  EXPECT_EQ(told[4].kind, AreaKind::stack);
}

TEST(AreaKinds, AThreadWhoseStackIsTheProgramsOwnMakesNoStackOfAllThatLiesThere) {
  EXPECT_EQ(roles(kThreads, nobody_knows, {0x7f0004980000})[3].kind, AreaKind::anonymous);
}

TEST(AreaKinds, ALibraryThatIsOnlyReadIsAFile) {
  EXPECT_EQ(roles("7f0000000000-7f0000001000 r--p 00000000 fd:01 19 /usr/lib/libucp.so.0\n")[0].kind, AreaKind::file);
}

TEST(AreaKinds, AProgramWithoutALoaderIsStatic) {
  constexpr std::string_view kProgram = "00400000-00401000 r-xp 00000000 fd:01 17 /home/me/ld/model\n";
  EXPECT_TRUE(is_static(os::parse_areas(kProgram)));
  for (const std::string_view loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-2.31.so", "/lib/ld64.so.2"}) {
    std::string maps(kProgram);
    maps.append("7f0000000000-7f0000001000 r-xp 00000000 fd:01 19 ").append(loader).append("\n");
    EXPECT_FALSE(is_static(os::parse_areas(maps))) << loader;
  }
}

}  // namespace
}  // namespace comity::memory

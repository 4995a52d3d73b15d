// SPDX-License-Identifier: BSD-3-Clause
// The texts of maps, smaps and smaps_rollup, of several kernels and damaged ones.
#include "os/memory/areas.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "os/memory/kernel_texts.hpp"

namespace comity::os {
namespace {

// The figures of kernel_texts.hpp [KiB]; 107 is one that nobody here asks for.
PageUse expected(bool has_file_huge) {
  PageUse use;
  std::uint64_t kib = 101;
  for (const UseField& field : kUseFields) {
    if (kib == 107) ++kib;
    use.*field.bytes = 1024 * kib++;
  }
  if (!has_file_huge) use.file_huge = 0;
  return use;
}

TEST(Areas, SmapsOfEveryKernelIsRead) {
  for (const KernelText& text : kKernelTexts) {
    const auto areas = parse_areas(text.smaps);
    ASSERT_EQ(areas.size(), 1U) << text.kernel;
    const Area& area = areas.front();
    EXPECT_EQ(area.start, 0x400000U);
    EXPECT_EQ(area.end, 0x452000U);
    EXPECT_TRUE(area.readable && area.writable && !area.executable && !area.shared);
    EXPECT_EQ(area.offset, 0xa000U);
    EXPECT_EQ(area.device_major, 0xfdU);
    EXPECT_EQ(area.device_minor, 1U);
    EXPECT_EQ(area.inode, 8391745U);
    EXPECT_EQ(area.name, "/opt/my model/bin/model");
    EXPECT_TRUE(area.no_reserve);
    EXPECT_FALSE(area.in_hugetlb);
    EXPECT_EQ(area.use, expected(text.has_file_huge)) << text.kernel;
  }
}

TEST(Areas, TheSumOfEveryKernelIsRead) {
  for (const KernelText& text : kKernelTexts) {
    EXPECT_EQ(parse_rollup(text.rollup), expected(text.has_file_huge)) << text.kernel;
  }
}

TEST(Areas, MapsAreReadWithoutFigures) {
  const auto areas = parse_areas(
      "00400000-00452000 r-xp 00000000 fd:01 17 /bin/model\n"
      "7f0000000000-7f0000001000 rw-s 00000000 00:01 2056                      /memfd:with space (deleted)\n"
      "7f0000001000-7f0000002000 rw-p 00000000 00:00 0 \n"
      "7f0000002000-7f0000003000 r--p 00000000 fd:01 18                        /a\\012b\n"
      "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n");
  ASSERT_EQ(areas.size(), 6U);
  EXPECT_TRUE(areas[0].executable);
  EXPECT_TRUE(areas[1].shared);
  EXPECT_EQ(areas[1].name, "/memfd:with space (deleted)");
  EXPECT_EQ(areas[2].name, "");
  EXPECT_EQ(areas[3].name, "/a\nb");
  EXPECT_EQ(areas[4].name, "[stack]");
  EXPECT_EQ(areas[5].end, 0xffffffffff601000U);
  EXPECT_EQ(areas[0].use, PageUse{});
}

TEST(Areas, FlagsTellPagesOfHugetlb) {
  const auto areas = parse_areas(
      "7f0000000000-7f0000200000 rw-p 00000000 00:0f 5 /anon_hugepage (deleted)\n"
      "Private_Hugetlb:    2048 kB\nVmFlags: rd wr mr mw me de ht sd\n");
  ASSERT_EQ(areas.size(), 1U);
  EXPECT_TRUE(areas[0].in_hugetlb);
  EXPECT_EQ(areas[0].use.hugetlb(), 2048U * 1024);
}

TEST(Areas, FilesAreToldApartByDeviceAndInode) {
  const auto areas = parse_areas(
      "1000-2000 r--p 00000000 fd:01 17 /a\n2000-3000 r--p 00000000 fd:01 17 /a\n3000-4000 r--p 00000000 fd:02 17 /a\n"
      "4000-5000 r--p 00000000 00:00 0\n5000-6000 r--p 00000000 00:00 0\n");
  EXPECT_TRUE(areas[0].same_file(areas[1]));
  EXPECT_FALSE(areas[0].same_file(areas[2]));
  EXPECT_FALSE(areas[3].same_file(areas[4])) << "no file is no file";
}

TEST(Areas, ALineThatMakesNoSenseIsNamed) {
  for (const std::string_view text :
       {"nonsense\n", "Rss:   1 kB\n", "1000-2000 r--p 0 fd:01 17 /a\nRss: many kB\n",
        "1000-2000 r--p 0 fd:01 17\nRss: 5 MB\n", "1000 r--p 0 fd:01 17\n", "2000-1000 r--p 0 fd:01 17\n",
        "1000-2000 r--p 0 fd 17\n", "1000-2000 r-- 0 fd:01 17\n", "1000-2000 r--p 0 fd:01 x\n",
        "1000-2000 r--p 0 fd:01 17\nRss: 18446744073709551615 kB\n", "1000-2000 r--p\n"}) {
    try {
      (void)parse_areas(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::system);
      EXPECT_NE(std::string(error.what()).find("makes no sense"), std::string::npos) << error.what();
    }
  }
}

TEST(Areas, WhatANewerKernelAddsIsPassedOver) {
  const auto areas = parse_areas("1000-2000 r--p 0 fd:01 17\nRss: 4 kB\nNew_Thing: many words\nVmFlags: rd zz\n");
  EXPECT_EQ(areas.front().use.rss, 4096U);
}

TEST(Areas, FiguresAddUp) {
  PageUse sum;
  sum.rss = 5;
  PageUse other;
  other.rss = 7;
  other.locked = 3;
  sum += other;
  EXPECT_EQ(sum.rss, 12U);
  EXPECT_EQ(sum.locked, 3U);
}

}  // namespace
}  // namespace comity::os

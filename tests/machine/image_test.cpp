// SPDX-License-Identifier: BSD-3-Clause
// Images that nobody vouches for: each is refused, or every query stays inside it. Address sanitizer sees the
// rest.
#include "machine/image.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "base/error.hpp"
#include "every_query.hpp"
#include "machine/loader.hpp"
#include "sanitizer.hpp"

namespace comity::machine {
namespace {

Image sample() { return load_xml(std::string(COMITY_TEST_DATA) + "/machines/amd-6136.xml"); }

Image described(const std::string& name) {
  return load_xml(std::string(COMITY_TEST_DATA "/machines/") + name + ".xml");
}

Image changed(Image image, void (*change)(ImageHeader&)) {
  ImageHeader header{};
  std::memcpy(&header, image.data(), sizeof header);
  change(header);
  std::memcpy(image.data(), &header, sizeof header);
  return image;
}

// A copy of exactly these bytes, so that the sanitizer knows where they end.
Status status_of(std::span<const std::byte> bytes) {
  const Image exact(bytes.begin(), bytes.end());
  try {
    (void)ask_everything(Machine(exact));
    return Status::ok;
  } catch (const Error& error) {
    return error.status();
  }
}

std::string message_of(const Image& image) {
  try {
    (void)Machine(image);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Image, AGoodImageAnswersEverything) {
  EXPECT_EQ(status_of(sample()), Status::ok);
  EXPECT_EQ(status_of(load_synthetic("package:4 core:64 pu:2")), Status::ok);
}

TEST(Image, LoadingTwiceGivesTheSameBytes) { EXPECT_EQ(sample(), sample()); }

TEST(Image, ItAnswersFromAnyAddress) {
  const Image image = sample();
  std::vector<std::byte> elsewhere(image.size() + 8 * 64);
  for (std::size_t shift = 0; shift < 8 * 64; shift += 8) {
    std::memcpy(elsewhere.data() + shift, image.data(), image.size());
    const Machine machine(std::span<const std::byte>(elsewhere).subspan(shift, image.size()));
    EXPECT_EQ(machine.cpuset(ObjectType::numa, 1).to_list(), "4-7");
  }
}

TEST(Image, WhatFollowsItIsLeftAlone) {
  Image image = sample();
  const std::size_t bytes = image.size();
  image.resize(bytes + 4096, std::byte{0xff});
  EXPECT_EQ(status_of(image), Status::ok);
  EXPECT_EQ(Machine(image).image().size(), bytes);
}

TEST(Image, CutOffAtAnyLengthItIsRefused) {
  const Image image = sample();
  for (std::size_t bytes = 0; bytes < image.size(); ++bytes) {
    EXPECT_EQ(status_of(std::span(image).first(bytes)), Status::topology) << bytes << " bytes";
  }
}

TEST(Image, WithDevicesCutOffAtAnyLengthItIsRefused) {
  const Image image = described("gpu-node");
  for (std::size_t bytes = 0; bytes < image.size(); bytes += 4) {
    EXPECT_EQ(status_of(std::span(image).first(bytes)), Status::topology) << bytes << " bytes";
  }
}

TEST(Image, AMisalignedImageIsRefused) {
  const Image image = sample();
  std::vector<std::byte> elsewhere(image.size() + 8);
  std::memcpy(elsewhere.data() + 4, image.data(), image.size());
  EXPECT_THROW((void)Machine(std::span<const std::byte>(elsewhere).subspan(4, image.size())), Error);
}

TEST(Image, AnotherMagicIsRefused) {
  const Image image = changed(sample(), [](ImageHeader& header) { header.magic ^= 1U; });
  EXPECT_EQ(status_of(image), Status::topology);
}

TEST(Image, AnotherVersionIsAnErrorWithBothNumbers) {
  const Image image = changed(sample(), [](ImageHeader& header) { header.version = 77; });
  EXPECT_EQ(status_of(image), Status::version);
  const std::string message = message_of(image);
  EXPECT_NE(message.find("version 77"), std::string::npos) << message;
  EXPECT_NE(message.find("version " + std::to_string(kImageVersion)), std::string::npos) << message;
}

TEST(Image, AnotherVersionIsToldApartThoughItsHeaderDiffers) {
  Image image = changed(sample(), [](ImageHeader& header) {
    header.version = kImageVersion + 1;
    header.header_bytes = 16;
  });
  EXPECT_EQ(status_of(std::span(image).first(16)), Status::version);
}

TEST(Image, SizesAndOffsetsThatLeadOutsideAreRefused) {
  constexpr std::array<void (*)(ImageHeader&), 23> kChanges{
      [](ImageHeader& h) { h.total_bytes += 8; },
      [](ImageHeader& h) { h.total_bytes = 8; },
      [](ImageHeader& h) { h.total_bytes = UINT64_MAX; },
      [](ImageHeader& h) { h.header_bytes = 0; },
      [](ImageHeader& h) { h.objects_at = h.total_bytes; },
      [](ImageHeader& h) { h.objects_at = 0; },
      [](ImageHeader& h) { h.objects_at = UINT64_MAX - 7; },
      [](ImageHeader& h) { h.objects_at += 4; },
      [](ImageHeader& h) { h.masks_at = h.total_bytes - 8; },
      [](ImageHeader& h) { h.slots_at = h.total_bytes - 8; },
      [](ImageHeader& h) { h.name_bytes = UINT32_MAX; },
      [](ImageHeader& h) { h.mask_words = 0; },
      [](ImageHeader& h) { h.mask_words = 33; },
      [](ImageHeader& h) { h.object_count = 0; },
      [](ImageHeader& h) { h.distance_rows = 3; },
      [](ImageHeader& h) { h.devices_known = 2; },
      [](ImageHeader& h) { h.first_device[0] = 1; },
      [](ImageHeader& h) {
        h.first_device = {0, 2, 1};
      },
      [](ImageHeader& h) {
        h.first_device = {0, 0, 65536};
      },
      [](ImageHeader& h) { h.devices_at = h.total_bytes + 8; },
      [](ImageHeader& h) { h.core_kind_count = UINT32_MAX; },
      [](ImageHeader& h) { h.core_kinds_at = UINT64_MAX - 7; },
      [](ImageHeader& h) { h.first[8] = h.object_count = UINT32_MAX; },
  };
  for (std::size_t i = 0; i < kChanges.size(); ++i) {
    EXPECT_EQ(status_of(changed(sample(), kChanges[i])), Status::topology) << "change " << i;
  }
}

// The object tables of an image, to damage them.
std::span<ObjectRecord> records_of(Image& image) {
  ImageHeader header{};
  std::memcpy(&header, image.data(), sizeof header);
  return {reinterpret_cast<ObjectRecord*>(image.data() + header.objects_at), header.object_count};
}

std::span<std::uint32_t> children_of(Image& image) {
  ImageHeader header{};
  std::memcpy(&header, image.data(), sizeof header);
  return {reinterpret_cast<std::uint32_t*>(image.data() + header.children_at), header.object_count - 1};
}

TEST(Image, ATreeWithACycleIsRefused) {
  Image image = sample();
  records_of(image)[1].parent = 1;
  EXPECT_EQ(status_of(image), Status::topology);
}

TEST(Image, AnObjectThatStandsTwiceInTheTreeIsRefused) {
  Image image = sample();
  const ObjectRecord& machine = records_of(image)[0];
  ASSERT_EQ(machine.child_count, 2U);
  children_of(image)[machine.first_child + 1] = children_of(image)[machine.first_child];
  EXPECT_EQ(status_of(image), Status::topology);
}

TEST(Image, ChildrenOutsideAreRefused) {
  Image image = sample();
  records_of(image)[1].child_count = UINT32_MAX;
  EXPECT_EQ(status_of(image), Status::topology);
}

TEST(Image, MoreInnerObjectsThanThereAreAreRefused) {
  Image image = sample();
  records_of(image)[1].within[7] = 17;
  EXPECT_EQ(status_of(image), Status::topology);
}

// A table of an image, to damage it.
template <typename Record>
Record* table_of(Image& image, std::uint64_t ImageHeader::*at) {
  ImageHeader header{};
  std::memcpy(&header, image.data(), sizeof header);
  return reinterpret_cast<Record*>(image.data() + header.*at);
}

TEST(Image, ADeviceAmongThoseOfAnotherKindIsRefused) {
  Image image = described("gpu-node");
  table_of<DeviceRecord>(image, &ImageHeader::devices_at)[0].kind = 1;
  EXPECT_EQ(status_of(image), Status::topology);
}

TEST(Image, ADeviceAtANumaNodeThatDoesNotExistIsRefused) {
  for (const int numa : {-2, 2, INT32_MAX}) {
    Image image = described("gpu-node");
    table_of<DeviceRecord>(image, &ImageHeader::devices_at)[5].numa = numa;
    EXPECT_EQ(status_of(image), Status::topology) << numa;
  }
}

TEST(Image, TextsThatDoNotEndAreRefused) {
  Image image = described("gpu-node");
  table_of<DeviceRecord>(image, &ImageHeader::devices_at)[3].model.fill('x');
  EXPECT_EQ(status_of(image), Status::topology);
  image = described("hybrid");
  table_of<CoreKindRecord>(image, &ImageHeader::core_kinds_at)[1].name.back() = 'x';
  EXPECT_EQ(status_of(image), Status::topology);
}

TEST(Image, APuOfTwoCoreKindsIsRefused) {
  Image image = described("hybrid");
  ImageHeader header{};
  std::memcpy(&header, image.data(), sizeof header);
  const std::size_t last = header.object_count + 2 + header.core_kind_count - 1;
  table_of<std::uint64_t>(image, &ImageHeader::masks_at)[last] |= 1U << 4U;
  EXPECT_EQ(status_of(image), Status::topology);
}

TEST(Image, AnUnknownKindOfMemoryIsRefused) {
  Image image = described("many-memories");
  for (ObjectRecord& record : records_of(image)) record.memory = 5;
  EXPECT_EQ(status_of(image), Status::topology);
}

// COMITY_TEST_SEED repeats a run that failed.
std::uint64_t seed() {
  const char* fixed = std::getenv("COMITY_TEST_SEED");
  return fixed != nullptr ? std::strtoull(fixed, nullptr, 10) : std::random_device{}();
}

// Small numbers and all-ones reach further into the checks than noise does.
std::byte damage(std::byte old, std::mt19937_64& random) {
  switch (random() % 4) {
    case 0:
      return old ^ std::byte{static_cast<unsigned char>(1U << (random() % 8))};
    case 1:
      return static_cast<std::byte>(random() % 4);
    case 2:
      return std::byte{0xff};
    default:
      return static_cast<std::byte>(random());
  }
}

constexpr int kDamages = testing::kHasSanitizer ? 600 : 3000;  // of an image

void survive_damage(const Image& good, int rounds = kDamages) {
  const std::uint64_t start = seed();
  SCOPED_TRACE("COMITY_TEST_SEED=" + std::to_string(start));
  std::mt19937_64 random(start);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    Image image = good;
    const std::size_t changes = 1 + random() % 4;
    const std::size_t reach = random() % 2 == 0 ? sizeof(ImageHeader) : image.size();
    for (std::size_t i = 0; i < changes; ++i) {
      std::byte& target = image[random() % reach];
      target = damage(target, random);
    }
    const Status status = status_of(image);
    ASSERT_TRUE(status == Status::ok || status == Status::topology || status == Status::version) << "round " << round;
    if (status != Status::ok) ++refused;
  }
  std::printf("seed %llu: %d of %d damaged images refused, the others answered\n",
              static_cast<unsigned long long>(start), refused, rounds);
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, rounds);
}

TEST(Image, DamagedAnywhereItIsRefusedOrAnswers) { survive_damage(sample()); }

TEST(Image, DamagedSmallImagesAreRefusedOrAnswer) { survive_damage(load_synthetic("core:1 pu:2")); }

TEST(Image, DamagedTablesOfAMemoryOnlyMachineAreRefusedOrAnswer) {
  survive_damage(load_xml(std::string(COMITY_TEST_DATA) + "/machines/memory-only.xml"));
}

TEST(Image, DamagedTablesOfDevicesAreRefusedOrAnswer) { survive_damage(described("gpu-node")); }

TEST(Image, DamagedTablesOfCoreKindsAreRefusedOrAnswer) { survive_damage(described("hybrid")); }

TEST(Image, NoiseIsRefused) {
  const std::uint64_t start = seed();
  SCOPED_TRACE("COMITY_TEST_SEED=" + std::to_string(start));
  std::mt19937_64 random(start);
  for (int round = 0; round < 2000; ++round) {
    Image image(random() % 600);
    for (std::byte& byte : image) byte = static_cast<std::byte>(random());
    ASSERT_NE(status_of(image), Status::ok) << "round " << round;
  }
}

}  // namespace
}  // namespace comity::machine

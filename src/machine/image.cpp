// SPDX-License-Identifier: BSD-3-Clause
#include "machine/image.hpp"

#include <cstring>
#include <string>

#include "base/cpu_set.hpp"
#include "base/error.hpp"

namespace comity::machine {
namespace {

constexpr std::size_t kAlignment = alignof(std::uint64_t);
constexpr std::size_t kPrefixBytes = offsetof(ImageHeader, total_bytes);  // the part that all versions share

[[noreturn]] void reject(const std::string& why) {
  throw Error(Status::topology, "read the machine image: " + why + "; let all ranks load the same libcomity");
}

void require(bool holds, const char* why) {
  if (!holds) reject(why);
}

// Header, magic, version and sizes, in an order that makes each safe to read.
ImageHeader check_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kPrefixBytes) reject("it has only " + std::to_string(bytes.size()) + " bytes");
  require(reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment == 0, "it is not aligned to 8 bytes");
  ImageHeader header{};
  std::memcpy(&header, bytes.data(), kPrefixBytes);
  require(header.magic == kImageMagic, "its first bytes are not those of a machine image");
  if (header.version != kImageVersion) {
    throw Error(Status::version, "read the machine image: it has version " + std::to_string(header.version) +
                                     ", this library reads version " + std::to_string(kImageVersion) +
                                     "; let all ranks load the same libcomity");
  }
  require(header.header_bytes == sizeof(ImageHeader), "its header has another length");
  if (bytes.size() < sizeof(ImageHeader)) reject("it ends inside its header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.total_bytes > bytes.size() || header.total_bytes < sizeof header) {
    reject("it says that it has " + std::to_string(header.total_bytes) + " bytes, and " + std::to_string(bytes.size()) +
           " are there");
  }
  return header;
}

void check_counts(const ImageHeader& header) {
  require(header.kind <= Kind::synthetic && header.simulated <= 1, "its kind is unknown");
  require(header.mask_words >= 1 && header.mask_words <= CpuSet::kWords, "its masks have an impossible width");
  require(header.first.front() == 0 && header.first.back() == header.object_count, "its object table has gaps");
  for (std::size_t t = 0; t < kObjectTypeCount; ++t) {
    require(header.first[t] <= header.first[t + 1], "its object types overlap");
    require(header.first[t + 1] - header.first[t] <= UINT16_MAX, "it has too many objects of a type");
  }
  const auto count = [&](ObjectType type) {
    const auto t = static_cast<std::size_t>(type);
    return header.first[t + 1] - header.first[t];
  };
  require(count(ObjectType::machine) == 1, "it does not have exactly one machine");
  require(count(ObjectType::numa) >= 1 && count(ObjectType::pu) >= 1, "it lacks NUMA nodes or PUs");
  require(header.distance_rows == 0 || header.distance_rows == count(ObjectType::numa),
          "its distances do not fit its NUMA nodes");
  require(header.devices_known <= 1 && header.first_device.front() == 0, "its device table has gaps");
  for (std::size_t k = 0; k < kDeviceKindCount; ++k) {
    require(header.first_device[k] <= header.first_device[k + 1], "its kinds of devices overlap");
  }
  require(header.first_device.back() <= UINT16_MAX, "it has too many devices");
  require(header.core_kind_count <= CpuSet::kCapacity, "it has too many kinds of cores");
}

// `count` elements of T at `at`, if they lie inside the image behind the header.
template <typename T>
std::span<const T> block(std::span<const std::byte> whole, std::uint64_t at, std::uint64_t count) {
  const bool inside = at >= sizeof(ImageHeader) && at <= whole.size() && at % kAlignment == 0 &&
                      count <= (whole.size() - at) / sizeof(T);
  require(inside, "one of its tables lies outside");
  return {reinterpret_cast<const T*>(whole.data() + at), static_cast<std::size_t>(count)};
}

ImageBlocks find_blocks(std::span<const std::byte> bytes, const ImageHeader& header) {
  const std::span<const std::byte> whole = bytes.first(static_cast<std::size_t>(header.total_bytes));
  const std::uint64_t words = header.mask_words;
  const std::uint64_t rows = header.distance_rows;
  const std::uint64_t devices = header.first_device.back();
  const std::uint64_t masks = std::uint64_t{header.object_count} + 2 + devices + header.core_kind_count;
  const auto name = block<char>(whole, header.name_at, header.name_bytes);
  return {.header = header,
          .whole = whole,
          .objects = block<ObjectRecord>(whole, header.objects_at, header.object_count),
          .children = block<std::uint32_t>(whole, header.children_at, header.object_count - 1),
          .masks = block<std::uint64_t>(whole, header.masks_at, masks * words),
          .slots = block<PuSlot>(whole, header.slots_at, words * CpuSet::kWordBits),
          .distances = block<std::uint32_t>(whole, header.distances_at, rows * rows),
          .devices = block<DeviceRecord>(whole, header.devices_at, devices),
          .core_kinds = block<CoreKindRecord>(whole, header.core_kinds_at, header.core_kind_count),
          .name = {name.data(), name.size()}};
}

void check_children(const ImageBlocks& image, std::uint32_t id) {
  const ObjectRecord& object = image.objects[id];
  require(
      object.first_child <= image.children.size() && object.child_count <= image.children.size() - object.first_child,
      "an object's children lie outside");
  for (const std::uint32_t child : image.children.subspan(object.first_child, object.child_count)) {
    require(child < image.objects.size(), "a child does not exist");
    const ObjectRecord& record = image.objects[child];
    require(record.parent == static_cast<std::int32_t>(id) && record.depth == object.depth + 1,
            "a child belongs to another parent");
  }
}

void check_objects(const ImageBlocks& image) {
  for (std::uint32_t id = 0; id < image.objects.size(); ++id) {
    const ObjectRecord& object = image.objects[id];
    const bool is_machine = id == 0;
    require(is_machine ? object.parent == -1 && object.depth == 0
                       : object.parent >= 0 && static_cast<std::size_t>(object.parent) < image.objects.size() &&
                             object.depth >= 1 && object.depth < image.objects.size(),
            "an object has an impossible parent");
    require(is_machine || (object.place < image.children.size() && image.children[object.place] == id),
            "an object stands in no list of children");
    require(object.os_index >= -1, "an object has an impossible OS number");
    require(object.memory < kMemoryKinds.size(), "a memory is of an unknown kind");
    for (std::size_t t = 0; t < kObjectTypeCount; ++t) {
      require(object.within[t] <= image.header.first[t + 1] - image.header.first[t],
              "an object holds more objects than there are");
    }
    check_children(image, id);
  }
}

void check_slots(const ImageBlocks& image) {
  const auto count = [&](ObjectType type) {
    const auto t = static_cast<std::size_t>(type);
    return static_cast<std::int32_t>(image.header.first[t + 1] - image.header.first[t]);
  };
  for (const PuSlot& slot : image.slots) {
    require(slot.pu >= -1 && slot.pu < count(ObjectType::pu), "a PU does not exist");
    require(slot.core >= -1 && slot.core < count(ObjectType::core), "a core does not exist");
  }
}

template <std::size_t N>
void check_text(const Text<N>& text) {
  require(text.back() == 0, "a text does not end");
}

void check_devices(const ImageBlocks& image) {
  constexpr auto kNuma = static_cast<std::size_t>(ObjectType::numa);
  const auto nodes = static_cast<std::int32_t>(image.header.first[kNuma + 1] - image.header.first[kNuma]);
  for (std::size_t k = 0; k < kDeviceKindCount; ++k) {
    for (std::uint32_t place = image.header.first_device[k]; place < image.header.first_device[k + 1]; ++place) {
      const DeviceRecord& device = image.devices[place];
      require(device.kind == k, "a device stands among those of another kind");
      require(device.numa >= -1 && device.numa < nodes, "a device's NUMA node does not exist");
      require(device.pci_domain >= -1, "a device has an impossible PCI address");
      check_text(device.name);
      check_text(device.other_names);
      check_text(device.vendor);
      check_text(device.model);
      check_text(device.unique_id);
    }
  }
}

void check_core_kinds(const ImageBlocks& image) {
  const std::size_t words = image.header.mask_words;
  const std::size_t first = image.objects.size() + 2 + image.devices.size();
  CpuSet seen;
  for (std::size_t i = 0; i < image.core_kinds.size(); ++i) {
    require(image.core_kinds[i].efficiency >= -1, "a kind of cores has an impossible efficiency");
    check_text(image.core_kinds[i].name);
    for (std::size_t word = 0; word < words; ++word) {
      const std::uint64_t mask = image.masks[(first + i) * words + word];
      require((seen.words()[word] & mask) == 0, "a PU is of two kinds");
      seen.words()[word] |= mask;
    }
  }
}

}  // namespace

ImageBlocks check_image(std::span<const std::byte> bytes) {
  const ImageHeader header = check_header(bytes);
  check_counts(header);
  const ImageBlocks image = find_blocks(bytes, header);
  check_objects(image);
  check_slots(image);
  check_devices(image);
  check_core_kinds(image);
  return image;
}

}  // namespace comity::machine

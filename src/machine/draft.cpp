// SPDX-License-Identifier: BSD-3-Clause
#include "machine/draft.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "base/error.hpp"

namespace comity::machine {
namespace {

// The draft's objects under their ids, with everything that is computed from more than one object.
class Flattener {
 public:
  explicit Flattener(const Draft& draft) : draft_(draft) {
    number_objects();
    fill_records();
    link_children();
    count_inner_objects();
    fill_slots();
    sort_devices();
    fill_masks();
  }

  [[nodiscard]] Image image() const;

 private:
  [[nodiscard]] std::uint32_t id(ObjectRef ref) const {
    return first_[number(ref.type)] + static_cast<std::uint32_t>(ref.index);
  }
  [[nodiscard]] std::size_t objects_of(ObjectType type) const { return draft_.objects[number(type)].size(); }

  void number_objects();
  void fill_records();
  void link_children();
  void count_inner_objects();
  void fill_slots();
  void sort_devices();
  void fill_masks();
  void append_mask(const CpuSet& cpus) {
    masks_.insert(masks_.end(), cpus.words().begin(), cpus.words().begin() + mask_words_);
  }

  const Draft& draft_;
  std::array<std::uint32_t, kObjectTypeCount + 1> first_{};
  std::uint32_t mask_words_ = 1;
  std::vector<const DraftObject*> objects_;  // by id
  std::vector<std::size_t> type_of_;         // by id
  std::vector<ObjectRecord> records_;        // by id
  std::vector<std::uint32_t> children_;
  std::vector<std::uint64_t> masks_;
  std::vector<PuSlot> slots_;
  std::array<std::uint32_t, kDeviceKindCount + 1> first_device_{};
  std::vector<DraftDevice> devices_;  // by kind
};

void Flattener::number_objects() {
  for (std::size_t t = 0; t < kObjectTypeCount; ++t) {
    const std::size_t count = draft_.objects[t].size();
    if (count > std::numeric_limits<std::uint16_t>::max()) {
      throw Error(Status::topology, "flatten the machine " + draft_.name + ": it has " + std::to_string(count) +
                                        " objects of type " + std::string(kObjectTypes[t].name) +
                                        ", and Comity knows at most 65535");
    }
    first_[t + 1] = first_[t] + static_cast<std::uint32_t>(count);
    for (const DraftObject& object : draft_.objects[t]) {
      objects_.push_back(&object);
      type_of_.push_back(t);
    }
  }
  const std::size_t highest = (draft_.complete | draft_.allowed).highest().value_or(0);
  mask_words_ = static_cast<std::uint32_t>(highest / CpuSet::kWordBits + 1);
}

void Flattener::fill_records() {
  for (const DraftObject* object : objects_) {
    ObjectRecord record{};
    record.bytes = object->bytes;
    record.os_index = object->os_index;
    record.memory = static_cast<std::uint32_t>(object->memory);
    record.parent = object->parent ? static_cast<std::int32_t>(id(*object->parent)) : -1;
    records_.push_back(record);
  }
}

// Parents stand before their children in tree_order, so each knows its depth and its room when a child
// arrives.
void Flattener::link_children() {
  for (const ObjectRecord& record : records_) {
    if (record.parent >= 0) ++records_[static_cast<std::size_t>(record.parent)].child_count;
  }
  std::uint32_t next = 0;
  for (const ObjectRef ref : draft_.tree_order) {
    ObjectRecord& record = records_[id(ref)];
    record.first_child = next;
    next += std::exchange(record.child_count, 0);
  }
  children_.resize(next);
  for (const ObjectRef ref : draft_.tree_order) {
    ObjectRecord& record = records_[id(ref)];
    if (record.parent < 0) continue;
    ObjectRecord& parent = records_[static_cast<std::size_t>(record.parent)];
    record.depth = parent.depth + 1;
    record.place = parent.first_child + parent.child_count++;
    children_[record.place] = id(ref);
  }
}

// An object can only lie in another that holds its lowest PU, so only those that start at a PU of the outer
// object are looked at: work grows with PUs times depth, not with objects squared.
void Flattener::count_inner_objects() {
  std::vector<std::vector<std::size_t>> starting_at(CpuSet::kCapacity);
  std::array<std::uint16_t, kObjectTypeCount> without_pus{};
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    if (const auto lowest = objects_[i]->cpus.lowest()) {
      starting_at[*lowest].push_back(i);
    } else {
      ++without_pus[type_of_[i]];
    }
  }
  for (std::size_t outer = 0; outer < objects_.size(); ++outer) {
    const CpuSet& cpus = objects_[outer]->cpus;
    auto& within = records_[outer].within;
    cpus.for_each([&](std::size_t pu) {
      for (const std::size_t inner : starting_at[pu]) {
        if (cpus.encloses(objects_[inner]->cpus)) ++within[type_of_[inner]];
      }
    });
    if (cpus.empty()) within[type_of_[outer]] = 1;
  }
  for (std::size_t t = 0; t < kObjectTypeCount; ++t) {
    records_[0].within[t] = static_cast<std::uint16_t>(records_[0].within[t] + without_pus[t]);
  }
}

void Flattener::fill_slots() {
  slots_.assign(mask_words_ * CpuSet::kWordBits, PuSlot{-1, -1});
  const auto& pus = draft_.objects[number(ObjectType::pu)];
  for (std::size_t i = 0; i < pus.size(); ++i) {
    slots_.at(pus[i].cpus.lowest().value()).pu = static_cast<std::int32_t>(i);
  }
  const auto& cores = draft_.objects[number(ObjectType::core)];
  for (std::size_t i = 0; i < cores.size(); ++i) {
    cores[i].cpus.for_each([&](std::size_t pu) { slots_.at(pu).core = static_cast<std::int32_t>(i); });
  }
}

void Flattener::sort_devices() {
  devices_ = draft_.devices;
  std::ranges::stable_sort(devices_, {}, [](const DraftDevice& device) { return device.record.kind; });
  for (const DraftDevice& device : devices_) {
    for (std::size_t k = device.record.kind; k < kDeviceKindCount; ++k) ++first_device_[k + 1];
  }
}

void Flattener::fill_masks() {
  for (const DraftObject* object : objects_) append_mask(object->cpus);
  append_mask(draft_.allowed);
  append_mask(draft_.complete);
  for (const DraftDevice& device : devices_) append_mask(device.cpus);
  for (const DraftCoreKind& kind : draft_.core_kinds) append_mask(kind.cpus);
}

template <typename Record, typename Drafts>
std::vector<Record> records_of(const Drafts& drafts) {
  std::vector<Record> records;
  records.reserve(drafts.size());
  for (const auto& draft : drafts) records.push_back(draft.record);
  return records;
}

// Appends blocks, each at a multiple of eight.
class Writer {
 public:
  template <typename T>
  std::uint64_t append(std::span<const T> block) {
    image_.resize((image_.size() + 7) / 8 * 8);
    const std::size_t at = image_.size();
    image_.resize(at + block.size_bytes());
    if (!block.empty()) std::memcpy(image_.data() + at, block.data(), block.size_bytes());
    return at;
  }
  template <typename T>
  std::uint64_t append(const std::vector<T>& block) {
    return append(std::span<const T>(block));
  }
  Image finish(ImageHeader header) {
    image_.resize((image_.size() + 7) / 8 * 8);
    header.total_bytes = image_.size();
    std::memcpy(image_.data(), &header, sizeof header);
    return std::move(image_);
  }

 private:
  Image image_;
};

Image Flattener::image() const {
  ImageHeader header{};
  header.magic = kImageMagic;
  header.version = kImageVersion;
  header.header_bytes = sizeof header;
  header.kind = draft_.kind;
  header.simulated = draft_.simulated ? 1 : 0;
  header.mask_words = mask_words_;
  header.object_count = static_cast<std::uint32_t>(objects_.size());
  header.first = first_;
  header.distance_rows = draft_.distances.empty() ? 0 : static_cast<std::uint32_t>(objects_of(ObjectType::numa));
  header.devices_known = draft_.devices_known ? 1 : 0;
  header.first_device = first_device_;
  header.core_kind_count = static_cast<std::uint32_t>(draft_.core_kinds.size());
  header.name_bytes = static_cast<std::uint32_t>(draft_.name.size());

  Writer writer;
  writer.append(std::span<const ImageHeader>(&header, 1));
  header.objects_at = writer.append(std::span<const ObjectRecord>(records_));
  header.children_at = writer.append(std::span<const std::uint32_t>(children_));
  header.masks_at = writer.append(std::span<const std::uint64_t>(masks_));
  header.slots_at = writer.append(std::span<const PuSlot>(slots_));
  header.distances_at = writer.append(std::span<const std::uint32_t>(draft_.distances));
  header.devices_at = writer.append(records_of<DeviceRecord>(devices_));
  header.core_kinds_at = writer.append(records_of<CoreKindRecord>(draft_.core_kinds));
  header.name_at = writer.append(std::span<const char>(draft_.name));
  return writer.finish(header);
}

}  // namespace

Image assemble(const Draft& draft) {
  Image image = Flattener(draft).image();
  (void)check_image(image);  // what cannot be read must not be written
  return image;
}

}  // namespace comity::machine

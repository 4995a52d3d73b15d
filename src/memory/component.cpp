// SPDX-License-Identifier: BSD-3-Clause
#include "memory/component.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

#include "base/glob.hpp"
#include "memory/name_rules.hpp"
#include "os/proc.hpp"

namespace comity::memory {
namespace {

constexpr std::string_view kDeleted = " (deleted)";  // the kernel's, behind the path of a file that has none any more
constexpr std::string_view kBlanks = " \t\r";

// What tables and series call several components together.
constexpr std::array<std::string_view, 4> kNamesOfSums{"total", "with_mpi", "not_told", "virtual"};

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
}

// A path that globs are compared with, most of them with its file's name.
class ComparedPath {
 public:
  explicit ComparedPath(std::string_view path) : whole_(path), file_name_(path.substr(path.rfind('/') + 1)) {}

  [[nodiscard]] bool is_of(std::string_view glob, ComparedPart part) const noexcept {
    if (part.is_whole_path) return matches_glob(glob, whole_);
    return matches_glob(glob, part.slashes == 0 ? file_name_ : last_parts(part.slashes));
  }

 private:
  // The whole one where it has fewer.
  [[nodiscard]] std::string_view last_parts(unsigned slashes) const noexcept {
    std::size_t start = whole_.size() - file_name_.size();
    for (; slashes > 0 && start > 0; --slashes) {
      const std::size_t slash = start < 2 ? std::string_view::npos : whole_.rfind('/', start - 2);
      start = slash == std::string_view::npos ? 0 : slash + 1;
    }
    return whole_.substr(start);
  }

  std::string_view whole_;
  std::string_view file_name_;
};

std::optional<Component> by_rule(std::span<const NameRule> rules, std::string_view path) {
  const ComparedPath compared(path);
  const auto rule = std::find_if(rules.begin(), rules.end(),
                                 [&](const NameRule& each) { return compared.is_of(each.glob, each.part); });
  return rule == rules.end() ? std::nullopt : std::optional(rule->component);
}

bool is_component_name(std::string_view name) {
  constexpr std::size_t kLongest = 24;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= kLongest && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

std::string_view without_deleted(std::string_view path) noexcept {
  if (path.ends_with(kDeleted)) path.remove_suffix(kDeleted.size());
  return path;
}

std::optional<Component> Components::by_own_rule(std::string_view path) const noexcept {
  if (rule_count_ == 0) return std::nullopt;
  const ComparedPath compared(path);
  for (std::size_t i = 0; i < rule_count_; ++i) {
    const Rule& rule = rules_[i];
    if (compared.is_of(text_of(rule.glob), rule.part)) return rule.component;
  }
  return std::nullopt;
}

Component Components::of_object(std::string_view path) const noexcept {
  path = without_deleted(path);
  if (const auto own = by_own_rule(path)) return *own;
  return by_rule(kObjectRules, path).value_or(Component::application);
}

std::optional<Component> Components::maker_of(std::string_view segment) const noexcept {
  segment = without_deleted(segment);
  if (const auto own = by_own_rule(segment)) return own;
  return by_rule(kSegmentRules, segment);
}

std::string_view Components::name(Component component) const noexcept {
  const auto id = static_cast<std::size_t>(component);
  if (id < kComponentNames.size()) return kComponentNames[id];
  const std::size_t own = id - kComponentNames.size();
  return own < own_components_ ? text_of(own_names_[own]) : kComponentNames.back();
}

std::optional<Component> Components::find(std::string_view name) const noexcept {
  for (std::size_t id = 0; id < count(); ++id) {
    if (this->name(static_cast<Component>(id)) == name) return static_cast<Component>(id);
  }
  return std::nullopt;
}

std::optional<Components::Span> Components::keep(std::string_view text) noexcept {
  if (text.size() > text_.size() - text_bytes_) return std::nullopt;
  std::memcpy(&text_[text_bytes_], text.data(), text.size());
  const Span span{static_cast<std::uint16_t>(text_bytes_), static_cast<std::uint16_t>(text.size())};
  text_bytes_ += text.size();
  return span;
}

// A name that is new becomes a component of its own.
std::optional<Component> Components::named(std::string_view name) noexcept {
  if (const auto known = find(name)) return known;
  if (own_components_ == own_names_.size()) return std::nullopt;
  const auto kept = keep(name);
  if (!kept) return std::nullopt;
  own_names_[own_components_++] = *kept;
  return static_cast<Component>(count() - 1);
}

// What is wrong with the line; "": nothing.
std::string_view Components::add_line(std::string_view line) noexcept {
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return {};
  const std::size_t sign = line.find('=');
  if (sign == std::string_view::npos) return "it has no `=`; write `component = glob`, as in `hdf5 = libmyio*.so*`";
  const std::string_view name = trimmed(line.substr(0, sign));
  const std::string_view glob = trimmed(line.substr(sign + 1));
  if (!is_component_name(name))
    return "the component before `=` has to be 1 to 24 small letters, digits, `_` or `-`, as in `my_solver = "
           "libsolver*.so*`";
  if (std::find(kNamesOfSums.begin(), kNamesOfSums.end(), name) != kNamesOfSums.end())
    return "its component has the name of a sum over components; take another name";
  if (glob.empty()) return "the glob behind `=` is missing; write `component = glob`, as in `hdf5 = libmyio*.so*`";
  if (const auto known = find(name); known && !is_owner(*known))
    return "its component stands for memory that no object owns; take another name";
  const auto component = named(name);
  if (!component) return "there are too many components of one's own, 40 at most; give some the same name";
  const auto kept = keep(glob);
  if (!kept || rule_count_ == rules_.size())
    return "there are too many rules, 256 at most of 8 KiB; shorter globs with more `*` say the same";
  rules_[rule_count_++] = {*kept, *component, compared_part(glob)};
  return {};
}

std::optional<RuleProblem> Components::add(std::string_view text) noexcept {
  const std::size_t bytes = text_bytes_;
  const std::size_t rules = rule_count_;
  const std::size_t own = own_components_;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const std::string_view why = add_line(text.substr(0, end)); !why.empty()) {
      text_bytes_ = bytes;
      rule_count_ = rules;
      own_components_ = own;
      return RuleProblem{line, why};
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

Components components_of(const std::string& rules_file) {
  Components components;
  if (rules_file.empty()) return components;
  const std::string what = "read the rules of components in " + rules_file + ": ";
  const auto text = os::read_text(rules_file);
  if (!text) throw Error(Status::not_found, what + "it cannot be read; see COMITY_MEMORY_RULES in `comity env`");
  if (const auto problem = components.add(*text))
    throw Error(Status::option, what + "line " + std::to_string(problem->line) + ": " + std::string(problem->why));
  return components;
}

}  // namespace comity::memory

// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a node's note, or read; and no folder that it names is taken for one of ours that
// is none.
//
// The first byte chooses: the whole file, or what stands between its first line and its last, which a fuzzer cannot guess.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "record/places.hpp"

namespace {

using namespace comity;

constexpr const char* kName = "node-0.comity";

struct OwnFolder {
  OwnFolder() : path((std::filesystem::temp_directory_path() / "comity-fuzz-XXXXXX").string()) {
    if (::mkdtemp(path.data()) == nullptr) std::abort();
  }
  ~OwnFolder() { std::filesystem::remove_all(path); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  std::string path;
};

const std::string& folder() {
  static const OwnFolder own;
  return own.path;
}

void write(const std::string& text) {
  std::ofstream(folder() + '/' + kName, std::ios::trunc | std::ios::binary) << text;
}

// A note as it stands on disk, cut where the key-value lines are.
const std::pair<std::string, std::string>& around() {
  static const std::pair<std::string, std::string> parts = [] {
    record::claim(folder() + "/claimed",
                  {.job = "j", .node = 0, .job_ranks = 1, .host = "", .boot = "", .folder = "/f"});
    std::ifstream file(folder() + "/claimed/" + kName, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    std::filesystem::remove_all(folder() + "/claimed");
    return std::pair(text.substr(0, text.find('\n') + 1), text.substr(text.rfind('\n', text.size() - 2)));
  }();
  return parts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  write(data[0] % 2 == 0 ? text : around().first + text + around().second);
  try {
    const record::NodeNote note = record::read_node_note(os::Folder(folder()), kName);
    if (record::own_job_folder(note.folder) && note.folder.find("/comity-") == std::string::npos) std::abort();
  } catch (const Error&) {
    return 0;  // refused
  }
  return 0;
}

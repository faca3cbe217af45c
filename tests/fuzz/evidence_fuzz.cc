// Text evidence, read and added to a store: refused by one line with the store unchanged, or added
// whole; and what is accepted reads back the same from its own text.
#include <algorithm>
#include <optional>
#include <span>

#include "accuracy/error.h"
#include "db/text.h"
#include "tests/db/hand_made.h"
#include "tests/db/large_evidence.h"
#include "tests/fuzz/target.h"

namespace fenestra::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBoard = "h200_132";

std::string TextOfStore(const Store& store) {
  std::string text;
  for (const std::string& board : store.Boards()) text += TextOf(store.Load(board), board);
  return text;
}

// A store with one record of each kind, made anew after a text was added to it.
class Stores {
 public:
  Stores() {
    Store::Open(scratch_ / "template.db", OpenMode::kCreate).Append(hand_made::OneOfEach());
    Renew();
    text_ = TextOfStore(*store_);
  }

  Store& store() { return *store_; }
  const fs::path& folder() const { return scratch_.path(); }
  void RequireUnchanged() const {
    Require(TextOfStore(*store_) == text_, "a refused text leaves the store as it was");
  }
  void Renew() {
    store_.reset();
    fs::copy_file(scratch_ / "template.db", scratch_ / "store.db",
                  fs::copy_options::overwrite_existing);
    store_ = Store::Open(scratch_ / "store.db", OpenMode::kReadWrite);
  }

 private:
  hand_made::Scratch scratch_;
  std::optional<Store> store_;
  std::string text_;
};

void RequireRoundTrip(const Evidence& evidence, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const Board& board : kBoards) {
    const std::string name(board.name);
    files.push_back(folder / (name + ".again"));
    hand_made::WriteBytes(files.back(), TextOf(evidence, name));
  }
  Evidence again = Import(files);
  // An environment that no record names is not written.
  Evidence named = evidence;
  std::erase_if(named.environments, [&](const Environment& environment) {
    return std::find(again.environments.begin(), again.environments.end(), environment) ==
           again.environments.end();
  });
  Require(hand_made::Same(named, again), "accepted evidence reads back the same from its text");
}

}  // namespace

std::vector<std::string> Seeds() {
  const Board& second = *FindBoard("b200_148");
  std::vector<std::string> seeds{
      TextOf(hand_made::OneOfEach(), kBoard),
      TextOf(large::LargeEvidence(40, std::span(&second, 1)), "b200_148")};
  // Excerpts of what the repository keeps: the first groups of each file.
  for (const auto& entry : fs::directory_iterator(fs::path(FENESTRA_SOURCES) / "evidence")) {
    const std::string text = hand_made::ReadBytes(entry.path());
    constexpr std::size_t kExcerptBytes = 6000;
    seeds.push_back(text.substr(0, text.rfind('\n', kExcerptBytes) + 1) + "[end]\n");
  }
  std::sort(seeds.begin(), seeds.end());
  return seeds;
}

void TestOne(std::string_view text) {
  static Stores stores;
  const fs::path file = stores.folder() / "a.tsv";
  hand_made::WriteBytes(file, std::string(text));
  Evidence evidence;
  try {
    evidence = Import({file});
  } catch (const Error& error) {
    RequireErrorLine(error.what(), "a.tsv");
    stores.RequireUnchanged();
    return;
  }
  RequireRoundTrip(evidence, stores.folder());
  try {
    stores.store().Append(evidence);
  } catch (const Error& error) {
    RequireErrorLine(error.what(), "store.db: ", false);
    stores.RequireUnchanged();
    return;
  }
  Evidence expected = Merge(hand_made::OneOfEach(), evidence);
  const Evidence stored = stores.store().Load(kBoard);
  Require(TextOf(stored, kBoard) == TextOf(expected, kBoard), "a store holds what was added to it");
  stores.Renew();
}

}  // namespace fenestra::fuzz

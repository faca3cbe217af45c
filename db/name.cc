#include "db/name.h"

#include <mutex>
#include <unordered_set>

namespace fenestra {
namespace {

struct HashOfText {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

// Never destroyed: names may outlive any static object.
struct Pool {
  std::mutex mutex;
  std::unordered_set<std::string, HashOfText, std::equal_to<>> texts;  // nodes do not move
};
Pool& ThePool() {
  static Pool* const kPool = new Pool;
  return *kPool;
}

}  // namespace

const std::string* Name::Shared(std::string_view text) {
  static const std::string* const kEmpty = new std::string;  // likewise
  if (text.empty()) return kEmpty;
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  const auto found = pool.texts.find(text);
  return found != pool.texts.end() ? &*found : &*pool.texts.emplace(text).first;
}

}  // namespace fenestra

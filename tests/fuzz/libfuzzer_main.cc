#include <cstddef>
#include <cstdint>

#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fenestra::fuzz::TestOne({reinterpret_cast<const char*>(bytes), size});
  return 0;
}

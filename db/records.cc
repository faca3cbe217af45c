#include "db/records.h"

#include "accuracy/digest.h"
#include "db/digest.h"
#include "db/fields.h"
#include "db/text_line.h"

namespace fenestra {

std::string HexDigest(std::string_view bytes) { return DigestText(Fnv1a(bytes)); }

bool IsHexDigest(std::string_view text) {
  return text.size() == 16 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Environment WithId(Environment environment) {
  // Escaped fields hold no tab, so different environments have different texts.
  const std::string text =
      text::JoinFields([&](auto&& visit) { fields::Kind<Environment>::Value(environment, visit); });
  environment.id = HexDigest(text);
  return environment;
}

}  // namespace fenestra

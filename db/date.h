// Days of the calendar, as releases are dated: "2026-11-30", UTC. They sort as texts.
#pragma once

#include <string>
#include <string_view>

namespace fenestra {

// Whether the text is a day of the calendar in that form.
bool IsDate(std::string_view text);

std::string Today();

}  // namespace fenestra

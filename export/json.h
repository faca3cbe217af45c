// Plans, history and environments as JSON: one form for the command line, releases and reports.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "db/history.h"
#include "db/plan.h"
#include "db/records.h"

namespace fenestra {

using OrderedJson = nlohmann::ordered_json;  // keys in the order a reader expects them

// A fraction of the budget; "inf", as text evidence has it, where JSON has no number.
OrderedJson FractionJson(double fraction);

OrderedJson JsonOf(const std::vector<PlannedWindow>& windows);
OrderedJson JsonOf(const Waiver& waiver);
OrderedJson JsonOf(const Environment& environment);
OrderedJson JsonOf(const HistoryEntry& entry);

}  // namespace fenestra

// What every record must hold before it enters a store or a text file, and how messages name it.
// Defined for each record type of Evidence but PublishedRecord.
#pragma once

#include <string>

#include "db/evidence.h"

namespace fenestra {

// The first thing wrong with a record: "rows: '-3' is not from 1 to 2147483647"; "" when it is
// sound. Checked: rows 1 to kMaxRows; numbers not negative, and no NaN (an infinite error is one);
// a known board; names of programs in lower-case letters, digits and '_'; digests of 16 hex digits;
// an environment's id that fits its other fields.
template <typename Record>
std::string Fault(const Record& record);

// "times board=h200_132 route=bwd_w16_h512 ...": a record's key on one line.
template <typename Record>
std::string Describe(const Record& record);

// "median_ns=512 min_ns=...": what was measured. Records of one key agree when these are equal.
template <typename Record>
std::string DescribeValue(const Record& record);

// DescribeValue, and where the key does not say it, the environment it was measured in.
template <typename Record>
std::string DescribeMeasured(const Record& record);

// Where an equal value was seen; of two the lesser text is kept, so the order of arrival does not
// matter. A board's own measurement precedes a stood-in one.
template <typename Record>
std::string OriginText(const Record& record);

}  // namespace fenestra

// Labels that are whole numbers, as positions among the distinct ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace streed {

struct Encoded {
    std::vector<std::int64_t> values;  // distinct, rising
    std::vector<std::int32_t> codes;   // of each row
};

// Nothing where the labels lie further apart than there are rows: sorting is better then.
std::optional<Encoded> encode(const std::int64_t* labels, std::size_t n);

}  // namespace streed

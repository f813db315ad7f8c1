// What tests cost in every component, given what was tested before on the path.
//
// A test of an attribute that was tested before is free, one of a group that was tested before has its
// discounted price. Prices are per row, in grains of the components.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace streed {

struct TestPrices {
    std::vector<std::int32_t> attribute, group;  // by kept feature; -1 for no group
    std::vector<double> full, discounted, none;  // [feature][component]; zeros
    std::vector<double> dearest;                 // by component: the most that one row pays on a path

    bool any() const { return !full.empty(); }

    // Prices of a feature, one per component.
    const double* of(int feature, const std::vector<int>& path) const {
        const std::size_t f = static_cast<std::size_t>(feature);
        bool grouped = false;
        for (const int tested : path) {
            const std::size_t t = static_cast<std::size_t>(tested);
            if (attribute[t] == attribute[f]) return none.data();
            grouped = grouped || (group[f] >= 0 && group[t] == group[f]);
        }
        return &(grouped ? discounted : full)[f * none.size()];
    }
    // The most that so many rows pay in a component.
    double most(std::size_t component, double rows) const { return any() ? dearest[component] * rows : 0; }
};

}  // namespace streed

#include "prices.hpp"

#include <algorithm>
#include <cmath>

namespace streed {

PriceBook::PriceBook(const Prices* prices, const ReducedProblem& reduced, double ticks_per_unit) {
    if (prices == nullptr) return;
    for (const std::int32_t f : reduced.features) {
        attribute_.push_back(prices->attribute[f]);
        group_.push_back(prices->group[f]);
        full_.push_back(std::nearbyint(prices->full[f] * ticks_per_unit));
        discounted_.push_back(std::nearbyint(prices->discounted[f] * ticks_per_unit));
    }
}

double PriceBook::price(int feature, const std::vector<int>& path) const {
    const std::size_t f = static_cast<std::size_t>(feature);
    bool same_group = false;
    for (const int tested : path) {
        const std::size_t t = static_cast<std::size_t>(tested);
        if (attribute_[t] == attribute_[f]) return 0;
        same_group = same_group || (group_[f] >= 0 && group_[t] == group_[f]);
    }
    return same_group ? discounted_[f] : full_[f];
}

// The attribute of a lane that is free already is set to -1: no later test changes its price.
void PriceBook::at_node(const Node& node, const std::vector<int>& path, NodePrices& out) const {
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    out.now.assign(stride, 0);
    out.attribute.assign(stride, -1);
    out.group.assign(stride, -1);
    for (const std::int32_t lane : node.active()) {
        const int feature = node.feature(lane);
        const std::size_t l = static_cast<std::size_t>(lane);
        const std::size_t f = static_cast<std::size_t>(feature);
        out.now[l] = price(feature, path);
        out.group[l] = group_[f];
        const bool tested = std::any_of(path.begin(), path.end(), [&](int t) { return attribute_[static_cast<std::size_t>(t)] == attribute_[f]; });
        out.attribute[l] = tested ? -1 : attribute_[f];
    }
}

void PriceBook::pairs(const Node& node, NodePrices& out) const {
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    out.second.resize(stride * stride);
    for (const std::int32_t lane : node.active()) {
        const std::size_t i = static_cast<std::size_t>(lane);
        double* row = &out.second[i * stride];
        std::fill(row, row + stride, out.now[i]);
        const std::int32_t attribute = out.attribute[i];
        const std::int32_t group = out.group[i];
        if (attribute < 0) continue;
        const double discounted = discounted_[static_cast<std::size_t>(node.feature(lane))];
        if (group >= 0)
            for (std::size_t l = 0; l < stride; ++l)
                if (out.group[l] == group) row[l] = discounted;
        for (std::size_t l = 0; l < stride; ++l)
            if (out.attribute[l] == attribute) row[l] = 0;
    }
}

void PriceBook::append_key(const std::vector<int>& path, std::string& key) const {
    std::vector<std::int32_t> paid;
    for (const int tested : path) {
        const std::size_t t = static_cast<std::size_t>(tested);
        if (full_[t] != 0 || group_[t] >= 0) paid.push_back(attribute_[t]);
    }
    std::sort(paid.begin(), paid.end());
    paid.erase(std::unique(paid.begin(), paid.end()), paid.end());
    key.append(reinterpret_cast<const char*>(paid.data()), paid.size() * sizeof(std::int32_t));
}

}  // namespace streed

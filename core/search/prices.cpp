#include "prices.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace streed {

PriceBook::PriceBook(const Prices* prices, const ReducedProblem& reduced, double ticks_per_unit) {
    if (prices == nullptr) return;
    for (const std::int32_t f : reduced.features) {
        attribute_.push_back(prices->attribute[f]);
        group_.push_back(prices->group[f]);
        full_.push_back(std::nearbyint(prices->full[f] * ticks_per_unit));
        discounted_.push_back(std::nearbyint(prices->discounted[f] * ticks_per_unit));
        ordered_ = ordered_ && discounted_.back() <= full_.back();
        grouped_ = grouped_ || prices->group[f] >= 0;
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

void PriceBook::at_node(const Node& node, const std::vector<int>& path, NodePrices& out) const {
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    out.grouped = grouped_;
    out.now.assign(stride, 0);
    out.discounted.assign(stride, 0);
    out.attribute.assign(stride, -1);
    out.group.resize(stride);
    for (std::size_t l = 0; l < stride; ++l) out.group[l] = -1.0 - static_cast<double>(l);
    for (const std::int32_t lane : node.active()) {
        const int feature = node.feature(lane);
        const std::size_t l = static_cast<std::size_t>(lane);
        const std::size_t f = static_cast<std::size_t>(feature);
        if (group_[f] >= 0) out.group[l] = group_[f];
        if (std::any_of(path.begin(), path.end(), [&](int t) { return attribute_[static_cast<std::size_t>(t)] == attribute_[f]; })) continue;
        out.now[l] = price(feature, path);
        out.discounted[l] = discounted_[f];
        out.attribute[l] = attribute_[f];
    }
}

void NodePrices::test(std::size_t lane) {
    const double own = attribute[lane], mates = group[lane];
    for (std::size_t l = 0; l < now.size(); ++l) {
        if (attribute[l] == own) {
            now[l] = discounted[l] = 0;
            attribute[l] = -1;
        } else if (grouped && group[l] == mates) {
            now[l] = discounted[l];
        }
    }
}

// Without a test of `lane`, its attribute costs what it costs now; or another test of its group loses its discount, after which
// that of the lane is left to pay.
void NodePrices::compare(const std::vector<std::int32_t>& lanes, int depth) {
    missed = now;
    std::map<double, double> discount, price;
    for (const std::int32_t lane : lanes) {
        const std::size_t l = static_cast<std::size_t>(lane);
        double& most_discount = discount[group[l]];
        most_discount = std::max(most_discount, now[l] - discounted[l]);
        double& own = price[attribute[l]];
        own = std::max(own, now[l]);
    }
    for (const std::int32_t lane : lanes) {
        const std::size_t l = static_cast<std::size_t>(lane);
        missed[l] = std::max(now[l], discount[group[l]] + discounted[l]);
    }
    std::vector<double> dearest;
    for (const auto& [attribute_number, value] : price) dearest.push_back(value);
    std::sort(dearest.rbegin(), dearest.rend());
    dearest.resize(std::min(dearest.size(), static_cast<std::size_t>(std::max(depth, 0))));
    most = std::accumulate(dearest.begin(), dearest.end(), 0.0);
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

// Prices of tests at a node (paper, "Cost-sensitive classification": the state is the path). A price depends
// on the path only by the attributes and groups tested on it, so that a node has four numbers per feature and
// a test changes them in one sweep.
#include "search/prices.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace streed {

namespace {

// Numbers from 0 for what is not negative, in the order of appearance.
int renumber(std::vector<std::int32_t>& numbers) {
    std::unordered_map<std::int32_t, std::int32_t> known;
    for (std::int32_t& number : numbers)
        if (number >= 0)
            number = known.emplace(number, static_cast<std::int32_t>(known.size())).first->second;
    return static_cast<int>(known.size());
}

}  // namespace

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
    n_attributes_ = renumber(attribute_);
    n_groups_ = renumber(group_);
}

PriceWork PriceBook::work() const {
    const std::size_t attributes = static_cast<std::size_t>(n_attributes_);
    PriceWork out;
    out.discount.resize(static_cast<std::size_t>(n_groups_));
    out.price.resize(attributes);
    out.dearest.reserve(attributes);
    out.features.resize(attributes);
    return out;
}

double PriceBook::common_unit(double ticks) const {
    double unit = ticks;
    for (const std::vector<double>* prices : {&full_, &discounted_})
        for (double price : *prices)
            while (price != 0) price = std::fmod(std::exchange(unit, price), price);
    return unit;
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
        if (std::any_of(path.begin(), path.end(),
                        [&](int t) { return attribute_[static_cast<std::size_t>(t)] == attribute_[f]; }))
            continue;
        out.now[l] = price(feature, path);
        out.discounted[l] = discounted_[f];
        out.attribute[l] = attribute_[f];
    }
}

void NodePrices::test(const NodePrices& before, std::size_t lane, const Kernels& kernels) {
    const std::size_t stride = before.now.size();
    now.resize(stride);
    discounted.resize(stride);
    attribute.resize(stride);
    group = before.group;
    grouped = before.grouped;
    kernels.prices_after_test(static_cast<int>(stride), before.pairs(), static_cast<int>(lane),
                              {now.data(), discounted.data(), attribute.data()});
}

// Without a test of `lane`, other features of its attribute keep their price; or another test of its
// group loses its discount, after which that of the lane is left to pay. A lane that is the only one of its
// attribute is not tested again. After a test of `lane`, its other features are free, and so are those of
// attributes that were tested before the node; a group has its discount at best.
void NodePrices::prepare_bounds(const std::vector<std::int32_t>& lanes, int depth, PriceWork& work) {
    std::fill(work.discount.begin(), work.discount.end(), 0.0);
    std::fill(work.price.begin(), work.price.end(), -1.0);
    std::fill(work.features.begin(), work.features.end(), 0);
    double cheapest[2] = {1e30, 1e30}, first = -1;  // of two attributes, and the number of the first
    bool free = false;
    for (const std::int32_t lane : lanes) {
        const std::size_t l = static_cast<std::size_t>(lane);
        if (group[l] >= 0) {
            double& most_discount = work.discount[static_cast<std::size_t>(group[l])];
            most_discount = std::max(most_discount, now[l] - discounted[l]);
        }
        if (attribute[l] < 0) {
            free = true;
            continue;
        }
        double& own = work.price[static_cast<std::size_t>(attribute[l])];
        own = std::max(own, now[l]);
        ++work.features[static_cast<std::size_t>(attribute[l])];
        const double least = std::min(now[l], discounted[l]);
        if (attribute[l] == first) {
            cheapest[0] = std::min(cheapest[0], least);
        } else if (least < cheapest[0]) {
            cheapest[1] = cheapest[0];
            cheapest[0] = least;
            first = attribute[l];
        } else {
            cheapest[1] = std::min(cheapest[1], least);
        }
    }
    missed = now;
    next.assign(now.size(), 0.0);
    for (const std::int32_t lane : lanes) {
        const std::size_t l = static_cast<std::size_t>(lane);
        const double discount = group[l] >= 0 ? work.discount[static_cast<std::size_t>(group[l])] : 0.0;
        const bool alone = attribute[l] >= 0 && work.features[static_cast<std::size_t>(attribute[l])] == 1;
        missed[l] = alone ? discount : std::max(now[l], discount + discounted[l]);
        if (alone && !free) next[l] = attribute[l] == first ? cheapest[1] : cheapest[0];
    }
    work.dearest.clear();
    for (const double price : work.price)
        if (price > 0) work.dearest.push_back(price);
    const std::size_t tests = std::min(work.dearest.size(), static_cast<std::size_t>(std::max(depth, 0)));
    std::partial_sort(work.dearest.begin(), work.dearest.begin() + static_cast<std::ptrdiff_t>(tests),
                      work.dearest.end(), std::greater<>());
    most = std::accumulate(work.dearest.begin(), work.dearest.begin() + static_cast<std::ptrdiff_t>(tests),
                           0.0);
}

void NodePrices::lost(std::size_t tested, std::vector<double>& out, const Kernels& kernels) const {
    out.resize(now.size());
    kernels.lost_prices(static_cast<int>(out.size()), pairs(), missed.data(), static_cast<int>(tested),
                        out.data());
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

// Lists of single splits that two nodes share.
//
// Below a node with three levels left, the rows with f = s and a = t are met twice: where f is tested first,
// and where a is. Their list of nondominated single splits is the same.
#pragma once

#include <span>
#include <vector>

#include "front/points/dense_stumps.hpp"
#include "front/points/ledger.hpp"

namespace streed {

class StumpStore {
public:
    using Entry = DenseStumps::Entry;
    explicit StumpStore(Ledger& ledger) : spans_(Counted<Span>(ledger)), entries_(Counted<Entry>(ledger)) {}

    // A new node with three levels left and so many features, or none at all.
    void open(std::size_t features) {
        features_ = features <= kMostFeatures ? features : 0;
        spans_.assign(4 * features_ * features_, Span{});
        entries_.clear();
    }
    void close() { features_ = 0; }
    // The child of that node whose lists are looked for next.
    void enter(std::int32_t feature, bool side) {
        feature_ = static_cast<std::size_t>(feature);
        side_ = side;
    }
    // Number of the list for the rows of the child on one side of another feature.
    std::size_t key(std::int32_t other, int side) const {
        const std::size_t a = static_cast<std::size_t>(other), t = static_cast<std::size_t>(side),
                          s = side_ ? 1 : 0;
        return a < feature_ ? (a * features_ + feature_) * 4 + 2 * t + s
                            : (feature_ * features_ + a) * 4 + 2 * s + t;
    }
    bool has(std::size_t key) const { return features_ > 0 && spans_[key].size > 0; }
    std::span<const Entry> get(std::size_t key) const {
        return {entries_.data() + spans_[key].start, spans_[key].size};
    }
    void put(std::size_t key, const std::vector<Entry>& list) {
        if (features_ == 0 || entries_.size() + list.size() > kMostEntries) return;
        spans_[key] = {static_cast<std::uint32_t>(entries_.size()), static_cast<std::uint32_t>(list.size())};
        entries_.insert(entries_.end(), list.begin(), list.end());
    }

private:
    static constexpr std::size_t kMostFeatures = 512, kMostEntries = std::size_t{1} << 22;
    struct Span {
        std::uint32_t start = 0, size = 0;
    };
    std::size_t features_ = 0, feature_ = 0;
    bool side_ = false;
    CountedVector<Span> spans_;
    CountedVector<Entry> entries_;
};

}  // namespace streed

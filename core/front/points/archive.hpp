// Fronts of solved children of one node, as lower bounds of children whose rows are nearly the same: the
// similarity bound of the paper for vectors.
//
// When rows leave a set and others join it, the cost of a tree falls by at most the largest cost of those
// that leave, and rises by at least the least cost of those that join. So the front of the old set, moved by
// both, bounds all trees of the new set from below. Where the front was only searched up to a ceiling, a tree
// may also exceed the ceiling in one component, moved in the same way.
#pragma once

#include <bit>
#include <limits>
#include <vector>

#include "front/data/part.hpp"
#include "front/points/corners.hpp"
#include "front/points/ledger.hpp"

namespace streed {

template <int M>
class Archive {
public:
    // Of a front, and fronts; half and twice, a quarter and four times take 0.96 to 1.00 of the time.
    static constexpr std::size_t kPoints = 24, kMost = 256;

    explicit Archive(Ledger& ledger) : ledger_(ledger) {}
    void clear() { size_ = 0; }

    // The whole front of some rows below a ceiling.
    template <class Points>
    void put(const Words& mask, int nodes, const Vector<M>& ceiling, const Points& points) {
        if (entries_.size() < kMost && size_ >= entries_.size()) {
            if (!ledger_.fits_optional(mask.size() * sizeof(mask[0]))) return;
            entries_.emplace_back(ledger_);
        }
        Entry& entry = entries_[size_++ % entries_.size()];
        entry.mask.assign(mask.begin(), mask.end());
        entry.nodes = nodes;
        entry.ceiling = ceiling;
        entry.points.clear();
        for (const auto& p : points) entry.points.push_back(p.v);
        least_of_groups<M>(entry.points, kPoints);
    }

    // Vectors such that every tree for the rows of a mask costs at least as much as one of them. The trees
    // have at most so many nodes, and no component of theirs is outside [lowest, highest].
    std::vector<Vector<M>> bound(const Rows& rows, const Kernels& kernels, const Words& mask, int nodes,
                                 const Vector<M>& lowest, const Vector<M>& highest) {
        const Entry* nearest = nullptr;
        int least = std::numeric_limits<int>::max();
        for (std::size_t k = 0; k < std::min(size_, entries_.size()); ++k) {
            const Entry& entry = entries_[k];
            if (entry.nodes < nodes) continue;
            int differ = 0;
            for (std::size_t w = 0; w < mask.size(); ++w) differ += std::popcount(mask[w] ^ entry.mask[w]);
            if (differ >= least) continue;
            least = differ;
            nearest = &entry;
        }
        if (nearest == nullptr) return {lowest};
        gone_.resize(mask.size());
        come_.resize(mask.size());
        for (std::size_t w = 0; w < mask.size(); ++w) {
            gone_[w] = nearest->mask[w] & ~mask[w];
            come_[w] = mask[w] & ~nearest->mask[w];
        }
        gone_part_.select(rows, kernels, gone_);
        come_part_.select(rows, kernels, come_);
        Vector<M> shift;
        for (int j = 0; j < M; ++j)
            shift[static_cast<std::size_t>(j)] = come_part_.lowest(j) - gone_part_.highest(j);
        std::vector<Vector<M>> out;
        const auto add = [&](Vector<M> v) {
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) v[j] = std::max(v[j], lowest[j]);
            out.push_back(v);
        };
        for (Vector<M> v : nearest->points) {
            for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) v[j] += shift[j];
            add(v);
        }
        for (std::size_t j = 0; j < static_cast<std::size_t>(M); ++j) {
            const double above = nearest->ceiling[j] + 1 + shift[j];
            if (above > highest[j]) continue;
            Vector<M> v = lowest;
            v[j] = above;
            add(v);
        }
        return out;
    }

private:
    struct Entry {
        explicit Entry(Ledger& ledger) : mask(Counted<std::uint64_t>(ledger)) {}
        CountedVector<std::uint64_t> mask;
        int nodes = 0;
        Vector<M> ceiling;
        std::vector<Vector<M>> points;
    };
    Ledger& ledger_;
    std::vector<Entry> entries_;  // cleared ones keep their memory; the oldest are written over
    std::size_t size_ = 0;        // entries that were put since the last clear()
    Words gone_, come_;
    Part gone_part_, come_part_;
};

}  // namespace streed

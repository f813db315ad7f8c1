// The pair table of a node: sums over the rows that have two features, for all pairs, and what they say about
// all children.
#pragma once

#include <memory>
#include <vector>

#include "priced/rows/rows.hpp"

namespace streed::priced {

// Bounds in ticks of the children on both sides of every feature of a node, [side][feature].
struct Bounds {
    std::vector<double> lower[2], upper[2];
};

class PairTable {
public:
    virtual ~PairTable() = default;

    virtual void fill(const Rows& rows) = 0;
    // (1) a leaf, a split and no split more, a split and a peeled cell, three splits: the least of them
    // bounds a child from below, the least of the first two is a tree. A child that no split can part with
    // profit is a leaf.
    virtual void bound_children(bool peel, Bounds& bounds) = 0;
    // (2) Similarity: the rows on one side of f are worth at least what those on side `side` of g are worth,
    // less what the rows of the latter that are missing can add. That is at most their weight, and at most
    // `apart`, the price of a split, and a leaf: f parts them from the others. Before the second was used,
    // 1.3 times as many tables were filled in the mean of twelve problems, six times as many on audiology.
    virtual void push(int g, int side, double value, double apart, Bounds& bounds) const = 0;
    // (3) As (2), between a node and its parent: `from` and `bounds_from` belong to the parent, of which
    // this node is side `side` of the feature in lane `lane`; `lane_of[f]` is the parent's lane of this
    // node's feature f.
    virtual void inherit(const PairTable& from, const Bounds& bounds_from, int lane, int side,
                         const std::vector<std::int32_t>& lane_of, double apart, Bounds& bounds) const = 0;
    // (4) A bound of the child on side `side` of the feature in lane `lane` without its table: a grandchild
    // costs a split or is a leaf, and what (2) says of it. `leaf` is what the child costs as a leaf, `keep`
    // are the features that can split it.
    virtual double preview(int lane, int side, double leaf, const std::vector<std::int32_t>& keep,
                           double apart, const Bounds& bounds) const = 0;
    // The features that can split the child on side `side` of the feature in lane `lane`, by support;
    // `dropped` is set if a feature that parts the rows of the child is not among them.
    virtual void useful(int lane, int side, std::vector<std::int32_t>& keep, bool& dropped) const = 0;
    // The cost in units of the child on side `side` of the feature in lane `lane` as a leaf.
    virtual double leaf_of(int lane, int side) const = 0;
    // Rows of both labels among those with features i and j, where rows are counted.
    virtual void labels(int i, int j, int (&rows)[2]) const = 0;

    virtual std::size_t bytes() const = 0;
    virtual std::size_t needed(const Rows& rows) const = 0;  // bytes, about, that a fill adds
    virtual double work() const = 0;  // about the processor cycles of a fill and its bounds
};

std::unique_ptr<PairTable> make_table(const Root& root, const Kernels& kernels);

}  // namespace streed::priced

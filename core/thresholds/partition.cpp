#include <algorithm>

#include "node.hpp"

namespace streed::thresholds {
namespace {

constexpr std::uint32_t kUpper = 1u << 31;

template <class Entry>
struct Parts;
template <>
struct Parts<std::uint32_t> {
    using Rank = std::int16_t;
    static std::uint32_t row(std::uint32_t entry) { return entry & 0xffffu; }
    static std::uint32_t rank(std::uint32_t entry) { return (entry & 0x7fffffffu) >> 16; }
    static std::uint32_t make(std::uint32_t rank, std::uint32_t row) { return rank << 16 | row; }
};
template <>
struct Parts<std::uint64_t> {
    using Rank = std::int32_t;
    static std::uint32_t row(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }
    static std::uint32_t rank(std::uint64_t entry) { return static_cast<std::uint32_t>((entry & ~(std::uint64_t{1} << 63)) >> 32); }
    static std::uint64_t make(std::uint32_t rank, std::uint32_t row) { return static_cast<std::uint64_t>(rank) << 32 | row; }
};

// Both children of a narrow node at once, without a branch per row. Ranks stay as they are.
void divide_narrow(const Node& node, int column, const std::uint32_t* map, Node& lower, Node& upper) {
    const std::uint32_t* from = node.order<std::uint32_t>(column);
    std::uint32_t *low = lower.order<std::uint32_t>(column), *high = upper.order<std::uint32_t>(column);
    const int n = node.size();
    std::size_t n_low = 0, n_high = 0;
    for (int p = 0; p < n; ++p) {
        const std::uint32_t entry = from[p], to = map[entry & 0xffffu], out = (entry & 0x7fff0000u) | (to & 0xffffu);
        low[n_low] = out;
        high[n_high] = out;
        n_high += to >> 31;
        n_low += 1 - (to >> 31);
    }
    const std::int16_t* ranks = node.ranks<std::int16_t>(column);
    std::int16_t *low_rank = lower.ranks<std::int16_t>(column), *high_rank = upper.ranks<std::int16_t>(column);
    n_low = n_high = 0;
    for (int row = 0; row < n; ++row) {
        low_rank[n_low] = high_rank[n_high] = ranks[row];
        n_high += map[row] >> 31;
        n_low += 1 - (map[row] >> 31);
    }
}

// One child of a wide node, with ranks counted anew: those of a narrow child must fit.
template <class Entry>
void take_side(const Node& node, int column, const std::uint32_t* map, std::uint32_t side, Node& child) {
    const std::uint64_t* from = node.order<std::uint64_t>(column);
    Entry* out = child.order<Entry>(column);
    auto* ranks = child.ranks<typename Parts<Entry>::Rank>(column);
    std::uint32_t rank = 0, before = 0;
    std::size_t n = 0;
    for (int p = 0; p < node.size(); ++p) {
        const std::uint32_t to = map[Parts<std::uint64_t>::row(from[p])], own = Parts<std::uint64_t>::rank(from[p]);
        if ((to & kUpper) != side) continue;
        rank += n > 0 && own != before;
        before = own;
        const std::uint32_t row = to & ~kUpper;
        ranks[row] = static_cast<typename Parts<Entry>::Rank>(rank);
        out[n++] = Parts<Entry>::make(rank, row);
    }
}

template <class Rank>
int number_rows(const Node& node, int column, std::int32_t rank, std::vector<std::uint32_t>& map) {
    const Rank* ranks = node.ranks<Rank>(column);
    std::uint32_t lower = 0, upper = 0;
    for (int row = 0; row < node.size(); ++row) {
        const std::uint32_t side = ranks[row] >= rank;
        map[static_cast<std::size_t>(row)] = side ? kUpper | upper : lower;
        upper += side;
        lower += 1 - side;
    }
    return static_cast<int>(lower);
}

void copy_rows(const Node& node, const std::uint32_t* map, std::uint32_t side, Node& child) {
    std::size_t n = 0;
    const std::size_t labels = static_cast<std::size_t>(node.n_labels());
    for (int k = 0; k < node.size(); ++k) {
        if ((map[k] & kUpper) != side) continue;
        child.roots()[n] = node.roots()[k];
        child.labels()[n] = node.labels()[k];
        if (!node.unit()) child.weights()[n] = node.weights()[k];
        if (node.model() == Model::costs) std::copy_n(node.costs() + static_cast<std::size_t>(k) * labels, labels, child.costs() + n * labels);
        ++n;
    }
}

}  // namespace

std::size_t partition(const Node& node, int column, std::int32_t rank, Node& lower, Node& upper, std::vector<std::uint32_t>& map) {
    const int n = node.size();
    if (map.size() < static_cast<std::size_t>(n) + 64) map.resize(static_cast<std::size_t>(n) + 64);
    const int n_lower = node.wide() ? number_rows<std::int32_t>(node, column, rank, map) : number_rows<std::int16_t>(node, column, rank, map);
    std::size_t grown = lower.allocate(n_lower, node.n_columns(), node.n_labels(), node.model(), node.unit());
    grown += upper.allocate(n - n_lower, node.n_columns(), node.n_labels(), node.model(), node.unit());
    for (Node* child : {&lower, &upper}) {
        const std::uint32_t side = child == &upper ? kUpper : 0;
        copy_rows(node, map.data(), side, *child);
        child->add_up();
        for (int j = 0; j < node.n_columns(); ++j) {
            if (node.constant(j)) {
                child->drop(j);
            } else if (!node.wide()) {
                if (side == 0) divide_narrow(node, j, map.data(), lower, upper);
            } else if (child->wide()) {
                take_side<std::uint64_t>(node, j, map.data(), side, *child);
            } else {
                take_side<std::uint32_t>(node, j, map.data(), side, *child);
            }
        }
    }
    return grown;
}

}  // namespace streed::thresholds

// Native losses in the search: their pair tables and pair problems.
#include "search/pairs/native_losses.hpp"

#include <algorithm>
#include <cstring>

namespace streed {

NativeModel Search::native_model() const {
    return {problem.function->native,
            model.n_values,
            reduced.factor,
            reduced.parameter,
            static_cast<double>(options.min_samples_leaf),
            reduced.shift};
}

// A few statistics at a time; leaf functions may have hundreds, and the clock is looked at in between. The
// potential of a native loss is left out, unless the frame has weights of rows only.
void NativeLosses::fill_table(const Level& at, const Frame& frame, const std::uint64_t* filter,
                              const void* singles, void* table, bool half) {
    constexpr int kTogether = 3;
    thread_.account(indices_.reserve(4 * (static_cast<std::size_t>(frame.words) * 64 + 64)));
    const std::size_t stride = static_cast<std::size_t>(frame.stride);
    const int potential = search_.has_native() && frame.n_channels > 1 ? search_.model.n_values - 1 : -1;
    for (int c = 0; c < frame.n_channels; c += kTogether) {
        if (c > 0) thread_.checkpoint();
        Frame part = frame;
        part.channels += c;
        part.n_channels = std::min(kTogether, frame.n_channels - c);
        const std::size_t before = static_cast<std::size_t>(c) * stride;
        search_.kernels.native_table(
            part, at.node.known_row_bits(), filter, static_cast<const double*>(singles) + before,
            static_cast<double*>(table) + before * stride, indices_.as<std::uint32_t>(), half, potential - c);
    }
}

// The pair table of a node, whose buffer has room for all thread_.statistics.
void NativeLosses::load_table(Level& at) {
    const Node& node = at.node;
    thread_.turn_rows(at);
    if (!packed())
        return fill_table(at, node.frame(), node.valid().data(), node.singles(), at.table.data(), false);
    pack_rows(at);
    count_packed(at, node.valid().data(), at.packed_singles.as<std::int64_t>(), at.table, false);
}

void NativeLosses::pack_rows(Level& at) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const std::size_t slots = static_cast<std::size_t>(node.words()) * 64;
    const auto join = [shift = search_.reduced.shift](double first, double second) {
        return (static_cast<std::int64_t>(first) << shift) + static_cast<std::int64_t>(second);
    };
    thread_.account(at.packed.reserve(8 * slots));
    thread_.account(at.packed_singles.reserve(8 * (stride + 3)));
    const Frame frame = node.frame();
    std::int64_t* rows = at.packed.as<std::int64_t>();
    for (std::size_t k = 0; k < slots; ++k)
        rows[k] = join(frame.channels[0].values[k], frame.channels[1].values[k]);
    std::int64_t* singles = at.packed_singles.as<std::int64_t>();
    std::fill(singles, singles + stride, 0);
    for (const std::int32_t f : node.active()) singles[f] = join(node.single(0, f), node.single(1, f));
    singles[stride] = join(node.total(0), node.total(1));
    const double potential = node.total(2);
    std::memcpy(singles + stride + 2, &potential, 8);
}

namespace {

// Bytes for a list of rows, then their masks, values and three columns of bits (packed_table.hpp).
std::size_t packed_room(const Frame& frame) {
    const std::size_t slots = static_cast<std::size_t>(frame.words) * 64 + 64;
    const std::size_t groups = (static_cast<std::size_t>(frame.stride) + 63) / 64;
    return slots * (4 + 8 * (groups + 1)) + 24 * (static_cast<std::size_t>(frame.words) + 2);
}

}  // namespace

void NativeLosses::count_packed(const Level& at, const std::uint64_t* filter, const std::int64_t* singles,
                                AlignedBuffer& table, bool half) {
    const Frame frame = at.node.frame();
    thread_.account(indices_.reserve(packed_room(frame)));
    ++thread_.statistics.tables_counted;
    search_.kernels.packed_table(frame, at.node.known_row_bits(), filter, at.packed.as<std::int64_t>(),
                                 singles, table.as<std::int64_t>(), indices_.as<std::uint32_t>(), half);
}

// Both statistics of a child per feature, from the pair table of its parent: there is no need to add them up
// over its rows once more.
KnownSums NativeLosses::packed_side(const Level& at, int lane, bool side) {
    if (!packed() || !at.has_table) return {};
    const std::size_t stride = static_cast<std::size_t>(at.node.stride());
    const std::int64_t* all = at.packed_singles.as<std::int64_t>();
    const std::int64_t* row = at.table.as<std::int64_t>() + static_cast<std::size_t>(lane) * stride;
    const int shift = search_.reduced.shift;
    const std::int64_t half = std::int64_t{1} << (shift - 1), low = 2 * half - 1;
    side_sums_.resize(2 * stride);
    for (const std::int32_t f : at.node.active()) {
        const std::int64_t sums = (side ? row[f] : all[f] - row[f]) + half;
        side_sums_[static_cast<std::size_t>(f)] = static_cast<double>(sums >> shift);
        side_sums_[stride + static_cast<std::size_t>(f)] = static_cast<double>((sums & low) - half);
    }
    return {side_sums_.data(), 2, stride};
}

// Sums per feature and in all of both children of a feature; their potentials stand behind.
void NativeLosses::begin_packed_children(const Level& at, int lane, bool small_side, ChildSums& children) {
    const Node& node = at.node;
    const std::size_t stride = static_cast<std::size_t>(node.stride()), own = static_cast<std::size_t>(lane);
    const std::int64_t* all = at.packed_singles.as<std::int64_t>();
    const std::int64_t* row = at.table.as<std::int64_t>() + own * stride;
    AlignedBuffer& on_right = small_side ? children.spare.singles : children.other_singles;
    AlignedBuffer& on_left = small_side ? children.other_singles : children.spare.singles;
    std::int64_t* right = on_right.as<std::int64_t>();
    std::int64_t* left = on_left.as<std::int64_t>();
    std::fill(right, right + stride, 0);
    std::fill(left, left + stride, 0);
    for (const std::int32_t f : node.active()) {
        right[f] = row[f];
        left[f] = all[f] - row[f];
    }
    const std::size_t channels = static_cast<std::size_t>(node.n_channels());
    const auto put = [&](bool side, std::int64_t sums, double potential) {
        std::int64_t* totals = children.totals.as<std::int64_t>() + (side == small_side ? 0 : channels);
        totals[0] = sums;
        std::memcpy(totals + 2, &potential, 8);
    };
    const double potential = node.single(2, lane);
    put(true, all[own], potential);
    put(false, all[stride] - all[own], node.total(2) - potential);
}

// A pair problem whose cells are never stored.
PairBenefit NativeLosses::solve_pairs(const Node& node, const PairProblem& problem, int nodes,
                                      double* per_root) {
    constexpr double kNone = 1e300;
    const std::size_t stride = static_cast<std::size_t>(node.stride());
    const int last = search_.model.n_values - 1;
    roots_.resize(6 * stride + 16);
    const NativeSplits splits{roots_.data(), roots_.data() + stride, roots_.data() + 2 * stride,
                              roots_.data() + 3 * stride};
    if (packed())
        search_.kernels.packed_splits(
            node.frame(),
            {static_cast<const std::int64_t*>(problem.table),
             static_cast<const std::int64_t*>(problem.minuend),
             static_cast<const std::int64_t*>(problem.singles),
             *static_cast<const std::int64_t*>(problem.totals), roots_.data() + 4 * stride},
            search_.native_model(), splits);
    else
        search_.kernels.native_splits(node.frame(), problem, search_.native_model(), splits);
    const double all = static_cast<const double*>(problem.totals)[last];
    const double branch = search_.model.branch_cost;
    double one = -kNone, two = -kNone, three = -kNone;
    if (per_root != nullptr) std::fill(per_root, per_root + stride, -kNone);
    for (const std::int32_t lane : node.active()) {
        const std::size_t l = static_cast<std::size_t>(lane);
        const double right = splits.right_leaf[l], left = splits.left_leaf[l];
        if (right <= -kNone || left <= -kNone) continue;
        const double r = std::max(right, splits.right[l] - branch);
        const double l_ = std::max(left, splits.left[l] - branch);
        const double with_one = left + right - branch;
        const double with_two = std::max(left + r, l_ + right) - branch;
        const double with_three = l_ + r - branch;
        one = std::max(one, with_one);
        two = std::max(two, with_two);
        three = std::max(three, with_three);
        if (per_root != nullptr)
            per_root[l] = (nodes >= 3 || nodes == 0 ? with_three : nodes == 2 ? with_two : with_one) - all;
    }
    return {{-kNone, one - all, two - all, three - all}};
}

}  // namespace streed

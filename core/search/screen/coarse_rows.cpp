// Which nodes are estimated: those of few rows and of features in chains.
#include "search/screen/coarse_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace streed {
namespace {

// The more rows, the coarser the grid and the more roots are left to be solved. Milliseconds with AVX-512 for
// up to 1,023, 2,047 and 8,191 rows, and without estimates: concrete at depth 4 28, 28, 28 and 38, carbon at
// depth 5 524, 535, 664 and 512, query1 at depth 5 53, 55, 52 and 51, grid at depth 4 948, 941, 1013 and 921.
// With AVX2 all but grid (not measured) take no more time with than without: 33 (54), 703 (750), 61 (64).
constexpr double kMostRows = 1600;
constexpr std::size_t kLanesOfAny = 16;  // a multiple of the numbers of 32 bits in any vector

template <class Visit>
void each_slot(const Node& node, Visit&& visit) {
    for (std::size_t w = 0; w < node.valid().size(); ++w)
        for (std::uint64_t word = node.valid()[w]; word != 0; word &= word - 1)
            visit(64 * w + static_cast<std::size_t>(std::countr_zero(word)));
}

}  // namespace

bool CoarseRows::load(const Node& node, std::size_t& grown) {
    grown = 0;
    const double rows = node.total(0);
    if (!(rows >= 1) || rows > kMostRows || !find_chains(node)) return false;
    const std::size_t slots = 64 * static_cast<std::size_t>(node.words());
    pitch_ = (static_cast<std::size_t>(node.stride()) + kLanesOfAny - 1) / kLanesOfAny * kLanesOfAny;
    grown += values_.reserve(4 * slots);
    if (!round_sums(node)) return false;
    const std::size_t before = entry_.capacity() * sizeof(entry_[0]);
    find_entries(node);
    grown += entry_.capacity() * sizeof(entry_[0]) - before;
    grown += table_.reserve(table_bytes(node));
    return true;
}

ChainRows CoarseRows::rows(const Node& node, std::uint32_t* indices, void* room) const {
    return {.masks = node.known_row_bits(),
            .values = values_.as<std::int32_t>(),
            .slots = 64 * static_cast<std::size_t>(node.words()),
            .chains = chains_.data(),
            .n_chains = static_cast<int>(chains_.size()),
            .entry = entry_.data(),
            .pitch = pitch_,
            .indices = indices,
            .room = room};
}

// Chains of active features, each as long as it can be from its first feature on. Fewer than two features to
// a chain take no less time than lists of rows.
bool CoarseRows::find_chains(const Node& node) {
    const std::vector<std::int32_t>& active = node.active();
    chains_.clear();
    bool open = false;  // the direction of the last chain is not known yet
    for (std::size_t a = 0; a < active.size(); ++a) {
        const std::int32_t at = static_cast<std::int32_t>(a);
        if (a > 0) {
            const std::uint64_t *one = node.column(active[a - 1]), *two = node.column(active[a]);
            std::uint64_t lost = 0, gained = 0;
            for (std::size_t w = 0; w < node.valid().size(); ++w) {
                lost |= node.valid()[w] & one[w] & ~two[w];
                gained |= node.valid()[w] & two[w] & ~one[w];
            }
            Chain& last = chains_.back();
            const bool falls = open ? gained == 0 : last.falling;
            if ((falls ? gained : lost) == 0) {
                last.falling = falls;
                last.last = at;
                open = false;
                continue;
            }
        }
        chains_.push_back({at, at, false});
        open = true;
    }
    return 2 * chains_.size() <= active.size();
}

// A slot enters at the feature that has it while the next smaller one lacks it.
void CoarseRows::find_entries(const Node& node) {
    const std::size_t slots = 64 * static_cast<std::size_t>(node.words());
    const auto row = [&](int lane) {
        return static_cast<std::uint32_t>(pitch_ * static_cast<std::size_t>(lane));
    };
    entry_.assign(chains_.size() * slots, row(node.stride()));
    for (std::size_t c = 0; c < chains_.size(); ++c) {
        const Chain& chain = chains_[c];
        for (std::int32_t a = chain.first; a <= chain.last; ++a) {
            const std::int32_t lane = node.active()[static_cast<std::size_t>(a)];
            const std::int32_t next = chain.falling ? a + 1 : a - 1;
            const std::uint64_t* smaller = next < chain.first || next > chain.last
                                               ? nullptr
                                               : node.column(node.active()[static_cast<std::size_t>(next)]);
            for (int w = 0; w < node.words(); ++w) {
                std::uint64_t word = node.column(lane)[w] & (smaller == nullptr ? ~0ull : ~smaller[w]);
                for (; word != 0; word &= word - 1)
                    entry_[c * slots + 64 * static_cast<std::size_t>(w) +
                           static_cast<std::size_t>(std::countr_zero(word))] = row(lane);
            }
        }
    }
}

// The finest grid on which all sums fit. Slots without weight, and fractions, are left to the exact search.
bool CoarseRows::round_sums(const Node& node) {
    const Frame frame = node.frame();
    const double* n = frame.channels[0].values;
    const double* sum = frame.channels[1].values;
    const double rows = node.total(0);
    mean_ = node.total(1) / rows;
    double up = 0, down = 0, used = 0;
    bool weighed = true;
    each_slot(node, [&](std::size_t k) {
        const double centred = sum[k] - n[k] * mean_;
        (centred > 0 ? up : down) += std::abs(centred);
        weighed = weighed && n[k] >= 1;
        ++used;
    });
    // Floats hold numbers below 2^24.
    shift_ = std::min(24, 32 - static_cast<int>(std::bit_width(static_cast<unsigned>(rows))));
    const double most = std::max(up, down), room = std::ldexp(1.0, shift_ - 1) - 2 - used;
    if (!weighed || !(most > 0) || !(room > 8 * used)) return false;
    scale_ = room / most;
    std::int32_t* values = values_.as<std::int32_t>();
    std::fill_n(values, 64 * static_cast<std::size_t>(node.words()), 0);
    std::uint32_t all = 0;
    rounded_ = 0;
    each_slot(node, [&](std::size_t k) {
        const double exact = (sum[k] - n[k] * mean_) * scale_, q = std::nearbyint(exact);
        const double off = std::abs(exact - q) + 0x1p-20;  // the product was rounded
        rounded_ += off * off / n[k];
        const std::uint32_t packed = (static_cast<std::uint32_t>(n[k]) << shift_) +
                                     static_cast<std::uint32_t>(static_cast<std::int32_t>(q));
        values[k] = static_cast<std::int32_t>(packed);
        all += packed;
    });
    total_ = static_cast<std::int32_t>(all);
    rounded_ *= 1 + 0x1p-20;
    return true;
}

}  // namespace streed

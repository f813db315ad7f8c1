// Rows that agree in all remaining features share a leaf in every tree below. Counted rows of opposite labels
// cancel in pairs, each of which costs one error; rows with values become one row, whose least cost is
// unavoidable.
#include <algorithm>
#include <bit>

#include "priced/hash.hpp"
#include "priced/rows/reduction.hpp"

namespace streed::priced {

// A hash of the remaining features of every row; products by odd numbers, so that words do not wait for one
// another.
void Reducer::hash_rows(const Rows& rows) {
    wanted_.assign(static_cast<std::size_t>(root_.width), 0);
    for (const std::int32_t f : rows.features) wanted_[static_cast<std::size_t>(f) / 64] |= 1ull << (f % 64);
    const std::size_t n = rows.ids.size(), width = static_cast<std::size_t>(root_.width);
    row_hashes_.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
        const std::uint64_t* bits = root_.packed.data() + rows.ids[r] * width;
        std::uint64_t hash = 0, factor = 0x9FB21C651E98DF25ull;
        for (std::size_t w = 0; w < width; ++w, factor += kHashSeed - 1)
            hash += (bits[w] & wanted_[w]) * factor;
        row_hashes_[r] = hash ^ (hash >> 29);
    }
}

// Whether some rows may be equal, of different blocks where rows are counted: most nodes have none, and a
// table of bits tells it in a third of the time that grouping takes. Few rows that meet a set bit are
// compared with the hashes of all others.
bool Reducer::repeated(const Rows& rows) {
    const std::size_t n = row_hashes_.size(),
                      first = rows.n_values == 0 ? static_cast<std::size_t>(rows.n[0]) : n;
    const int shift = 64 - std::bit_width(64 * n);
    seen_bits_.assign((std::size_t{1} << (64 - shift)) / 64, 0);
    const auto meets = [&](std::size_t r, bool add) {
        const std::uint64_t place = row_hashes_[r] * kHashSeed >> shift, bit = 1ull << (place % 64);
        const bool met = (seen_bits_[place / 64] & bit) != 0;
        if (add) seen_bits_[place / 64] |= bit;
        return met;
    };
    const auto known = [&](std::size_t r) {
        const auto end = row_hashes_.begin() + static_cast<std::ptrdiff_t>(std::min(r, first));
        return std::find(row_hashes_.begin(), end, row_hashes_[r]) != end;
    };
    for (std::size_t r = 0; r < first; ++r)
        if (meets(r, true) && first == n && known(r)) return true;
    for (std::size_t r = first; r < n; ++r)
        if (meets(r, false) && known(r)) return true;
    return false;
}

void Reducer::group(const Rows& rows) {
    const std::size_t n = rows.ids.size(), width = static_cast<std::size_t>(root_.width);
    std::size_t size = 64;
    while (size < 2 * n) size *= 2;
    if (slots_.size() < size || ++stamp_ == 0) {
        slots_.assign(std::max(size, slots_.size()), 0);
        stamps_.assign(slots_.size(), 0);
        stamp_ = 1;
    }
    first_.resize(n);
    for (std::size_t r = 0; r < n; ++r) {
        const std::uint64_t* bits = root_.packed.data() + rows.ids[r] * width;
        const auto same = [&](std::uint32_t other) {
            if (row_hashes_[other] != row_hashes_[r]) return false;
            const std::uint64_t* bits_of = root_.packed.data() + rows.ids[other] * width;
            for (std::size_t w = 0; w < width; ++w)
                if (((bits[w] ^ bits_of[w]) & wanted_[w]) != 0) return false;
            return true;
        };
        std::size_t at = row_hashes_[r] & (size - 1);
        while (stamps_[at] == stamp_ && !same(slots_[at])) at = (at + 1) & (size - 1);
        if (stamps_[at] != stamp_) {
            stamps_[at] = stamp_;
            slots_[at] = static_cast<std::uint32_t>(r);
        }
        first_[r] = slots_[at];
    }
}

double Reducer::merge(Rows& rows, std::vector<std::uint64_t>& mask) {
    hash_rows(rows);
    if (!repeated(rows)) return -1;
    group(rows);
    return rows.n_values == 0 ? cancel_counted(rows, mask) : merge_valued(rows, mask);
}

// Of each group those of the rarer label go, and as many of the other one, the first ones.
double Reducer::cancel_counted(const Rows& rows, std::vector<std::uint64_t>& mask) {
    const std::size_t n = rows.ids.size(), first = static_cast<std::size_t>(rows.n[0]);
    left_.assign(n, 0);
    kept_rows_.assign(n, 1);
    for (std::size_t r = 0; r < first; ++r) ++left_[first_[r]];
    double pairs = 0;
    for (std::size_t r = first; r < n; ++r) {
        if (left_[first_[r]] == 0 || first_[r] >= first) continue;
        --left_[first_[r]];
        kept_rows_[r] = 0;
        ++pairs;
    }
    if (pairs == 0) return -1;
    for (std::size_t r = first; r-- > 0;)
        if (left_[first_[r]] > 0)
            --left_[first_[r]];
        else
            kept_rows_[r] = 0;
    mask.assign(static_cast<std::size_t>(rows.n_words()), 0);
    for (std::size_t r = 0; r < n; ++r)
        if (kept_rows_[r] != 0) {
            const std::size_t at = r < first ? r : r - first + 64 * static_cast<std::size_t>(rows.words[0]);
            mask[at / 64] |= 1ull << (at % 64);
        }
    cancelled_ += 2 * static_cast<std::size_t>(pairs);
    if (!rows.prices.empty()) add_debts(rows);
    return pairs;
}

// Every two rows that went cost one error.
void Reducer::add_debts(const Rows& rows) {
    debts_.assign(rows.ids.size(), 0.0);
    for (std::size_t r = 0; r < rows.ids.size(); ++r)
        if (kept_rows_[r] == 0) debts_[first_[r]] += root_.unit / 2 - rows.prices[r];
    for (const double debt : debts_) unpaid_ += std::max(0.0, debt);
}

double Reducer::merge_valued(Rows& rows, std::vector<std::uint64_t>& mask) {
    const std::size_t n = rows.ids.size(), m = static_cast<std::size_t>(rows.n_values);
    bool any = false;
    for (std::size_t r = 0; r < n; ++r) {
        if (first_[r] == r) continue;
        any = true;
        for (std::size_t k = 0; k < m; ++k) rows.values[first_[r] * m + k] += rows.values[r * m + k];
        if (!rows.prices.empty()) rows.prices[first_[r]] += rows.prices[r];
    }
    if (!any) return -1;
    rows.merged = true;
    double unavoidable = 0;
    mask.assign(static_cast<std::size_t>(rows.n_words()), 0);
    for (std::size_t r = 0; r < n; ++r) {
        ++cancelled_;
        if (first_[r] != r) continue;
        double* costs = rows.values.data() + r * m;
        const double least = *std::min_element(costs, costs + m - 1),
                     most = *std::max_element(costs, costs + m - 1);
        for (std::size_t k = 0; k + 1 < m; ++k) costs[k] -= least;
        costs[m - 1] = most - least;
        unavoidable += least;
        if (!rows.prices.empty()) {
            rows.prices[r] -= least * root_.unit;
            if (most == least) unpaid_ += std::max(0.0, -rows.prices[r]);
        }
        if (most == least) continue;  // the same under all labels
        --cancelled_;
        mask[r / 64] |= 1ull << (r % 64);
    }
    return unavoidable;
}

}  // namespace streed::priced

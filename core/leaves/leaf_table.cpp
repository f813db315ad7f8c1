// The table of leaf costs: when it is small enough, and how it is filled.
#include "leaves/leaf_table.hpp"

#include <algorithm>

namespace streed {
namespace {

// Sum of a statistic over all rows.
double total_of(const ReducedProblem& reduced, std::size_t statistic) {
    double total = 0;
    if (reduced.counting) {
        const Block& block = reduced.blocks[statistic];
        for (int w = block.word_begin; w < block.word_end; ++w)
            total += __builtin_popcountll(reduced.valid[static_cast<std::size_t>(w)]);
    } else {
        const std::size_t slots = 64 * static_cast<std::size_t>(reduced.words);
        for (std::size_t s = 0; s < slots; ++s) total += reduced.value[statistic * slots + s];
    }
    return total;
}

// What the statistics are to be multiplied by to give the number of rows; empty if they do not give it.
std::vector<double> count_factors(const ReducedProblem& reduced) {
    const std::size_t slots = 64 * static_cast<std::size_t>(reduced.words);
    const std::size_t values = static_cast<std::size_t>(reduced.n_values);
    const auto gives_counts = [&](const std::vector<double>& factors) {
        for (std::size_t s = 0; s < slots; ++s) {
            double count = 0;
            for (std::size_t m = 0; m < values; ++m) count += factors[m] * reduced.value[m * slots + s];
            if (count != reduced.count[s]) return false;
        }
        return true;
    };
    std::vector<double> factors(values, 1.0);
    if (reduced.counting) return factors;
    if (gives_counts(factors)) return factors;
    for (std::size_t m = 0; m < values; ++m) {
        std::fill(factors.begin(), factors.end(), 0.0);
        factors[m] = 1;
        if (gives_counts(factors)) return factors;
    }
    return {};
}

}  // namespace

void LeafTable::fill(const ReducedProblem& reduced, double min_samples_leaf, std::size_t most,
                     const Evaluate& evaluate) {
    const std::size_t values = static_cast<std::size_t>(reduced.n_values);
    if ((!reduced.counting && reduced.storage == Storage::f64) ||
        std::any_of(reduced.value.begin(), reduced.value.end(), [](double v) { return v < 0; }))
        return;
    std::vector<std::size_t> size(values);
    std::size_t entries = 1;
    for (std::size_t m = 0; m < values; ++m) {
        size[m] = static_cast<std::size_t>(total_of(reduced, m)) + 1;
        if (size[m] > most / entries) return;
        entries *= size[m];
    }
    const std::vector<double> count = count_factors(reduced);
    if (count.empty()) return;

    std::vector<double> table(entries, kNone);
    constexpr std::size_t kBlock = 4096;
    std::vector<double> digits(values), sums(values * kBlock), ticks(kBlock);
    std::vector<std::size_t> position(kBlock);
    std::size_t used = 0;
    const auto flush = [&] {
        if (used == 0) return;
        for (std::size_t m = 1; m < values && used < kBlock; ++m)
            std::copy_n(sums.data() + m * kBlock, used, sums.data() + m * used);
        evaluate(sums.data(), used, ticks.data());
        for (std::size_t k = 0; k < used; ++k) table[position[k]] = ticks[k];
        used = 0;
    };
    for (std::size_t at = 0; at < entries; ++at) {
        std::size_t rest = at;
        double rows = 0;
        for (std::size_t m = values; m-- > 0; rest /= size[m]) {
            digits[m] = static_cast<double>(rest % size[m]);
            rows += count[m] * digits[m];
        }
        if (rows < min_samples_leaf) continue;
        for (std::size_t m = 0; m < values; ++m) sums[m * kBlock + used] = digits[m];
        position[used++] = at;
        if (used == kBlock) flush();
    }
    flush();
    std::size_t factor = 1;
    factors_.assign(values, 0);
    for (std::size_t m = values; m-- > 0; factor *= size[m]) factors_[m] = static_cast<std::int32_t>(factor);
    costs_ = std::move(table);
}

}  // namespace streed

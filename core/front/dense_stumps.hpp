// All single splits of one side of a root feature, for two components and two labels: the best second value per first one.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace streed {

class DenseStumps {
public:
    struct Entry {
        double first, second;
        std::int32_t who;  // 2 * feature + (1: rows without the feature have label 1), or -1 - label for a leaf
    };

    // Wanted: first components in [low, high] (none is below, all are whole numbers), second ones up to a ceiling.
    void begin(double low, double high, double ceiling) {
        low_ = low;
        high_ = high;
        ceiling_ = ceiling;
        best_.assign(static_cast<std::size_t>(high - low) + 1, std::numeric_limits<double>::infinity());
        who_.resize(best_.size());
        least_ = std::numeric_limits<double>::infinity();
        last_ = 0;
    }
    void add(double first, double second, std::int32_t who) {
        if (first > high_ || second > ceiling_) return;
        const std::size_t cell = static_cast<std::size_t>(static_cast<std::int64_t>(first - low_));
        if (second >= best_[cell]) return;
        best_[cell] = second;
        who_[cell] = who;
        if (second < least_ || (second == least_ && cell < last_)) {
            least_ = second;
            last_ = cell;
        }
    }
    // The nondominated ones in order. Nothing beyond the least second component can be one.
    void finish(std::vector<Entry>& out) const {
        out.clear();
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t cell = 0; cell <= last_ && least_ < std::numeric_limits<double>::infinity(); ++cell) {
            if (best_[cell] >= least) continue;
            least = best_[cell];
            out.push_back({low_ + static_cast<double>(cell), least, who_[cell]});
        }
    }

private:
    double low_ = 0, high_ = 0, ceiling_ = 0, least_ = 0;
    std::size_t last_ = 0;
    std::vector<double> best_;
    std::vector<std::int32_t> who_;
};

}  // namespace streed

// Prices of rows that no leaf is worth: a linear programme in two variables.
//
// Let every row of the first label have the price a, every row of the second one b, such that the rows of any
// conjunction of tests, p and q of them, cost a p + b q <= min(p, q) + (price of a split): no leaf exceeds
// its errors and its split. Added up over the leaves, every tree with a split costs at least a P + b Q -
// (price of a split), at the root and at every node below it. The programme has a constraint per conjunction;
// violated ones are added until there are none.
#pragma once

#include <vector>

#include "priced/rows/rows.hpp"
#include "priced/table.hpp"

namespace streed::priced {

class LeafPrices {
public:
    LeafPrices(const Root& root, const Kernels& kernels) : root_(root), kernels_(kernels) {}

    // Looks for prices and a proof that no conjunction exceeds them, with at most `effort` words looked at.
    bool certify(const Rows& rows, const PairTable& table, double effort);
    bool ready() const { return ready_; }
    double of(int label) const { return price_[label]; }  // ticks
    double effort() const { return spent_; }

private:
    struct Cut {
        double rows[2];
    };
    double worth(double a, double b, double p, double q) const;
    void solve_programme(const Rows& rows);
    bool cut_pairs(const Rows& rows, const PairTable& table);

    const Root& root_;
    const Kernels& kernels_;
    bool ready_ = false;
    double price_[2] = {0, 0};
    double trial_[2] = {0, 0};  // of the programme so far
    double value_ = 0;
    std::vector<Cut> cuts_;
    double spent_ = 0;
};

}  // namespace streed::priced

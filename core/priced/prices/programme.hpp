// The linear programme of the prices of rows: maximise the sum of x, where 0 <= x <= upper and the members of
// every set cost no more than it may.
//
// Sets are added one by one, so the dual simplex method goes on from the last optimum: a new set leaves it
// dual feasible. Variables have an upper bound each, which the ratio test passes where it can (long steps).
// The basis has one row per set in use; sets with slack are put aside after every solve and come back when
// they are violated, so that it stays as small as the number of sets that are met with equality. Its inverse
// is kept as it is, without a factorisation: the answer is only a proposal, which is then proven without
// rounding (leaf_prices.cpp), so that small errors cost nothing but a weaker bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace streed::priced {

using Stop = std::function<bool()>;

class Programme {
public:
    explicit Programme(std::vector<double> upper);

    // A set that may cost `most`, which must be positive.
    void add(const std::vector<std::uint32_t>& members, double most);
    // Finds the optimum; false if that takes more than `effort` operations, `stop` ends it or rounding gets
    // in the way.
    bool solve(double effort, const Stop& stop);

    const std::vector<double>& prices() const { return x_; }
    double work() const { return work_; }  // operations so far, about
    std::size_t bytes() const { return bytes_ + 8 * basis_.size() * basis_.size(); }

private:
    struct Set {
        std::vector<std::uint32_t> members;
        std::vector<std::uint64_t> bits;
        double most = 0;
        bool used = false;
    };
    // A variable of the basis or beside it: the price of a group, or the slack of the set in a column.
    struct Variable {
        bool slack = false;
        std::size_t at = 0;
    };
    struct Candidate {
        double ratio, slope;  // of the dual step, and how much of the infeasibility its whole range takes
        Variable variable;
    };

    void use(std::size_t set);
    void put_aside(std::size_t position);
    void put_slack_aside();
    bool use_violated();
    void restart();
    bool pivot();
    bool leaves(std::size_t& position, double& excess) const;
    void price_row(std::size_t position);
    bool ratio_test(double excess, Variable& entering);
    void flip(const std::vector<Candidate>& flipped);
    void column_of(const Variable& variable);
    void exchange(std::size_t position, const Variable& entering, double target);
    bool has(const Set& set, std::size_t g) const { return ((set.bits[g / 64] >> (g % 64)) & 1) != 0; }
    double upper(const Variable& variable) const;

    std::vector<double> upper_, x_, gain_,
        row_;  // of the groups: bounds, values, reduced costs, a tableau row
    std::vector<char> basic_;
    std::vector<Set> sets_;
    std::vector<std::size_t> column_set_;  // set of each column of the inverse
    std::vector<double> slack_gain_;       // of each column
    std::vector<char> slack_basic_;
    std::vector<Variable> basis_;
    std::vector<double> value_;                 // of the basic variables
    std::vector<std::vector<double>> inverse_;  // [position][column]
    std::vector<double> column_, change_;
    std::vector<Candidate> candidates_, flipped_;
    double work_ = 0;
    std::size_t bytes_ = 0;  // of the sets
};

}  // namespace streed::priced

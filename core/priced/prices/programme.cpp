// The dual simplex method with bounded variables and an explicit inverse, for sets that are added one by
// one.
#include "priced/prices/programme.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace streed::priced {
namespace {

constexpr double kFeasible = 1e-7;  // violations up to this are rounding; prices are about one
constexpr double kPivot = 1e-7;     // smaller pivots are rounding
// Gains of 1 to 1 + this: equal ones would make most steps of the dual simplex method empty.
constexpr double kSpread = 1e-4;

}  // namespace

Programme::Programme(std::vector<double> upper) : upper_(std::move(upper)) {
    x_.resize(upper_.size());
    gain_.resize(upper_.size());
    row_.resize(upper_.size());
    basic_.resize(upper_.size());
    restart();
}

double Programme::upper(const Variable& variable) const {
    return variable.slack ? std::numeric_limits<double>::infinity() : upper_[variable.at];
}

// All prices at their upper bounds, no sets: an optimum.
void Programme::restart() {
    std::uint32_t random = 1;
    for (std::size_t g = 0; g < x_.size(); ++g) {
        random = random * 1664525u + 1013904223u;
        x_[g] = upper_[g];
        gain_[g] = 1 + kSpread * (random >> 8) * 0x1p-24;
        basic_[g] = 0;
    }
    for (Set& set : sets_) set.used = false;
    column_set_.clear();
    slack_gain_.clear();
    slack_basic_.clear();
    basis_.clear();
    value_.clear();
    inverse_.clear();
}

void Programme::add(const std::vector<std::uint32_t>& members, double most) {
    Set set;
    set.members = members;
    set.most = most;
    set.bits.resize((x_.size() + 63) / 64);
    for (const std::uint32_t g : members) set.bits[g / 64] |= 1ull << (g % 64);
    bytes_ += sizeof(Set) + 4 * set.members.size() + 8 * set.bits.size();
    sets_.push_back(std::move(set));
}

// A row more, with its slack as the basic variable: the new row of the inverse is minus the set's
// coefficients of the basic prices, times the inverse.
void Programme::use(std::size_t set) {
    Set& added = sets_[set];
    added.used = true;
    const std::size_t n = basis_.size();
    std::vector<double> row(n + 1, 0.0);
    for (std::size_t p = 0; p < n; ++p) {
        if (basis_[p].slack || !has(added, basis_[p].at)) continue;
        for (std::size_t c = 0; c < n; ++c) row[c] -= inverse_[p][c];
        work_ += static_cast<double>(n);
    }
    row[n] = 1;
    for (std::vector<double>& other : inverse_) other.push_back(0);
    inverse_.push_back(std::move(row));
    double slack = added.most;
    for (const std::uint32_t g : added.members) slack -= x_[g];
    basis_.push_back({true, n});
    value_.push_back(slack);
    column_set_.push_back(set);
    slack_gain_.push_back(0);
    slack_basic_.push_back(1);
    work_ += static_cast<double>(added.members.size() + 4 * n);
}

// The set whose slack is the basic variable at `position`: its row and its column go, the last ones take
// their places.
void Programme::put_aside(std::size_t position) {
    const std::size_t column = basis_[position].at, last = basis_.size() - 1;
    sets_[column_set_[column]].used = false;
    std::swap(inverse_[position], inverse_[last]);
    inverse_.pop_back();
    basis_[position] = basis_[last];
    value_[position] = value_[last];
    basis_.pop_back();
    value_.pop_back();
    for (std::vector<double>& row : inverse_) {
        row[column] = row[last];
        row.pop_back();
    }
    for (Variable& variable : basis_)
        if (variable.slack && variable.at == last) variable.at = column;
    column_set_[column] = column_set_[last];
    slack_gain_[column] = slack_gain_[last];
    slack_basic_[column] = slack_basic_[last];
    column_set_.pop_back();
    slack_gain_.pop_back();
    slack_basic_.pop_back();
    work_ += 4.0 * static_cast<double>(last);
}

void Programme::put_slack_aside() {
    for (std::size_t p = basis_.size(); p-- > 0;)
        if (basis_[p].slack) put_aside(p);
}

bool Programme::use_violated() {
    bool any = false;
    for (std::size_t s = 0; s < sets_.size(); ++s) {
        if (sets_[s].used) continue;
        double cost = 0;
        for (const std::uint32_t g : sets_[s].members) cost += x_[g];
        work_ += static_cast<double>(sets_[s].members.size());
        if (cost <= sets_[s].most + kFeasible) continue;
        use(s);
        any = true;
    }
    return any;
}

bool Programme::solve(double effort, const Stop& stop) {
    const double end = work_ + effort;
    bool again = true;  // once from the beginning, if rounding gets in the way
    while (use_violated()) {
        std::size_t position = 0;
        double excess = 0;
        bool moved = false;
        for (; leaves(position, excess); moved = true) {
            if (work_ > end || stop()) return false;
            if (pivot()) continue;
            if (!again) return false;
            again = false;
            restart();
            use_violated();
        }
        put_slack_aside();
        if (!moved) return true;  // violated by no more than rounding
    }
    return true;
}

// The basic variable that is furthest out of its bounds; `excess` is negative below them.
bool Programme::leaves(std::size_t& position, double& excess) const {
    excess = 0;
    for (std::size_t p = 0; p < basis_.size(); ++p) {
        const double above = value_[p] - upper(basis_[p]);
        const double out = value_[p] < 0 ? value_[p] : above > 0 ? above : 0;
        if (std::abs(out) <= std::max(kFeasible, std::abs(excess))) continue;
        excess = out;
        position = p;
    }
    return excess != 0;
}

// The coefficients of the groups in the row of a basic variable; those of the slacks are the row of the
// inverse.
void Programme::price_row(std::size_t position) {
    std::fill(row_.begin(), row_.end(), 0.0);
    work_ += static_cast<double>(row_.size());
    for (std::size_t c = 0; c < column_set_.size(); ++c) {
        const double factor = inverse_[position][c];
        if (factor == 0) continue;
        const Set& set = sets_[column_set_[c]];
        for (const std::uint32_t g : set.members) row_[g] += factor;
        work_ += static_cast<double>(set.members.size());
    }
}

// The variable whose reduced cost is the first to reach zero. One that has an upper bound is passed, and
// jumps to its other bound, while that does not take the whole infeasibility.
bool Programme::ratio_test(double excess, Variable& entering) {
    const auto by_ratio = [](const Candidate& a, const Candidate& b) { return a.ratio > b.ratio; };
    std::make_heap(candidates_.begin(), candidates_.end(), by_ratio);
    double left = std::abs(excess);
    flipped_.clear();
    while (!candidates_.empty()) {
        std::pop_heap(candidates_.begin(), candidates_.end(), by_ratio);
        const Candidate candidate = candidates_.back();
        candidates_.pop_back();
        left -= candidate.slope;
        if (left < 0) {
            entering = candidate.variable;
            return true;
        }
        flipped_.push_back(candidate);
    }
    return false;
}

void Programme::flip(const std::vector<Candidate>& flipped) {
    if (flipped.empty()) return;
    change_.assign(column_set_.size(), 0.0);
    for (const Candidate& candidate : flipped) {
        const std::size_t g = candidate.variable.at;
        const double by = x_[g] > 0 ? -upper_[g] : upper_[g];
        x_[g] = x_[g] > 0 ? 0 : upper_[g];
        for (std::size_t c = 0; c < column_set_.size(); ++c)
            if (has(sets_[column_set_[c]], g)) change_[c] += by;
    }
    for (std::size_t p = 0; p < basis_.size(); ++p)
        for (std::size_t c = 0; c < change_.size(); ++c) value_[p] -= inverse_[p][c] * change_[c];
    work_ += static_cast<double>(basis_.size() * (basis_.size() + flipped.size()));
}

void Programme::column_of(const Variable& variable) {
    column_.assign(basis_.size(), 0.0);
    for (std::size_t c = 0; c < column_set_.size(); ++c) {
        if (variable.slack ? c != variable.at : !has(sets_[column_set_[c]], variable.at)) continue;
        for (std::size_t p = 0; p < basis_.size(); ++p) column_[p] += inverse_[p][c];
        work_ += 2.0 * static_cast<double>(basis_.size());
    }
}

void Programme::exchange(std::size_t position, const Variable& entering, double target) {
    const double by = (value_[position] - target) / column_[position];
    const double entered = (entering.slack ? 0 : x_[entering.at]) + by;
    for (std::size_t p = 0; p < basis_.size(); ++p) value_[p] -= column_[p] * by;
    const Variable leaving = basis_[position];
    double& gain = entering.slack ? slack_gain_[entering.at] : gain_[entering.at];
    const double step = gain / column_[position];
    for (std::size_t g = 0; g < x_.size(); ++g)
        if (basic_[g] == 0) gain_[g] -= step * row_[g];
    for (std::size_t c = 0; c < column_set_.size(); ++c)
        if (slack_basic_[c] == 0) slack_gain_[c] -= step * inverse_[position][c];
    gain = 0;
    (entering.slack ? slack_basic_[entering.at] : basic_[entering.at]) = 1;
    (leaving.slack ? slack_basic_[leaving.at] : basic_[leaving.at]) = 0;
    (leaving.slack ? slack_gain_[leaving.at] : gain_[leaving.at]) = -step;
    if (!leaving.slack) x_[leaving.at] = target;
    basis_[position] = entering;
    value_[position] = entered;
    std::vector<double>& row = inverse_[position];
    for (double& entry : row) entry /= column_[position];
    for (std::size_t p = 0; p < basis_.size(); ++p) {
        if (p == position || column_[p] == 0) continue;
        for (std::size_t c = 0; c < row.size(); ++c) inverse_[p][c] -= column_[p] * row[c];
    }
    for (std::size_t p = 0; p < basis_.size(); ++p)
        if (!basis_[p].slack) x_[basis_[p].at] = value_[p];
    work_ += static_cast<double>(x_.size() + basis_.size() * basis_.size());
}

// One step: a basic variable that is out of its bounds goes to the nearer one, another takes its place.
bool Programme::pivot() {
    std::size_t position = 0;
    double excess = 0;
    if (!leaves(position, excess)) return true;
    price_row(position);
    const double sign = excess < 0 ? 1 : -1;
    candidates_.clear();
    for (std::size_t g = 0; g < x_.size(); ++g) {
        const double slope = sign * row_[g];
        if (basic_[g] != 0 || (x_[g] > 0 ? slope <= kPivot : slope >= -kPivot)) continue;
        candidates_.push_back({std::abs(gain_[g] / slope), std::abs(slope) * upper_[g], {false, g}});
    }
    for (std::size_t c = 0; c < column_set_.size(); ++c) {
        const double slope = sign * inverse_[position][c];
        if (slack_basic_[c] != 0 || slope >= -kPivot) continue;
        candidates_.push_back(
            {std::abs(slack_gain_[c] / slope), std::numeric_limits<double>::infinity(), {true, c}});
    }
    Variable entering;
    if (!ratio_test(excess, entering)) return false;
    column_of(entering);
    if (std::abs(column_[position]) < kPivot) return false;
    flip(flipped_);
    exchange(position, entering, excess < 0 ? 0 : upper(basis_[position]));
    return true;
}

}  // namespace streed::priced

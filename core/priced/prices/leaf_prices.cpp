// The rounds of the programme of leaf prices: propose, look for violated conjunctions, scale to a proof.
#include "priced/prices/leaf_prices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "priced/search.hpp"

namespace streed::priced {
namespace {

// Of the way to the prices of the programme, before the first proof and after it. Half of the way throughout
// took 39 s on yeast at .01 instead of 28.
constexpr double kFirstStep = 0.5, kStep = 0.9;
// Of the programme's value: what is worth a proof, and what is near enough. With 0.99 for the second yeast at
// .01 was not proven in 30 s.
constexpr double kShare = 0.98, kFinalShare = 0.999;
constexpr double kShrink = 1 - 1e-6;  // more than what rounding lets the programme's prices exceed
// Violated conjunctions that a round adds at most: with 60 the programme takes as long, with 400 three times
// as long (heart-cleveland at .01).
constexpr std::size_t kAdded = 150;
// Whole numbers that the price of a split must have; rounding gets in the way of fewer.
constexpr double kLeastBranch = 1e5;
constexpr int kMostRows = 50000;       // a round would take seconds with more
constexpr std::size_t kFew = 20;       // that are worth looking at the next label
constexpr std::size_t kEnough = 1000;  // that end a search for them

}  // namespace

void LeafPrices::begin(const Rows& rows) {
    groups_ = make_groups(rows);
    scale_ = groups_.total / groups_.n;
    std::vector<double> upper = groups_.most;
    for (double& price : upper) price /= scale_;
    programme_ = std::make_unique<Programme>(std::move(upper));
    inside_.assign(groups_.most.size(), 0.0);
    quantum_ = std::ldexp(1.0, std::ilogb(std::max(1.0, groups_.total)) + 1 - 30);
    finished_ = root_.branch < kLeastBranch * root_.unit * quantum_;
    branch_ = static_cast<std::int32_t>(std::min(0x1p30, std::floor(root_.branch / root_.unit / quantum_)));
    costs_.resize(static_cast<std::size_t>(groups_.n_labels));
    for (int k = 0; k < groups_.n_labels; ++k)
        for (std::uint32_t g = 0; g < static_cast<std::uint32_t>(groups_.n); ++g)
            costs_[static_cast<std::size_t>(k)].push_back(
                static_cast<std::int32_t>(std::floor(groups_.cost(g, k) / quantum_)));
    work_ += static_cast<double>(rows.n_rows()) * groups_.n_features;
}

std::size_t LeafPrices::bytes() const {
    if (!programme_) return 0;
    return programme_->bytes() + 4 * groups_.lanes.size() + 8 * (groups_.costs.size() + 6 * inside_.size());
}

// A point between prices that no known conjunction exceeds and those of the programme, which all lie far out
// on its boundary: what is violated between the two cuts off more, and the points on the way change less from
// round to round (in-out separation, Ben-Ameur and Neto). On diabetes at .01 the programme's own prices took
// 110 rounds.
void LeafPrices::round_prices() {
    rounded_.resize(static_cast<std::size_t>(groups_.n));
    const double step = prices_.empty() ? kFirstStep : kStep;
    for (std::size_t g = 0; g < rounded_.size(); ++g) {
        const double price = inside_[g] + step * (programme_->prices()[g] * scale_ - inside_[g]),
                     of_row = std::floor((price > 0 ? std::min(price, groups_.most[g]) : 0.0) / quantum_ /
                                         groups_.size[g]);
        rounded_[g] = static_cast<std::int32_t>(of_row) * groups_.size[g];
    }
}

// False if they are there already: rounding leaves no better ones.
bool LeafPrices::move_inside() {
    bool moved = false;
    for (std::size_t g = 0; g < rounded_.size(); ++g) {
        const double price = rounded_[g] * quantum_;
        moved = moved || price != inside_[g];
        inside_[g] = price;
    }
    return moved;
}

// The most violated ones, each once.
bool LeafPrices::add(std::vector<Conjunction>& found) {
    std::sort(found.begin(), found.end(), [](const Conjunction& a, const Conjunction& b) {
        return a.excess != b.excess ? a.excess > b.excess : a.groups < b.groups;
    });
    found.erase(std::unique(found.begin(), found.end(),
                            [](const Conjunction& a, const Conjunction& b) { return a.groups == b.groups; }),
                found.end());
    found.resize(std::min(kAdded, found.size()));
    double ratio = 1;
    for (const Conjunction& conjunction : found) {
        double inside = 0, least = std::numeric_limits<double>::infinity();
        work_ += static_cast<double>(conjunction.groups.size() * (2 + costs_.size()));
        for (const std::uint32_t g : conjunction.groups) inside += inside_[g];
        for (const std::vector<std::int32_t>& costs : costs_) {
            double cost = branch_;
            for (const std::uint32_t g : conjunction.groups) cost += costs[g];
            least = std::min(least, cost);
        }
        ratio = std::max(ratio, inside / (least * quantum_));
        programme_->add(conjunction.groups, least * quantum_ / scale_);
    }
    for (double& price : inside_) price *= kShrink / ratio;
    return !found.empty();
}

double LeafPrices::prove(double end, const Stop& stop, std::vector<Conjunction>& found) {
    bool all = true;
    double ratio = 1;
    for (std::size_t k = 0; k < costs_.size() && all; ++k) {
        const std::size_t before = found.size();
        if (before > kFew) return 0;
        Conjunctions search(groups_, kernels_, rounded_, costs_[k], branch_, end - work_, stop);
        all = search.prove(kEnough, found);
        work_ += search.work();
        for (std::size_t c = before; c < found.size(); ++c) {
            double allowed = branch_;  // at least, of all conjunctions with these others
            for (const std::uint32_t g : found[c].groups)
                if (rounded_[g] < costs_[k][g]) allowed += costs_[k][g];
            ratio = std::max(ratio, 1 + static_cast<double>(found[c].excess) / allowed);
        }
    }
    return all ? ratio : 0;
}

void LeafPrices::set_prices(double scale) {
    prices_.clear();
    for (const std::int32_t group : groups_.of_row) {
        const auto g = static_cast<std::size_t>(group);
        prices_.push_back(std::floor(rounded_[g] / groups_.size[g] * scale) * quantum_ * root_.unit);
    }
    value_ = std::accumulate(prices_.begin(), prices_.end(), 0.0);
}

bool LeafPrices::improve(const Rows& rows, double least, double effort, const Stop& stop) {
    finished_ = finished_ || rows.n_rows() > kMostRows;
    if (finished_) return false;
    const double end = work_ + effort;
    if (!programme_) begin(rows);
    bool better = false;
    while (work_ < end && !finished_ && !stop()) {
        work_ += groups_.n;
        const double before = programme_->work();
        const bool solved = programme_->solve(end - work_, stop);
        work_ += programme_->work() - before;
        if (!solved) break;
        round_prices();
        const std::vector<double>& outside = programme_->prices();
        const double most = std::accumulate(outside.begin(), outside.end(), 0.0) * scale_ * root_.unit,
                     value = std::accumulate(rounded_.begin(), rounded_.end(), 0.0) * quantum_ * root_.unit;
        if (most <= std::max(least + root_.branch, value_)) {
            finished_ = true;
            break;
        }
        std::vector<Conjunction> found;
        for (const std::vector<std::int32_t>& costs : costs_) {
            Conjunctions search(groups_, kernels_, rounded_, costs, branch_, end - work_, stop);
            search.grow(found);
            work_ += search.work();
        }
        if (add(found)) continue;
        if (value < kShare * most) {
            finished_ = !move_inside();
            continue;
        }
        const double ratio = prove(end, stop, found);
        if (ratio > 0 && value / ratio > value_) {
            set_prices(1 / ratio);
            better = true;
        }
        if (ratio == 1) finished_ = !move_inside() || value >= kFinalShare * most;
        add(found);
    }
    return better;
}

// Prices of the root's rows, after some work without them.
void Worker::certify(Level& at) {
    search_.next_certificate = std::numeric_limits<double>::infinity();
    LeafPrices& prices = search_.prices;
    const double work = search_.cycles(), share = work < kLongWork ? kEffortShare : kLongEffortShare;
    const double effort = techniques_.early_prices ? kEarlyEffort : share * work - prices.work();
    const bool better = prices.improve(*at.rows, at.lower, effort, [this] {
        look_up(0);
        return halted();
    });
    if (!prices.finished()) search_.next_certificate = kNextCertificate * work;
    if (!better) return;
    ++counters_.certificates;
    at.rows->prices = prices.prices();
    use_prices(at);
    own_bounds(at);
}

void Worker::use_prices(Level& at) {
    const Rows& rows = *at.rows;
    if (rows.prices.empty()) return;
    const double missing = at.unpaid + root_.branch;
    const double all = std::accumulate(rows.prices.begin(), rows.prices.end(), 0.0);
    at.lower = std::max(at.lower, std::min(at.leaf, all - missing));
    column_prices_.assign(static_cast<std::size_t>(rows.n_features), 0.0);
    for (int c = 0, word = 0, row = 0; c < 2; word += rows.words[c], row += rows.n[c], ++c)
        kernels_.add_columns(rows.bits() + static_cast<std::size_t>(word) * rows.stride, rows.stride,
                             rows.n[c], rows.n_features, rows.prices.data() + row, column_prices_.data());
    for (std::size_t f = 0; f < column_prices_.size(); ++f) {
        const double value[2] = {all - column_prices_[f] - missing, column_prices_[f] - missing};
        for (int s = 0; s < 2; ++s) {
            double& lower = at.bounds.lower[s][f];
            lower = std::max(lower, std::min(at.bounds.upper[s][f], value[s]));
        }
    }
}

}  // namespace streed::priced

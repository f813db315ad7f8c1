// What rows add to the sums of a leaf, and what a leaf costs by its sums; one type for each kind of task.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "thresholds/many/many.hpp"

namespace streed::thresholds::many {

enum class Criterion { gini, entropy };

// Rows of `Width` labels (0: any number of them) that count one each.
template <int Width>
class Counts {
public:
    using Sum = std::uint32_t;
    explicit Counts(const Problem& problem)
        : labels_(problem.labels), width_(static_cast<std::size_t>(problem.n_labels)) {}
    std::size_t width() const { return Width > 0 ? Width : width_; }
    void add(Sum* cell, std::size_t row) const { ++cell[labels_[row]]; }
    double rows(const Sum* sums) const {
        Sum total = 0;
        for (std::size_t k = 0; k < width(); ++k) total += sums[k];
        return total;
    }
    double cost(const Sum* sums) const {
        Sum total = 0, most = 0;
        for (std::size_t k = 0; k < width(); ++k) {
            total += sums[k];
            most = std::max(most, sums[k]);
        }
        return static_cast<double>(total - most);
    }
    double prediction(const Sum* sums) const {
        return static_cast<double>(std::max_element(sums, sums + width()) - sums);
    }
    double cost_of(std::size_t row, double prediction) const {
        return static_cast<double>(labels_[row]) == prediction ? 0 : 1;
    }
    double impurity(const Sum* sums, Criterion criterion) const {
        return impurity_of(sums, width(), rows(sums), criterion);
    }

    static double impurity_of(const Sum* sums, std::size_t width, double total, Criterion criterion) {
        double sum = 0;
        for (std::size_t k = 0; k < width; ++k) {
            const double own = static_cast<double>(sums[k]);
            if (own > 0)
                sum += criterion == Criterion::gini ? own * own / total : own * std::log(own / total);
        }
        return criterion == Criterion::gini ? total - sum : -sum;
    }

private:
    const std::int32_t* labels_;
    std::size_t width_;
};

// The same with weights.
class Weights {
public:
    using Sum = double;
    explicit Weights(const Problem& problem)
        : labels_(problem.labels),
          weights_(problem.weights),
          width_(static_cast<std::size_t>(problem.n_labels)) {}
    std::size_t width() const { return width_; }
    void add(Sum* cell, std::size_t row) const { cell[labels_[row]] += weights_[row]; }
    double rows(const Sum* sums) const {
        double total = 0;
        for (std::size_t k = 0; k < width_; ++k) total += sums[k];
        return total;
    }
    double cost(const Sum* sums) const {
        double total = 0, most = 0;
        for (std::size_t k = 0; k < width_; ++k) {
            total += sums[k];
            most = std::max(most, sums[k]);
        }
        return total - most;
    }
    double prediction(const Sum* sums) const {
        return static_cast<double>(std::max_element(sums, sums + width_) - sums);
    }
    double cost_of(std::size_t row, double prediction) const {
        return static_cast<double>(labels_[row]) == prediction ? 0 : weights_[row];
    }
    double impurity(const Sum* sums, Criterion criterion) const {
        double sum = 0;
        const double total = rows(sums);
        for (std::size_t k = 0; k < width_; ++k)
            if (sums[k] > 0)
                sum += criterion == Criterion::gini ? sums[k] * sums[k] / total
                                                    : sums[k] * std::log(sums[k] / total);
        return criterion == Criterion::gini ? total - sum : -sum;
    }

private:
    const std::int32_t* labels_;
    const double* weights_;
    std::size_t width_;
};

// Squared errors about the mean: weight and weighted target. The squares of the targets cost the same in any
// tree, and are left out.
class Squares {
public:
    using Sum = double;
    explicit Squares(const Problem& problem) : statistics_(problem.statistics) {}
    std::size_t width() const { return 2; }
    void add(Sum* cell, std::size_t row) const {
        cell[0] += statistics_[3 * row];
        cell[1] += statistics_[3 * row + 1];
    }
    double rows(const Sum* sums) const { return sums[0]; }
    double cost(const Sum* sums) const { return sums[0] > 0 ? -sums[1] * sums[1] / sums[0] : 0; }
    double prediction(const Sum* sums) const { return sums[0] > 0 ? sums[1] / sums[0] : 0; }
    double cost_of(std::size_t row, double mean) const {
        return mean * (mean * statistics_[3 * row] - 2 * statistics_[3 * row + 1]);
    }
    double impurity(const Sum* sums, Criterion) const { return cost(sums); }

private:
    const double* statistics_;
};

// A cost for every label, and the number of rows. Greedy trees bring rows of similar costs together.
class Costs {
public:
    using Sum = double;
    explicit Costs(const Problem& problem)
        : costs_(problem.costs), width_(static_cast<std::size_t>(problem.n_labels)) {}
    std::size_t width() const { return width_ + 1; }
    void add(Sum* cell, std::size_t row) const {
        for (std::size_t k = 0; k < width_; ++k) cell[k] += costs_[row * width_ + k];
        cell[width_] += 1;
    }
    double rows(const Sum* sums) const { return sums[width_]; }
    double cost(const Sum* sums) const { return *std::min_element(sums, sums + width_); }
    double prediction(const Sum* sums) const {
        return static_cast<double>(std::min_element(sums, sums + width_) - sums);
    }
    double cost_of(std::size_t row, double label) const {
        return costs_[row * width_ + static_cast<std::size_t>(label)];
    }
    double impurity(const Sum* sums, Criterion) const {
        double sum = 0;
        for (std::size_t k = 0; k < width_; ++k) sum -= sums[k] * sums[k];
        return sums[width_] > 0 ? sum / sums[width_] : 0;
    }

private:
    const double* costs_;
    std::size_t width_;
};

}  // namespace streed::thresholds::many

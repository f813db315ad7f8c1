// Multipliers of the Lagrangian dual from known points: one by one exactly, several by subgradient steps.
#include "front/scalar/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace streed {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
using Point = std::vector<double>;

class Master {
public:
    Master(const std::vector<Point>& points, int objective, const Point& low, const Point& high,
           const Point& scale)
        : points_(points), objective_(objective), low_(low), high_(high), scale_(scale) {
        for (std::size_t j = 0; j < low.size(); ++j)
            if (static_cast<int>(j) != objective && (std::isfinite(low[j]) || std::isfinite(high[j])))
                free_.push_back(j);
    }
    const std::vector<std::size_t>& free() const { return free_; }

    // Value at lambda, and the point that attains it.
    double value(const Point& lambda, std::size_t& active) const {
        double least = kInfinity;
        for (std::size_t p = 0; p < points_.size(); ++p) {
            double sum = objective_ >= 0 ? points_[p][static_cast<std::size_t>(objective_)] : 0;
            for (const std::size_t j : free_) sum += lambda[j] * points_[p][j];
            if (sum < least) {
                least = sum;
                active = p;
            }
        }
        for (const std::size_t j : free_) least -= reach(j, lambda[j]);
        return least;
    }

    // One component: walk along the hull from multiplier zero to where the slope changes its sign.
    Point walk(std::size_t j, double& best) const {
        Point lambda(low_.size(), 0);
        std::size_t active = 0;
        best = value(lambda, active);
        const double direction = points_[active][j] > high_[j] ? 1 : points_[active][j] < low_[j] ? -1 : 0;
        if (direction == 0) return lambda;
        const double limit = direction > 0 ? high_[j] : low_[j];
        while (direction * (points_[active][j] - limit) > 0) {
            double next = scale_[j];
            std::size_t then = active;
            for (std::size_t p = 0; p < points_.size(); ++p) {
                const double run = direction * (points_[active][j] - points_[p][j]);
                if (run <= 0) continue;
                const double rise = objective_ >= 0
                                        ? points_[p][static_cast<std::size_t>(objective_)] -
                                              points_[active][static_cast<std::size_t>(objective_)]
                                        : 0;
                const double crossing = rise / run;
                if (crossing < next ||
                    (crossing == next && run > direction * (points_[active][j] - points_[then][j]))) {
                    next = crossing;
                    then = p;
                }
            }
            if (!std::isfinite(next)) break;  // nothing known lies beyond: any multiplier is as good
            lambda[j] = direction * next;
            if (then == active) break;
            active = then;
        }
        std::size_t unused = 0;
        best = value(lambda, unused);
        return lambda;
    }

    // Several components: subgradient steps, each in units that suit the spread of the points.
    Point climb(const Point& start, double& best) const {
        Point lambda = start, found = start, unit(low_.size(), 1);
        const auto spread = [&](std::size_t j) {
            double low = kInfinity, high = -kInfinity;
            for (const Point& p : points_) {
                low = std::min(low, p[j]);
                high = std::max(high, p[j]);
            }
            return std::max(high - low, 1e-9);
        };
        const double height = objective_ >= 0 ? spread(static_cast<std::size_t>(objective_)) : 1;
        for (const std::size_t j : free_)
            unit[j] = objective_ >= 0 ? height / spread(j) : std::min(scale_[j], 1.0);
        best = -kInfinity;
        for (int step = 0; step < 600; ++step) {
            std::size_t active = 0;
            const double here = value(lambda, active);
            if (here > best) {
                best = here;
                found = lambda;
            }
            double norm = 0;
            Point gradient(low_.size(), 0);
            for (const std::size_t j : free_) {
                const double v = points_[active][j];
                const double edge = lambda[j] > 0   ? high_[j]
                                    : lambda[j] < 0 ? low_[j]
                                                    : std::clamp(v, low_[j], high_[j]);
                gradient[j] = (v - edge) * unit[j];
                norm += gradient[j] * gradient[j];
            }
            if (norm <= 0) break;
            // Steps that become shorter; half and twice of both numbers take as long.
            const double length = 0.5 / (1 + 0.05 * step) / std::sqrt(norm);
            for (const std::size_t j : free_) {
                const double moved = lambda[j] + length * gradient[j] * unit[j];
                const double crossed = lambda[j] * moved < 0
                                           ? 0
                                           : moved;  // stop at zero first: the edge changes there
                lambda[j] = std::clamp(crossed, std::isfinite(low_[j]) ? -scale_[j] : 0.0,
                                       std::isfinite(high_[j]) ? scale_[j] : 0.0);
            }
        }
        return found;
    }

private:
    double reach(std::size_t j, double lambda) const {
        return lambda == 0 ? 0 : lambda * (lambda > 0 ? high_[j] : low_[j]);
    }

    const std::vector<Point>& points_;
    int objective_;
    const Point &low_, &high_, &scale_;
    std::vector<std::size_t> free_;
};

}  // namespace

std::vector<double> best_multipliers(const std::vector<Point>& points, int objective, const Point& low,
                                     const Point& high, const Point& scale, const Point& start,
                                     double& best) {
    const Master master(points, objective, low, high, scale);
    Point lambda(low.size(), 0);
    std::size_t unused = 0;
    best = points.empty() ? 0 : master.value(lambda, unused);
    if (master.free().size() == 1) {
        lambda = master.walk(master.free().front(), best);
    } else if (master.free().size() > 1) {
        Point guess = start;
        if (objective >= 0) guess[static_cast<std::size_t>(objective)] = 0;
        lambda = master.climb(guess, best);
    }
    if (objective >= 0) lambda[static_cast<std::size_t>(objective)] = 1;
    return lambda;
}

}  // namespace streed

// The registry of native losses, and what a search prepares for one: units, packed sums, potentials.
#include "leaves/native/rows.hpp"

#include <algorithm>
#include <cmath>

#include "data/units.hpp"

namespace streed {
namespace {

#include "leaves/native/losses.hpp"

// Whether both sums of every group go into one number; the second one is then put on a grid of whole numbers.
// Up to 2^16 units of the first one the grid is no coarser than 2^-44 of the sum. Returns the shift, or 0.
int pack_statistics(std::vector<double>& sums, std::vector<double>& units, const std::vector<double>& counts,
                    bool counted) {
    constexpr double kMost = 0x1p16;
    if (counted && units[0] != 1) return 0;
    double first = 0, second = 0;
    bool whole = true;  // the second statistic is
    for (std::size_t g = 0; g < counts.size(); ++g) {
        const double n = sums[3 * g], s = sums[3 * g + 1];
        if (n != std::floor(n) || n < 0 || (counted && n != counts[g])) return 0;
        whole = whole && s == std::floor(s);
        first += n;
        second += std::abs(s);
    }
    if (!(first < kMost) || !(second > 0)) return 0;
    const int shift = std::min(62 - (std::ilogb(std::max(first, 1.0)) + 1), 52);
    if (whole && second < std::ldexp(1.0, shift - 1)) return shift;
    const double grain = std::ldexp(1.0, std::ilogb(second) + 1 - (shift - 2));
    for (std::size_t g = 0; g < counts.size(); ++g) sums[3 * g + 1] = std::nearbyint(sums[3 * g + 1] / grain);
    units[1] *= grain;
    return shift;
}

// Sums of one kind, from number `first` on, get one unit.
void unify(std::vector<double>& sums, std::vector<double>& units, std::size_t first) {
    const std::size_t s = units.size(), groups = sums.size() / s;
    std::vector<double> own(groups);
    for (std::size_t m = first; m + 1 < s; ++m) {
        for (std::size_t g = 0; g < groups; ++g) own[g] = sums[g * s + m] * units[m];
        const double grain = grain_of(own.data(), groups);
        to_grid(own, grain);
        for (std::size_t g = 0; g < groups; ++g) sums[g * s + m] = own[g] * grain;
        units[m] = 1;
    }
}

}  // namespace

NativeUnits finish_native(NativeLeaf loss, std::vector<double>& sums, std::vector<double>& units,
                          const std::vector<double>& counts, double parameter, double grain, bool counted,
                          bool packing) {
    const std::size_t groups = counts.size(), s = units.size();
    NativeUnits out{1, 0, grain, 0, false};
    NativeLosses::visit(loss, [&]<class Loss>(Loss) {
        constexpr std::size_t alike = static_cast<std::size_t>(Loss::kAlike);
        out.ordered = Loss::kOrdered && s == alike + 2;
        if (s > alike + 2)
            unify(sums, units, alike);
        else if (Loss::kPacked && packing)
            out.shift = pack_statistics(sums, units, counts, counted);
        double first = 0, second = 0, size = 0;
        for (std::size_t g = 0; g < groups; ++g) {
            first += sums[g * s];
            second += sums[g * s + 1];
        }
        out.parameter = Loss::parameter(parameter, first, second);
        const double per_unit = Loss::per_unit(units.data());
        std::vector<double> benefits(groups);
        for (std::size_t g = 0; g < groups; ++g) {
            const double* own = &sums[g * s];
            const int n = static_cast<int>(s);
            if (Loss::size(own, n) > 0)
                benefits[g] = per_unit * Loss::template benefit<double, long long>(
                                             own, n, Loss::unavoidable(out.parameter));
            size += std::abs(benefits[g]);
        }
        // Sums of potentials stay far below 2^52.
        if (size > 0) out.grain = std::max(grain, std::ldexp(1.0, std::ilogb(size) + 1 - 48));
        out.factor = per_unit / out.grain;
        for (std::size_t g = 0; g < groups; ++g)
            sums[g * s + s - 1] = std::nearbyint(benefits[g] / out.grain) + kPotentialMargin;
    });
    return out;
}

const std::vector<NativeLoss>& native_losses() {
    static const std::vector<NativeLoss> all = [] {
        std::vector<NativeLoss> list;
        for (int k = 0; k < NativeLosses::kCount; ++k)
            NativeLosses::visit(NativeLeaf{k}, [&]<class Loss>(Loss) {
                list.push_back({Loss::kName, NativeLeaf{k}, Loss::kLeastStatistics, Loss::kMostStatistics,
                                Loss::kParameter});
            });
        return list;
    }();
    return all;
}

// Without rows, or by rounding, it would be no number or less than zero.
double native_leaf_cost(NativeLeaf loss, const double* sums, std::size_t n_values, double parameter) {
    double cost = 0;
    NativeLosses::visit(loss, [&]<class Loss>(Loss) {
        const int n = static_cast<int>(n_values);
        if (Loss::size(sums, n) > 0)
            cost = sums[n_values - 1] - Loss::template benefit<double, long long>(sums, n, parameter);
    });
    return cost > 0 ? cost : 0.0;
}

double native_unavoidable_cost(NativeLeaf loss, const double* sums, std::size_t n_values, double parameter) {
    NativeLosses::visit(loss, [&]<class Loss>(Loss) { parameter = Loss::unavoidable(parameter); });
    return native_leaf_cost(loss, sums, n_values, parameter);
}

std::vector<double> native_most_added(NativeLeaf loss, const std::vector<double>& sums, std::size_t groups,
                                      std::size_t n_values, double parameter) {
    std::vector<double> most;
    NativeLosses::visit(loss, [&]<class Loss>(Loss) {
        if constexpr (requires { &Loss::most_added; }) {
            most.resize(groups);
            Loss::most_added(sums.data(), groups, n_values, parameter, most.data());
        }
    });
    return most;
}

}  // namespace streed

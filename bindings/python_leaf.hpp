// Leaf functions from Python for the engine, and what goes wrong in them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "leaves/native/rows.hpp"

namespace binding {

// A leaf function from Python. It writes into an array of ours, so that a wrong shape is seen at once; an
// error in it ends the search and is raised again when the engine is back.
class PythonLeaf {
public:
    PythonLeaf(nb::callable function, std::size_t n_statistics, std::size_t n_labels)
        : function_(std::move(function)), n_statistics_(n_statistics), n_labels_(n_labels) {}

    void operator()(const double* sums, std::size_t n, double* costs) {
        const nb::gil_scoped_acquire gil;
        try {
            // A copy: the function may keep or change what it gets.
            double* copy = new double[n_statistics_ * n];
            std::copy_n(sums, n_statistics_ * n, copy);
            nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<double*>(p); });
            nb::ndarray<nb::numpy, double, nb::ndim<2>> input(copy, {n_statistics_, n}, owner);
            const auto output = nb::cast<nb::ndarray<const double, nb::numpy, nb::c_contig, nb::device::cpu>>(
                function_(nb::cast(input)));
            if (output.size() != n_labels_ * n)
                throw streed::TaskFailure("the leaf function returned " + text(output.size()) +
                                          " costs instead of " + text(n_labels_ * n));
            std::copy_n(output.data(), n_labels_ * n, costs);
        } catch (nb::python_error& error) {
            if (error.matches(PyExc_KeyboardInterrupt)) throw streed::Interrupted{};
            fail();
        } catch (...) {
            fail();
        }
    }

    std::exception_ptr failure_;

private:
    [[noreturn]] void fail() {
        failure_ = std::current_exception();
        throw streed::TaskFailure("the leaf function failed");
    }

    nb::callable function_;
    std::size_t n_statistics_, n_labels_;
};

using LeafCosts = std::function<void(const double*, std::size_t, double*)>;

// `function` is a Python callable, which `python` then holds, or the address of a compiled function (sums,
// number of leaves, costs) that needs no GIL.
inline LeafCosts leaf_costs(const nb::object& function, std::size_t n_statistics, std::size_t n_labels,
                            std::unique_ptr<PythonLeaf>& python) {
    if (nb::isinstance<nb::int_>(function)) {
        const auto address = nb::cast<std::uintptr_t>(function);
        const auto compiled = reinterpret_cast<void (*)(const double*, std::int64_t, double*)>(address);
        if (compiled == nullptr)
            refuse("function must be callable or the address of a compiled function, got 0");
        return [compiled](const double* sums, std::size_t n, double* costs) {
            compiled(sums, static_cast<std::int64_t>(n), costs);
        };
    }
    if (!PyCallable_Check(function.ptr()))
        throw nb::type_error("function must be callable or the address of a compiled function");
    python = std::make_unique<PythonLeaf>(nb::cast<nb::callable>(function), n_statistics, n_labels);
    return
        [leaf = python.get()](const double* sums, std::size_t n, double* costs) { (*leaf)(sums, n, costs); };
}

// A loss that the engine knows by name, and its costs for single leaves.
inline streed::NativeLeaf native_loss(const std::string& name, std::size_t n_statistics, int n_labels,
                                      double parameter, LeafCosts& costs) {
    const auto& losses = streed::native_losses();
    const auto found = std::find_if(losses.begin(), losses.end(),
                                    [&](const streed::NativeLoss& loss) { return loss.name == name; });
    if (found == losses.end()) {
        std::string names;
        for (const streed::NativeLoss& loss : losses)
            names += (&loss == &losses.back() ? " or '" : ", '") + loss.name + "'";
        refuse("function must be callable, an address" + names + ", got '" + name + "'");
    }
    const std::size_t least = static_cast<std::size_t>(found->least_statistics),
                      most = static_cast<std::size_t>(found->most_statistics);
    if (n_statistics < least || n_statistics > most || n_labels != 1)
        refuse("'" + name + "' has one label and " + text(least) + (most > least ? " to " + text(most) : "") +
               " statistics, got " + text(n_statistics));
    if (!(parameter >= 0 && parameter <= 1e100) || (parameter > 0 && !found->parameter))
        refuse("parameter of '" + name + "' must be " +
               (found->parameter ? "a number from 0 to 1e100" : "0, which stands for none") + ", got " +
               std::to_string(parameter));
    costs = [loss = found->loss, n_statistics, parameter](const double* sums, std::size_t n, double* out) {
        std::vector<double> own(n_statistics);
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t m = 0; m < n_statistics; ++m) own[m] = sums[m * n + k];
            out[k] = streed::native_leaf_cost(loss, own.data(), n_statistics, parameter);
        }
    };
    return found->loss;
}

// The engine's complaint about a leaf function as an exception of the module.
[[noreturn]] inline void raise_failure(const streed::TaskFailure& failure) {
    const nb::object type = nb::module_::import_("streed._core").attr("TaskFailure");
    PyErr_SetObject(type.ptr(), nb::make_tuple(failure.what(), failure.statistics, failure.part).ptr());
    throw nb::python_error();
}

}  // namespace binding

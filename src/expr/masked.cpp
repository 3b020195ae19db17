// SPDX-License-Identifier: Apache-2.0
// Masked expressions, and what reductions of them are made of.
#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>
#include <weft/expr/map.hpp>
#include <weft/expr/masked.hpp>
#include <weft/ops/copy.hpp>

#include "base/never_destroyed.hpp"
#include "base/operation.hpp"
#include "base/text.hpp"
#include "expr/divided_where.hpp"
#include "expr/expr_node.hpp"
#include "ops/elementwise.hpp"
#include "ops/place_kernel.hpp"
#include "ops/prepare_reduce.hpp"

#include <complex>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct ExprMasked : ExprNode {
  ExprMasked() : ExprNode(Kind::masked) {}
  std::optional<Scalar> initial;
};

/// In which means and variances are divided: nothing of them is lost there.
ScalarType wide_type(ScalarType type) {
  return is_complex(type) ? ScalarType::c128 : ScalarType::f64;
}

/// A complex number over a real one, as `mean` divides: a part that is infinite leaves the other
/// alone.
Expr divided_by_parts(const Expr& a, const Expr& n) {
  auto divide = [](std::complex<double> all, double count) {
    return std::complex<double>(all.real() / count, all.imag() / count);
  };
  static const MappedFunction<decltype(divide)> mapped(std::move(divide));
  static const std::int64_t number = next_own_number();
  const auto node = std::make_shared<ExprMap>(
      std::shared_ptr<const SpanKernel>(std::shared_ptr<const void>(), &mapped.kernel), number);
  node->dtype = ScalarType::c128;
  node->add_input(ExprNode::shared(a));
  node->add_input(ExprNode::shared(n));
  node->take_inputs(mapped.kernel.types + 1);
  return ExprNode::made(node);
}

/// A reduction of selected elements.
class MaskedReduction {
 public:
  MaskedReduction(Reduction op, const Expr& x, Expr mask, std::optional<Scalar> initial,
                  IntSpan axes, const ReduceOptions& options)
      : op_(op),
        x_(divided_where(mask, x)),
        mask_(std::move(mask)),
        initial_(std::move(initial)),
        axes_(axes),
        options_(options) {}

  Expr make() const {
    switch (op_) {
      case Reduction::sum:
      case Reduction::nansum: return total(BinaryOp::add, filled(0));
      case Reduction::prod: return total(BinaryOp::mul, filled(1));
      case Reduction::any:
      case Reduction::count_nonzero: return without_initial(reduce(op_, filled(0)));
      case Reduction::all: return without_initial(reduce(op_, filled(1)));
      case Reduction::logsumexp: return without_initial(reduce(op_, filled(-infinity)));
      case Reduction::mean: return without_initial(convert(mean(options_.keepdim), result().type));
      case Reduction::var: return without_initial(convert(var(), result().type));
      case Reduction::std: return without_initial(convert(sqrt(var()), result().type));
      case Reduction::amax: return extreme(BinaryOp::maximum);
      case Reduction::amin: return extreme(BinaryOp::minimum);
      case Reduction::argmax:
      case Reduction::argmin: return without_initial(place());
      default: break;
    }
    fail(ErrorCode::invalid_argument, "expected a reduction of one result that takes a mask");
  }

 private:
  ReducedResult result() const {
    // An extreme with an initial number is of any number of elements, as a sum is.
    return result_of(op_, x_.dtype(), x_.shape(), axes_, options_, initial_.has_value());
  }
  Expr reduce(Reduction op, Expr e) const { return Expr::call(op, std::move(e), axes_, options_); }

  /// x, and a number that changes nothing where it is left out.
  Expr filled(double number) const {
    if (x_.dtype() != ScalarType::boolean) return where(mask_, x_, number_of(number));
    if (number == 0) return x_ & mask_;
    if (number == 1) return x_ | ~mask_;
    return where(mask_, convert(x_, result().type), number_of(number));  // no bool is this
  }
  /// Made once, but for infinities: they take as long to make as the functions of them.
  static Expr number_of(double number) {
    static const NeverDestroyed<Expr> zero([] { return Expr(Scalar(std::int64_t{0})); });
    static const NeverDestroyed<Expr> one([] { return Expr(Scalar(std::int64_t{1})); });
    return number == 0 ? *zero : number == 1 ? *one : Expr(Scalar(number));
  }

  /// That an initial number has left the type of what it met as it was.
  const Expr& checked(const Expr& met, ScalarType type) const {
    if (met.dtype() != type) {
      fail(ErrorCode::cast, text("the initial number is ", name(initial_->dtype()),
                                 ", expected one that fits ", name(type)));
    }
    return met;
  }
  Expr with_initial(BinaryOp op, const Expr& e) const {
    return initial_ ? checked(Expr::call(op, e, Expr(*initial_)), e.dtype()) : e;
  }
  /// A sum or a product, rounded once more behind the initial number. Before it, a product may be
  /// beyond the range of f32. Real numbers are real until then, also if the result is complex.
  Expr total(BinaryOp op, Expr e) const {
    ReduceOptions options = options_;
    if (initial_) {
      const ScalarType wide = wide_type(result().type);
      const bool may_leave_range =
          op == BinaryOp::mul && !is_integer(result().type) && is_compiled(wide);
      const ScalarType type = may_leave_range ? wide : compute_type(result().type);
      const bool is_real = !is_complex(x_.dtype()) && !is_complex(initial_->dtype());
      options.dtype = is_real ? real_part(type) : type;
    }
    const Expr all = Expr::call(op_, std::move(e), axes_, options);
    return initial_ ? convert(with_initial(op, all), result().type) : all;
  }
  Expr without_initial(Expr e) const {
    if (initial_) fail(ErrorCode::invalid_argument, "expected no initial number, got one");
    return e;
  }

  Expr extreme(BinaryOp op) const {
    if (!initial_) {
      fail(ErrorCode::invalid_argument,
           "expected an initial number with the mask, since nothing has no extreme");
    }
    const Expr all = where(mask_, x_, Expr(*initial_));
    checked(all, x_.dtype());
    if (numel(x_.shape()) == 0) {
      const Tensor number = Tensor::empty({}, x_.dtype());
      copy_out(number, *initial_);
      return convert(Expr(number).expand(result().shape), result().type);
    }
    return with_initial(op, reduce(op_, all));
  }

  /// How many elements are selected, as wide numbers.
  Expr count(bool keepdim) const {
    // The mask may have fewer elements than x.
    const Tensor yes = Tensor::full({}, ScalarType::boolean, true);
    const Expr mask = mask_ & Expr(yes).expand(x_.shape());
    return convert(Expr::call(Reduction::count_nonzero, mask, axes_, {.keepdim = keepdim}),
                   ScalarType::f64);
  }
  /// In which floating numbers are added: that of the result, if it is wider.
  ScalarType summed_type() const {
    return promote_types(compute_type(x_.dtype()), compute_type(result().type));
  }
  Expr mean(bool keepdim) const {
    ReduceOptions options{.keepdim = keepdim, .dtype = {}};
    // Sums of halves may be beyond their range, and those of large integers wrap.
    const bool is_large = is_integer(x_.dtype()) && element_size(x_.dtype()) == 8;
    if (is_complex(x_.dtype())) options.dtype = ScalarType::c128;
    if (is_floating(x_.dtype()) && summed_type() != x_.dtype()) options.dtype = summed_type();
    Expr elements = filled(0);
    if (is_large) elements = convert(elements, ScalarType::f64);
    const Expr sum = Expr::call(Reduction::sum, std::move(elements), axes_, options);
    const Expr wide = convert(sum, wide_type(sum.dtype()));
    if (!is_complex(wide.dtype())) return wide / count(keepdim);
    return divided_by_parts(wide, count(keepdim));
  }
  Expr var() const {
    if (is_complex(x_.dtype()))
      fail(ErrorCode::dtype,
           text("not defined for element type ", name(x_.dtype()), " and a mask"));
    const ScalarType type = is_floating(x_.dtype()) ? summed_type() : ScalarType::f64;
    const Expr x = convert(x_, type);
    const Expr centred = x - convert(mean(true), type);
    const auto total = [&](const Expr& e) {
      const Expr sum = Expr::call(Reduction::sum, where(mask_, e, number_of(0)), axes_,
                                  {.keepdim = options_.keepdim});
      return convert(sum, ScalarType::f64);
    };
    const Expr squares = total(centred * centred), deviation = total(centred);
    const Expr n = count(options_.keepdim);
    // What the mean was rounded by is the mean of the deviations. Infinite squares stay so.
    const Expr rounded = where(isinf(squares), 0, deviation * deviation / n);
    return clamp_min(squares - rounded, 0) / clamp_min(n - options_.correction, 0);
  }

  Expr place() const {
    const auto made = std::make_shared<const PlaceKernel>(op_, x_.dtype());
    // One of a function and a type is like another: a plan of it is a plan for all.
    const std::int64_t number =
        -1 - (static_cast<std::int64_t>(op_) << 8 | static_cast<std::int64_t>(x_.dtype()));
    return reduced_by(info(op_).name, std::shared_ptr<const ReductionKernel>(made, &made->kernel()),
                      {number}, {x_, mask_}, axes_, options_.keepdim);
  }

  Reduction op_;
  Expr x_, mask_;
  std::optional<Scalar> initial_;
  IntSpan axes_;
  ReduceOptions options_;
};

Expr without_nan(const Expr& a) { return masked(Expr(a), Expr(~isnan(a))); }
bool may_be_nan(const Expr& a) { return is_floating(a.dtype()) || is_complex(a.dtype()); }

Expr nan_reduction(Reduction op, Expr a, IntSpan axes, const ReduceOptions& options) {
  return Expr::call(op, may_be_nan(a) ? without_nan(a) : std::move(a), axes, options);
}

}  // namespace

Expr masked(Expr x, Expr mask, const std::optional<Scalar>& initial) {
  auto node = std::make_shared<ExprMasked>();
  node->dtype = x.dtype();
  node->add_input(ExprNode::shared(x));
  node->add_input(ExprNode::shared(mask));
  node->shape.assign(x.shape());
  node->initial = initial;
  if (mask.dtype() != ScalarType::boolean)
    fail(ErrorCode::dtype,
         text(text_of(*node), ": the mask: expected bool, got ", name(mask.dtype())));
  node->broadcast_with(mask.node());
  if (!same_list(node->shape, x.shape())) {
    fail(ErrorCode::shape, text(text_of(*node), ": the mask: expected a shape that broadcasts to ",
                                to_string(x.shape()), ", got ", to_string(mask.shape())));
  }
  return ExprNode::made(std::move(node));
}

Expr masked_reduction(Reduction op, const Expr& a, IntSpan axes, const ReduceOptions& options) {
  const auto& node = static_cast<const ExprMasked&>(a.node());
  try {
    return MaskedReduction(op, ExprNode::made(node.inputs[0]), ExprNode::made(node.inputs[1]),
                           node.initial, axes, options)
        .make();
  } catch (const Error& error) {
    fail(error.code(), text(info(op).name, "(", a.text(), "): ", error.what()));
  }
}

void check_masked_output(const Expr& e) {
  if (!static_cast<const ExprMasked&>(e.node()).initial) return;
  fail(ErrorCode::invalid_argument,
       text(e.text(), ": expected no initial number, which is for reductions, got one"));
}

Expr nanmean(Expr a, IntSpan axes, const ReduceOptions& options) {
  if (!is_floating(a.dtype())) return nan_reduction(Reduction::mean, std::move(a), axes, options);
  return number_reduction("nanmean", Reduction::mean, std::move(a), axes, options);
}
Expr nanvar(Expr a, IntSpan axes, const ReduceOptions& options) {
  if (!is_floating(a.dtype())) return nan_reduction(Reduction::var, std::move(a), axes, options);
  return number_variance("nanvar", a, axes, options, false);
}
Expr nanstd(Expr a, IntSpan axes, const ReduceOptions& options) {
  if (!is_floating(a.dtype())) return nan_reduction(Reduction::std, std::move(a), axes, options);
  return number_variance("nanstd", a, axes, options, true);
}
Expr nanprod(Expr a, IntSpan axes, const ReduceOptions& options) {
  if (is_floating(a.dtype()))
    return number_reduction("nanprod", Reduction::prod, std::move(a), axes, options);
  const Expr numbers = is_complex(a.dtype()) ? where(isnan(a), 1, a) : a;
  return Expr::call(Reduction::prod, numbers, axes, options);
}
Expr nanmin(Expr a, IntSpan axes, const ReduceOptions& options) {
  if (!is_floating(a.dtype())) return nan_reduction(Reduction::amin, std::move(a), axes, options);
  return number_reduction("nanmin", Reduction::amin, std::move(a), axes, options);
}
Expr nanmax(Expr a, IntSpan axes, const ReduceOptions& options) {
  if (!is_floating(a.dtype())) return nan_reduction(Reduction::amax, std::move(a), axes, options);
  return number_reduction("nanmax", Reduction::amax, std::move(a), axes, options);
}

}  // namespace v0
}  // namespace weft

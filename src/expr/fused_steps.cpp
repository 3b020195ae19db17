// SPDX-License-Identifier: Apache-2.0
#include "expr/fused_steps.hpp"

#include <weft/core/cast.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// How a step is told to FusedProgram: x is the first of its inputs, and the others are operands.
struct Instructions {
  SmallVector<FusedOp, 2> ops;       ///< one for each input but the first, or a single one
  std::optional<FusedOp> from = {};  ///< of two inputs: where x is the second
};

std::optional<Instructions> instructions_of(UnaryOp op) {
  switch (op) {
#define WEFT_CASE(NAME, TEXT) \
  case UnaryOp::NAME: return Instructions{{FusedOp::NAME}};
    WEFT_FOR_EACH_FUSED_UNARY(WEFT_CASE)
    WEFT_FOR_EACH_FUSED_FUNCTION(WEFT_CASE)
#undef WEFT_CASE
    default: return std::nullopt;
  }
}
std::optional<Instructions> instructions_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::add: return Instructions{{FusedOp::add}, FusedOp::add};
    case BinaryOp::sub: return Instructions{{FusedOp::sub}, FusedOp::sub_from};
    case BinaryOp::mul: return Instructions{{FusedOp::mul}, FusedOp::mul};
    case BinaryOp::div: return Instructions{{FusedOp::div}, FusedOp::div_from};
    case BinaryOp::maximum: return Instructions{{FusedOp::maximum}, FusedOp::maximum};
    case BinaryOp::minimum: return Instructions{{FusedOp::minimum}, FusedOp::minimum};
    case BinaryOp::clamp_min: return Instructions{{FusedOp::clamp_min}};
    case BinaryOp::clamp_max: return Instructions{{FusedOp::clamp_max}};
    default: return std::nullopt;
  }
}
std::optional<Instructions> instructions_of(CompareOp op) {
  switch (op) {
    case CompareOp::eq: return Instructions{{FusedOp::eq}, FusedOp::eq};
    case CompareOp::ne: return Instructions{{FusedOp::ne}, FusedOp::ne};
    case CompareOp::lt: return Instructions{{FusedOp::lt}, FusedOp::gt};
    case CompareOp::le: return Instructions{{FusedOp::le}, FusedOp::ge};
    case CompareOp::gt: return Instructions{{FusedOp::gt}, FusedOp::lt};
    case CompareOp::ge: return Instructions{{FusedOp::ge}, FusedOp::le};
    default: return std::nullopt;
  }
}
std::optional<Instructions> instructions_of(DivisionOp) { return std::nullopt; }
std::optional<Instructions> instructions_of(TernaryOp op) {
  switch (op) {
    case TernaryOp::muladd: return Instructions{{FusedOp::mul, FusedOp::add}};
    case TernaryOp::clamp: return Instructions{{FusedOp::clamp_min, FusedOp::clamp_max}};
    case TernaryOp::where: return Instructions{{FusedOp::choose}};
    default: return std::nullopt;
  }
}
/// The instruction that is two of them; none: there is none.
std::optional<FusedOp> pair_of(FusedOp first, FusedOp second) {
#define WEFT_CASE(NAME, FIRST, SECOND) \
  if (first == FusedOp::FIRST && second == FusedOp::SECOND) return FusedOp::NAME;
  WEFT_FOR_EACH_FUSED_PAIR(WEFT_CASE)
#undef WEFT_CASE
  return std::nullopt;
}
/// x * x, which needs x once.
bool is_square(const FormulaStep& step) {
  return step.function && *step.function == FormulaFunction(BinaryOp::mul) &&
         step.terms[1] == step.terms[2];
}
/// Of functions of truth values.
std::optional<Instructions> truth_instructions_of(const FormulaFunction& function) {
  const auto is = [&](auto op) { return function == FormulaFunction(op); };
  if (is(BinaryOp::bitwise_and) || is(CompareOp::logical_and))
    return Instructions{{FusedOp::both}, FusedOp::both};
  if (is(BinaryOp::bitwise_or) || is(CompareOp::logical_or))
    return Instructions{{FusedOp::either}, FusedOp::either};
  if (is(BinaryOp::bitwise_xor) || is(CompareOp::logical_xor))
    return Instructions{{FusedOp::differ}, FusedOp::differ};
  if (is(UnaryOp::bitwise_not) || is(UnaryOp::logical_not))
    return Instructions{{FusedOp::complement}};
  return std::nullopt;
}
/// `type`: of the last operand.
std::optional<Instructions> instructions_of(const FormulaStep& step, ScalarType type) {
  if (!step.function) return std::nullopt;
  if (type == ScalarType::boolean) return truth_instructions_of(*step.function);
  if (is_square(step)) return Instructions{{FusedOp::square}};
  return std::visit([](auto op) { return instructions_of(op); }, *step.function);
}

/// Who writes and reads the terms of a chain.
class ChainUses {
 public:
  explicit ChainUses(const Chain& chain) : chain_(chain), writers_(chain.terms.size(), -1) {
    for (std::size_t s = 0; s < chain.steps.size(); ++s)
      writers_[static_cast<std::size_t>(chain.steps[s].terms[0])] = static_cast<int>(s);
  }
  const FormulaStep& step(int s) const { return chain_.steps[static_cast<std::size_t>(s)]; }
  int nsteps() const { return static_cast<int>(chain_.steps.size()); }
  ScalarType type(int term) const { return chain_.terms[static_cast<std::size_t>(term)].dtype; }
  /// The step that writes a term; -1: none.
  int writer(int term) const { return writers_[static_cast<std::size_t>(term)]; }
  bool is_output(int term) const {
    return std::ranges::find(chain_.outputs, term) != chain_.outputs.end();
  }
  /// Whether f(step, k) for all steps and their inputs k that are this term.
  template <class F>
  bool all_readers(int term, const F& f) const {
    for (int s = 0; s < nsteps(); ++s) {
      for (std::size_t k = 1; k < step(s).terms.size(); ++k)
        if (step(s).terms[k] == term && !f(s, k)) return false;
    }
    return true;
  }

 private:
  const Chain& chain_;
  std::vector<int> writers_;
};

bool holds(const StepGroup& group, int step) {
  return std::ranges::find(group, step) != group.end();
}

/// Finds groups.
class StepGrouping {
 public:
  explicit StepGrouping(const Chain& chain) : uses_(chain), types_(chain.steps.size()) {
    // Steps stand behind those that they read.
    for (int s = 0; s < uses_.nsteps(); ++s)
      types_[static_cast<std::size_t>(s)] = type_of_registers(s);
  }
  bool is_fusable(int s) const { return type_of(s).has_value(); }

  std::vector<StepGroup> groups() {
    std::vector<StepGroup> groups;
    done_.assign(types_.size(), false);
    const auto add = [&](const StepGroup& group) {
      for (const int s : group)
        done_[static_cast<std::size_t>(s)] = true;
      groups.push_back(group);
    };
    while (std::ranges::find(done_, false) != done_.end()) {
      bool all_before = true;  // this step are done
      for (int s = 0; s < uses_.nsteps(); ++s) {
        if (is_done(s)) continue;
        if (!is_fusable(s) && is_ready(s, {}) && (all_before || !writes_output(s)))
          add({s});
        else
          all_before = false;
      }
      if (std::ranges::find(done_, false) != done_.end()) add(next_group());
    }
    return groups;
  }

 private:
  bool is_done(int s) const { return done_[static_cast<std::size_t>(s)]; }
  bool writes_output(int s) const { return uses_.is_output(uses_.step(s).terms[0]); }
  /// The type whose registers a step is carried out in; none: there are no instructions for it.
  const std::optional<ScalarType>& type_of(int s) const {
    return types_[static_cast<std::size_t>(s)];
  }
  std::optional<ScalarType> type_of_registers(int s) const {
    const FormulaStep& step = uses_.step(s);
    const ScalarType type = uses_.type(step.terms.back());
    if (!instructions_of(step, type)) return std::nullopt;
    if (type == ScalarType::boolean) return type_of_truth(step);
    return fused_loop(type) != nullptr ? std::optional(type) : std::nullopt;
  }
  /// Truth values are as wide as what was compared; bools in memory are better left as they are.
  std::optional<ScalarType> type_of_truth(const FormulaStep& step) const {
    for (std::size_t k = 1; k < step.terms.size(); ++k) {
      const int writer = uses_.writer(step.terms[k]);
      if (writer >= 0 && type_of(writer)) return type_of(writer);
    }
    return std::nullopt;
  }
  bool is_ready(int s, const StepGroup& group) const {
    const auto& terms = uses_.step(s).terms;
    return std::all_of(terms.begin() + 1, terms.end(), [&](int term) {
      const int writer = uses_.writer(term);
      return writer < 0 || is_done(writer) || holds(group, writer);
    });
  }

  /// Whether there are temporaries for what each step makes, and for the bools that some read.
  bool has_room(int s, const StepGroup& group) const {
    const auto temporaries = [&](int step) {
      const auto& terms = uses_.step(step).terms;
      return 1 + std::count_if(terms.begin() + 1, terms.end(), [&](int term) {
               return uses_.type(term) == ScalarType::boolean && !holds(group, uses_.writer(term));
             });
    };
    std::ptrdiff_t all = temporaries(s);
    for (const int step : group)
      all += temporaries(step);
    return all <= FusedProgram::max_temporaries;
  }
  /// Whether a step reads what another one of a group makes.
  bool reads(int s, const StepGroup& group) const {
    const auto& terms = uses_.step(s).terms;
    return std::any_of(terms.begin() + 1, terms.end(),
                       [&](int term) { return holds(group, uses_.writer(term)); });
  }
  bool can_join(int s, const StepGroup& group) const {
    if (!is_fusable(s) || !is_ready(s, group) || !has_room(s, group)) return false;
    // Bools that are in memory are not made longer for this: a group begins with no such step.
    if (uses_.type(uses_.step(s).terms.back()) == ScalarType::boolean && !reads(s, group))
      return false;
    return group.empty() || type_of(s) == type_of(group[0]);
  }

  /// All that can be done now as one step, or one step alone.
  StepGroup next_group() const {
    StepGroup group;
    SmallVector<int, max_operands> terms;  // that its steps read and write
    bool all_before = true;
    for (int s = 0; s < uses_.nsteps(); ++s) {
      if (is_done(s)) continue;
      SmallVector<int, max_operands> with = terms;
      for (const int term : uses_.step(s).terms)
        if (std::ranges::find(with, term) == with.end()) with.push_back(term);
      if (can_join(s, group) && with.size() <= max_operands && (all_before || !writes_output(s))) {
        terms = with;
        group.push_back(s);
      } else {
        all_before = false;
      }
    }
    if (group.empty())
      group.push_back(static_cast<int>(std::ranges::find(done_, false) - done_.begin()));
    return group;
  }

  ChainUses uses_;
  std::vector<std::optional<ScalarType>> types_;  // by step: type_of()
  std::vector<bool> done_;
};

/// Writes the program of a group.
class FusedWriter {
 public:
  FusedWriter(const Chain& chain, const StepGroup& group)
      : uses_(chain),
        group_(group),
        left_(chain.terms.size(), 0),
        place_(chain.terms.size(), -1),
        flags_(chain.terms.size(), -1) {
    find_operands();
    for (const int s : group) {
      for (const int term : inputs_of(uses_.step(s)))
        ++left_[static_cast<std::size_t>(term)];
    }
    // The results that no step of the group reads are computed one after the other. Outputs are
    // written behind all of them.
    const int noutputs = fused_.program.noutputs;
    int last = -1;
    for (int k = 0; k < noutputs; ++k) {
      const int term = fused_.terms[k];
      if (last >= 0 || left(term) > 0) left_[static_cast<std::size_t>(term)] += 2;
      if (left(term) == 0) last = term;
    }
    for (int k = 0; k < noutputs; ++k) {
      const int term = fused_.terms[k];
      if (place(term) < 0 && term != last) write_aside(term);
    }
    if (last >= 0) {
      write(last);
      add_store(last);
    }
    for (int k = 0; k < noutputs; ++k) {
      if (fused_.terms[k] == last) continue;
      add(FusedOp::load, place(fused_.terms[k]));
      add_store(fused_.terms[k]);
    }
  }
  FusedSteps take() { return std::move(fused_); }

 private:
  int left(int term) const { return left_[static_cast<std::size_t>(term)]; }
  int place(int term) const { return place_[static_cast<std::size_t>(term)]; }
  static SmallVector<int, 3> inputs_of(const FormulaStep& step) {
    return {step.terms.begin() + 1, step.terms.end() - static_cast<int>(is_square(step))};
  }
  bool is_inner(int term) const { return holds(group_, uses_.writer(term)); }
  int output(int term) const {
    return static_cast<int>(std::ranges::find(fused_.terms, term) - fused_.terms.begin());
  }

  void find_operands() {
    for (const int s : group_) {
      const int term = uses_.step(s).terms[0];
      const bool outside =
          uses_.is_output(term) ||
          !uses_.all_readers(term, [&](int reader, std::size_t) { return holds(group_, reader); });
      if (!outside) continue;
      note_bools(term);
      fused_.terms.push_back(term);
    }
    FusedProgram& program = fused_.program;
    program.noutputs = static_cast<int>(fused_.terms.size());
    for (const int s : group_) {
      for (const int term : uses_.step(s).terms) {
        if (is_inner(term) || place(term) >= 0) continue;
        place_[static_cast<std::size_t>(term)] = static_cast<int>(fused_.terms.size());
        note_bools(term);
        fused_.terms.push_back(term);
        ++program.ninputs;
      }
    }
  }

  bool is_bool(int term) const { return uses_.type(term) == ScalarType::boolean; }
  /// Of a term that becomes the next operand.
  void note_bools(int term) {
    if (is_bool(term)) fused_.program.flags |= 1U << fused_.terms.size();
  }
  /// x is a term, which is an output.
  void add_store(int term) {
    add(is_bool(term) ? FusedOp::store_flags : FusedOp::store, output(term));
  }

  void add(FusedOp op, int operand, int choice = 0) {
    FusedProgram& program = fused_.program;
    if (program.count != 0) {
      FusedInstruction& last = program.instructions[program.count - 1];
      if (const auto pair = pair_of(last.op, op)) {
        last = {*pair, last.operand, static_cast<std::uint8_t>(operand)};
        return;
      }
    }
    program.instructions[program.count++] = {op, static_cast<std::uint8_t>(operand),
                                             static_cast<std::uint8_t>(choice)};
  }

  /// Brings a term into x; one that is read again later, into a temporary as well.
  void write(int term) {
    if (x_ == term) return;
    if (place(term) >= 0) {
      add(is_bool(term) && !is_inner(term) ? FusedOp::flags : FusedOp::load, place(term));
      x_ = term;
      return;
    }
    const FormulaStep& step = uses_.step(uses_.writer(term));
    const Instructions with = *instructions_of(step, uses_.type(step.terms.back()));
    SmallVector<int, 3> in = inputs_of(step);
    int choice = 0;
    if (with.ops[0] == FusedOp::choose) {
      choice = aside(in[0]);
      in = {in[1], in[2]};
    }
    // What is not there yet comes first, so that it need not be put aside.
    const bool swapped = with.from && place(in[0]) >= 0 && place(in[1]) < 0;
    if (swapped) in = {in[1], in[0]};
    SmallVector<int, 3> at;
    for (std::size_t k = 1; k < in.size(); ++k)
      at.push_back(aside(in[k]));
    write(in[0]);
    for (std::size_t k = 0; k < with.ops.size(); ++k)
      add(swapped ? *with.from : with.ops[k], at.empty() ? 0 : at[k], choice);
    x_ = term;
    if (left(term) > 1) put_aside(term);
  }
  /// Where a term is that instructions read as an operand.
  int aside(int term) {
    return is_bool(term) && !is_inner(term) ? read_flags(term) : write_aside(term);
  }
  /// Where a term is that is read from memory.
  int write_aside(int term) {
    if (place(term) >= 0) return place(term);
    write(term);
    if (place(term) < 0) put_aside(term);
    return place(term);
  }
  /// Where the truth values of bools are that the group does not compute.
  int read_flags(int term) {
    int& at = flags_[static_cast<std::size_t>(term)];
    if (at >= 0) return at;
    add(FusedOp::flags, place(term));
    x_ = -1;
    at = new_temporary();
    add(FusedOp::store, at);
    return at;
  }
  int new_temporary() {
    FusedProgram& program = fused_.program;
    return program.noutputs + program.ninputs + program.ntemporaries++;
  }
  void put_aside(int term) {
    place_[static_cast<std::size_t>(term)] = new_temporary();
    add(FusedOp::store, place(term));
  }

  ChainUses uses_;
  const StepGroup& group_;
  std::vector<int> left_;   // by term: how often steps of the group read it, and what comes after
  std::vector<int> place_;  // by term: the operand or temporary that it is; -1: none yet
  std::vector<int> flags_;  // by term: the temporary that has its truth values; -1: none
  int x_ = -1;              // the term that is in x
  FusedSteps fused_;
};

}  // namespace

std::vector<StepGroup> group_steps(const Chain& chain) { return StepGrouping(chain).groups(); }
FusedSteps fuse(const Chain& chain, const StepGroup& group) {
  return FusedWriter(chain, group).take();
}
bool FusedSteps::has_functions() const noexcept {
  const auto* const first = program.instructions;
  return std::any_of(first, first + program.count, [](const FusedInstruction& instruction) {
    switch (instruction.op) {
#define WEFT_CASE(NAME, TEXT) case FusedOp::NAME:
      WEFT_FOR_EACH_FUSED_FUNCTION(WEFT_CASE) return true;
#undef WEFT_CASE
      default: return false;
    }
  });
}
void FusedSteps::select_output() noexcept {
  const int mask = program.noutputs + program.ninputs++;
  const auto move = [&](std::uint8_t& operand) { operand += operand >= mask ? 1 : 0; };
  for (int i = 0; i < program.count; ++i) {
    move(program.instructions[i].operand);
    move(program.instructions[i].second);
  }
  program.flags |= 1U << mask;
  FusedInstruction& last = program.instructions[program.count - 1];
  last = {FusedOp::store_selected, last.operand, static_cast<std::uint8_t>(mask)};
}

FusedInput::FusedInput(const Chain::Term& term) {
  if (term.kind == Chain::Kind::number)
    cast_elements(number, term.dtype, 0, &term.number, ScalarType::f64, 0, 1);
  else
    input = term.input;
}

std::optional<FusedSteps> fuse_whole(const Chain& chain) {
  StepGrouping grouping(chain);
  const std::vector<StepGroup> groups = grouping.groups();
  if (groups.size() != 1 || chain.outputs.size() != 1 || !grouping.is_fusable(groups[0][0]))
    return std::nullopt;
  return fuse(chain, groups[0]);
}

}  // namespace v0
}  // namespace weft

// SPDX-License-Identifier: Apache-2.0
// Loops in TensorRT's terms: what they give, and every rule.
#include <weft/recurrent/network.hpp>

#include "recurrent/loops.hpp"
#include "support/errors.hpp"

namespace {

using namespace test;
using weft::recurrent::Network;
using weft::recurrent::NetworkLoop;
using weft::recurrent::OutputForm;
using weft::recurrent::TripLimit;

ValueType f32(PartialShape shape) { return {ScalarType::f32, std::move(shape)}; }
const ValueType whole_number{ScalarType::i64, {}};

Tensor count(double n) { return integers({}, {n}); }

std::vector<Tensor> run(const Network& network, const std::vector<Tensor>& inputs) {
  const Executable program(network.build(), {.operators = &weft::recurrent::operators()});
  return program.run(std::vector<TensorView>(inputs.begin(), inputs.end()));
}

/// A running sum over the rows of x, in every form of output.
struct Sums {
  Network net{"sums"};
  Value x = net.add_input(f32({PartialShape::unknown, 3}), "x");
  Value n = net.add_input(whole_number, "n");
  Value length = net.add_input(whole_number, "length");
  NetworkLoop loop = net.add_loop("sum");
  Value zero = net.add_constant(floats({3}, {0, 0, 0}));
  Value sum = loop.add_recurrence(zero);

  explicit Sums(bool reverse_in = false) {
    loop.add_trip_limit(n, TripLimit::count);
    const Value row = loop.add_iterator(x, 0, reverse_in);
    next = net.add("Add", {sum, row});
    loop.set_next(sum, next);
    net.mark_output(loop.add_loop_output(sum, OutputForm::last_value), "last");
    for (const OutputForm form : {OutputForm::concatenate, OutputForm::reverse}) {
      for (const std::int64_t axis : {0, 1}) {
        const Value out = loop.add_loop_output(next, form, axis);
        loop.set_length(out, length);
        net.mark_output(out);
      }
    }
  }
  Value next;
};

}  // namespace

TEST_CASE("network: last value, concatenation and its reverse, along any axis", "[recurrent]") {
  const Sums sums;
  const Tensor x = floats({2, 3}, {2, 3, 5, 4, 6, 8});
  const std::vector<Tensor> got = run(sums.net, {x, count(2), count(2)});
  CHECK(doubles(got[0]) == std::vector<double>{6, 9, 13});
  CHECK(difference(got[1], floats({2, 3}, {2, 3, 5, 6, 9, 13})) == "");
  CHECK(difference(got[2], floats({3, 2}, {2, 6, 3, 9, 5, 13})) == "");
  CHECK(difference(got[3], floats({2, 3}, {6, 9, 13, 2, 3, 5})) == "");
  CHECK(difference(got[4], floats({3, 2}, {6, 2, 9, 3, 13, 5})) == "");
}

TEST_CASE("network: zeros follow the last trip, in either direction", "[recurrent]") {
  const Sums sums;
  const Tensor x = floats({2, 3}, {2, 3, 5, 4, 6, 8});
  const std::vector<Tensor> got = run(sums.net, {x, count(2), count(4)});
  CHECK(difference(got[1], floats({4, 3}, {2, 3, 5, 6, 9, 13, 0, 0, 0, 0, 0, 0})) == "");
  CHECK(difference(got[3], floats({4, 3}, {6, 9, 13, 2, 3, 5, 0, 0, 0, 0, 0, 0})) == "");
  CHECK(difference(got[4], floats({3, 4}, {6, 2, 0, 0, 9, 3, 0, 0, 13, 5, 0, 0})) == "");
}

TEST_CASE("network: backwards starts at the count, not at the end", "[recurrent]") {
  const Sums sums(true);
  const Tensor x = floats({3, 3}, {1, 1, 1, 10, 10, 10, 100, 100, 100});
  const std::vector<Tensor> got = run(sums.net, {x, count(2), count(2)});
  CHECK(difference(got[1], floats({2, 3}, {10, 10, 10, 11, 11, 11})) == "");
}

TEST_CASE("network: no trips", "[recurrent]") {
  const Sums sums;
  for (const double n : {0.0, -3.0}) {
    const std::vector<Tensor> got =
        run(sums.net, {floats({2, 3}, {2, 3, 5, 4, 6, 8}), count(n), count(2)});
    CHECK(doubles(got[0]) == std::vector<double>{0, 0, 0});
    CHECK(difference(got[1], floats({2, 3}, {0, 0, 0, 0, 0, 0})) == "");
  }
}

TEST_CASE("network: bad input: lengths and extents that are too small", "[recurrent]") {
  const Sums sums;
  const Tensor x = floats({2, 3}, {2, 3, 5, 4, 6, 8});
  CHECK_ERROR(shape, ("Loop 'sum'", "output 1", "length 1", "2 trips"),
              run(sums.net, {x, count(2), count(1)}));
  CHECK_ERROR(bounds, ("Loop 'sum'", "iterator 0", "2 slices", "trip 2"),
              run(sums.net, {x, count(3), count(3)}));
  const Sums backwards(true);
  CHECK_ERROR(bounds, ("Loop 'sum'", "iterator 0"), run(backwards.net, {x, count(3), count(3)}));
}

TEST_CASE("network: a condition is tested before every trip", "[recurrent]") {
  // x = [2.2, 3.3]; while (sum(x) < 10) x += 1: three trips.
  Network net;
  const Value x = net.add_input(f32({2}), "x");
  const Value n = net.add_input(whole_number, "n");
  NetworkLoop loop = net.add_loop("while");
  const Value now = loop.add_recurrence(x);
  const Value row = net.add_constant(floats({2, 1}, {1, 1}));
  const Value sum = net.add("MatMul", {now, row});
  const Value below = net.add("Less", {sum, net.add_constant(floats({1}, {10}))});
  loop.add_trip_limit(below, TripLimit::while_true);
  const Value next = net.add("Add", {now, net.add_constant(floats({}, {1}))});
  loop.set_next(now, next);
  net.mark_output(loop.add_loop_output(now, OutputForm::last_value));
  const Value all = loop.add_loop_output(next, OutputForm::concatenate);
  loop.set_length(all, n);
  net.mark_output(all);
  const Value turned = loop.add_loop_output(next, OutputForm::reverse);
  loop.set_length(turned, n);
  net.mark_output(turned);
  const Tensor start = floats({2}, {2.2, 3.3});
  const std::vector<Tensor> got = run(net, {start, count(4)});
  CHECK(difference(got[0], floats({2}, {5.2, 6.3}), 1e-6) == "");
  CHECK(difference(got[1], floats({4, 2}, {3.2, 4.3, 4.2, 5.3, 5.2, 6.3, 0, 0}), 1e-6) == "");
  CHECK(difference(got[2], floats({4, 2}, {5.2, 6.3, 4.2, 5.3, 3.2, 4.3, 0, 0}), 1e-6) == "");
  CHECK_ERROR(shape, ("Loop 'while'", "output 1", "length 2"), run(net, {start, count(2)}));
}

TEST_CASE("network: with both limits the first that holds ends the loop", "[recurrent]") {
  for (const double n : {2.0, 9.0}) {
    Network net;
    const Value limit = net.add_input(whole_number);
    NetworkLoop loop = net.add_loop("both");
    const Value i = loop.add_recurrence(net.add_constant(count(0)));
    loop.add_trip_limit(limit, TripLimit::count);
    loop.add_trip_limit(net.add("Less", {i, net.add_constant(count(5))}), TripLimit::while_true);
    loop.set_next(i, net.add("Add", {i, net.add_constant(count(1))}));
    net.mark_output(loop.add_loop_output(i, OutputForm::last_value));
    CHECK(doubles(run(net, {count(n)})[0]) == std::vector<double>{std::min(n, 5.0)});
  }
}

TEST_CASE("network: two recurrences change places, and one keeps a value from outside",
          "[recurrent]") {
  Network net;
  const Value n = net.add_input(whole_number), c = net.add_input(f32({1}));
  NetworkLoop loop = net.add_loop();
  loop.add_trip_limit(n, TripLimit::count);
  const Value a = loop.add_recurrence(net.add_constant(floats({1}, {1})));
  const Value b = loop.add_recurrence(net.add_constant(floats({1}, {2})));
  const Value kept = loop.add_recurrence(net.add_constant(floats({1}, {0})));
  loop.set_next(a, b);
  loop.set_next(b, a);
  loop.set_next(kept, c);
  for (const Value value : {a, b, kept})
    net.mark_output(loop.add_loop_output(value, OutputForm::last_value));
  for (const int trips : {0, 1, 2, 3}) {
    const std::vector<Tensor> got = run(net, {count(trips), floats({1}, {7})});
    CHECK(doubles(got[0])[0] == (trips % 2 == 0 ? 1 : 2));
    CHECK(doubles(got[1])[0] == (trips % 2 == 0 ? 2 : 1));
    CHECK(doubles(got[2])[0] == (trips == 0 ? 0 : 7));
  }
}

TEST_CASE("network: nesting follows from the data flow", "[recurrent]") {
  // Row sums of a matrix, each computed by a loop over the row inside the loop over rows.
  Network net;
  const Value x = net.add_input(f32({3, 4}), "x");
  const Value rows = net.add_constant(count(3)), columns = net.add_constant(count(4));
  NetworkLoop inner = net.add_loop("inner"), outer = net.add_loop("outer");
  outer.add_trip_limit(rows, TripLimit::count);
  const Value row = outer.add_iterator(x);
  inner.add_trip_limit(columns, TripLimit::count);
  const Value sum = inner.add_recurrence(net.add_constant(floats({}, {0})));
  inner.set_next(sum, net.add("Add", {sum, inner.add_iterator(row)}));
  const Value total = inner.add_loop_output(sum, OutputForm::last_value);
  const Value doubled = net.add("Add", {total, total});
  const Value all = outer.add_loop_output(doubled, OutputForm::concatenate);
  outer.set_length(all, rows);
  net.mark_output(all);
  const Tensor matrix = floats({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(difference(run(net, {matrix})[0], floats({3}, {20, 52, 84})) == "");
}

TEST_CASE("network: an inner loop that only its use ties to the outer one", "[recurrent]") {
  // The inner loop starts from the outer one's recurrence.
  Network net;
  const Value three = net.add_constant(count(3)), two = net.add_constant(count(2));
  NetworkLoop outer = net.add_loop("outer");
  outer.add_trip_limit(three, TripLimit::count);
  const Value a = outer.add_recurrence(net.add_constant(floats({}, {1})));
  NetworkLoop inner = net.add_loop("inner");
  inner.add_trip_limit(two, TripLimit::count);
  const Value b = inner.add_recurrence(a);
  inner.set_next(b, net.add("Multiply", {b, net.add_constant(floats({}, {2}))}));
  outer.set_next(a, inner.add_loop_output(b, OutputForm::last_value));
  net.mark_output(outer.add_loop_output(a, OutputForm::last_value));
  CHECK(doubles(run(net, {})[0]) == std::vector<double>{64});
}

TEST_CASE("network: loops without outputs vanish", "[recurrent]") {
  Network net;
  const Value x = net.add_input(f32({2}));
  NetworkLoop idle = net.add_loop("idle");  // not even a limit
  static_cast<void>(idle.add_recurrence(x));
  net.mark_output(x);
  CHECK(net.build().nodes().size() == 1);
}

namespace {

/// A loop over one recurrence, to be spoilt.
struct Plain {
  Network net;
  Value x = net.add_input(f32({2}), "x");
  Value n = net.add_constant(count(2));
  NetworkLoop loop = net.add_loop("bad");
  Value now = loop.add_recurrence(x);
  Value next = net.add("Add", {now, x});

  void give() { net.mark_output(loop.add_loop_output(now, OutputForm::last_value), "out"); }
};

}  // namespace

TEST_CASE("network: bad input: no limit, two of a kind", "[recurrent]") {
  Plain none;
  none.loop.set_next(none.now, none.next);
  none.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "no trip limit"), none.net.build());
  Plain two;
  two.loop.set_next(two.now, two.next);
  two.give();
  two.loop.add_trip_limit(two.n, TripLimit::count);
  two.loop.add_trip_limit(two.n, TripLimit::count);
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "at most one count"), two.net.build());
}

TEST_CASE("network: bad input: conditions", "[recurrent]") {
  Plain reads_iterator;
  const Value row = reads_iterator.loop.add_iterator(reads_iterator.x);
  reads_iterator.loop.add_trip_limit(reads_iterator.net.add("Less", {row, row}),
                                     TripLimit::while_true);
  reads_iterator.loop.set_next(reads_iterator.now, reads_iterator.next);
  reads_iterator.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "condition reads an iterator"),
              reads_iterator.net.build());

  Plain reads_output;
  NetworkLoop inner = reads_output.net.add_loop("inner");
  inner.add_trip_limit(reads_output.n, TripLimit::count);
  const Value start = inner.add_recurrence(reads_output.now);
  inner.set_next(start, start);
  const Value out = inner.add_loop_output(start, OutputForm::last_value);
  reads_output.loop.add_trip_limit(reads_output.net.add("Less", {out, out}), TripLimit::while_true);
  reads_output.loop.set_next(reads_output.now, reads_output.next);
  reads_output.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "condition reads the output of a loop"),
              reads_output.net.build());

  Plain outer;
  outer.loop.add_trip_limit(outer.n, TripLimit::count);
  NetworkLoop other = outer.net.add_loop("other");
  const Value own = other.add_recurrence(outer.x);
  other.add_trip_limit(outer.net.add("Less", {outer.now, own}), TripLimit::while_true);
  other.set_next(own, own);
  outer.loop.set_next(outer.now, other.add_loop_output(own, OutputForm::last_value));
  outer.give();
  CHECK_ERROR(invalid_argument, ("loop 'other'", "recurrence of loop 'bad'"), outer.net.build());
}

TEST_CASE("network: bad input: a condition of another type or shape", "[recurrent]") {
  Plain number;
  number.loop.add_trip_limit(number.now, TripLimit::while_true);
  number.loop.set_next(number.now, number.next);
  number.give();
  CHECK_ERROR(dtype, ("Loop 'bad'", "head", "expected bool", "f32"),
              run(number.net, {floats({2}, {1, 2})}));
  Plain two;
  two.loop.add_trip_limit(two.net.add("Less", {two.now, two.now}), TripLimit::while_true);
  two.loop.set_next(two.now, two.next);
  two.give();
  CHECK_ERROR(shape, ("Loop 'bad'", "head", "one element"), run(two.net, {floats({2}, {1, 2})}));
}

TEST_CASE("network: bad input: a count of another type, shape, or from inside", "[recurrent]") {
  Plain number;
  number.loop.add_trip_limit(number.net.add_constant(floats({}, {2})), TripLimit::count);
  number.loop.set_next(number.now, number.next);
  number.give();
  CHECK_ERROR(dtype, ("Loop 'bad'", "count", "i32 or i64", "f32"),
              run(number.net, {floats({2}, {1, 2})}));
  Plain two;
  two.loop.add_trip_limit(two.net.add_constant(integers({2}, {1, 2})), TripLimit::count);
  two.loop.set_next(two.now, two.next);
  two.give();
  CHECK_ERROR(shape, ("Loop 'bad'", "count", "one element"), run(two.net, {floats({2}, {1, 2})}));
  Plain inside;
  inside.loop.add_trip_limit(inside.now, TripLimit::count);
  inside.loop.set_next(inside.now, inside.next);
  inside.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "count", "from outside"), inside.net.build());
}

TEST_CASE("network: bad input: iterators", "[recurrent]") {
  Plain backwards;
  const Value row = backwards.loop.add_iterator(backwards.x, 0, true);
  backwards.loop.add_trip_limit(backwards.net.add_constant(truth(true)), TripLimit::while_true);
  backwards.loop.set_next(backwards.now, backwards.net.add("Add", {backwards.now, row}));
  backwards.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "backwards", "no count"), backwards.net.build());
  Plain inside;
  inside.loop.add_trip_limit(inside.n, TripLimit::count);
  const Value again = inside.loop.add_iterator(inside.now);
  inside.loop.set_next(inside.now, inside.net.add("Add", {inside.now, again}));
  inside.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "tensor of an iterator", "outside"),
              inside.net.build());
  Plain axis;
  axis.loop.add_trip_limit(axis.n, TripLimit::count);
  axis.loop.set_next(axis.now, axis.net.add("Add", {axis.now, axis.loop.add_iterator(axis.x, 1)}));
  axis.give();
  CHECK_ERROR(axis, ("Loop 'bad'", "axis 1 of rank 1"), run(axis.net, {floats({2}, {1, 2})}));
}

TEST_CASE("network: bad input: recurrences", "[recurrent]") {
  Plain none;
  none.loop.add_trip_limit(none.n, TripLimit::count);
  none.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "without a next value"), none.net.build());
  Plain grows;
  grows.loop.add_trip_limit(grows.n, TripLimit::count);
  grows.loop.set_next(
      grows.now,
      grows.net.add("Add", {grows.now, grows.net.add_constant(floats({3, 1}, {1, 2, 3}))}));
  grows.give();
  CHECK_ERROR(shape, ("Loop 'bad'", "state 0", "changes its shape"),
              run(grows.net, {floats({2}, {1, 2})}));
  Plain other;
  other.loop.add_trip_limit(other.n, TripLimit::count);
  other.loop.set_next(other.now, other.net.add("Less", {other.now, other.now}));
  other.give();
  CHECK_ERROR(dtype, ("Loop 'bad'", "state 0", "f32", "bool"),
              run(other.net, {floats({2}, {1, 2})}));
  Plain inside;
  inside.loop.add_trip_limit(inside.n, TripLimit::count);
  const Value second = inside.loop.add_recurrence(inside.next);
  inside.loop.set_next(second, second);
  inside.loop.set_next(inside.now, inside.next);
  inside.give();
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "initial value", "outside"), inside.net.build());
  Plain handle;
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "a recurrence of this loop"),
              handle.loop.set_next(handle.x, handle.next));
}

TEST_CASE("network: bad input: outputs", "[recurrent]") {
  Plain last;
  last.loop.add_trip_limit(last.n, TripLimit::count);
  last.loop.set_next(last.now, last.next);
  last.net.mark_output(last.loop.add_loop_output(last.next, OutputForm::last_value));
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "last value", "recurrence of this loop"),
              last.net.build());
  Plain short_of;
  short_of.loop.add_trip_limit(short_of.n, TripLimit::count);
  short_of.loop.set_next(short_of.now, short_of.next);
  short_of.net.mark_output(short_of.loop.add_loop_output(short_of.next, OutputForm::concatenate));
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "without a length"), short_of.net.build());
  Plain inside;
  inside.loop.add_trip_limit(inside.n, TripLimit::count);
  inside.loop.set_next(inside.now, inside.next);
  inside.net.mark_output(inside.next, "next");
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "'next'", "inside the loop"), inside.net.build());
  Plain length;
  length.loop.add_trip_limit(length.n, TripLimit::count);
  length.loop.set_next(length.now, length.next);
  const Value out = length.loop.add_loop_output(length.next, OutputForm::reverse);
  length.loop.set_length(out, length.now);
  length.net.mark_output(out);
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "length", "outside"), length.net.build());
  Plain handle;
  CHECK_ERROR(invalid_argument, ("loop 'bad'", "an output of this loop"),
              handle.loop.set_length(handle.now, handle.n));
}

TEST_CASE("network: a length makes a last value a concatenation", "[recurrent]") {
  Plain plain;
  plain.loop.add_trip_limit(plain.n, TripLimit::count);
  plain.loop.set_next(plain.now, plain.next);
  const Value out = plain.loop.add_loop_output(plain.now, OutputForm::last_value);
  plain.loop.set_length(out, plain.n);
  plain.net.mark_output(out);
  CHECK(difference(run(plain.net, {floats({2}, {1, 2})})[0], floats({2, 2}, {1, 2, 2, 4})) == "");
}

TEST_CASE("network: bad input: loops that are not nested cleanly", "[recurrent]") {
  Network net;
  const Value x = net.add_input(f32({4})), n = net.add_constant(count(4));
  NetworkLoop a = net.add_loop("a"), b = net.add_loop("b");
  a.add_trip_limit(n, TripLimit::count);
  b.add_trip_limit(n, TripLimit::count);
  const Value in_a = a.add_iterator(x), in_b = b.add_iterator(x);
  const Value both = net.add("Add", {in_a, in_b});
  const Value from_a = a.add_loop_output(both, OutputForm::concatenate);
  a.set_length(from_a, n);
  const Value from_b = b.add_loop_output(both, OutputForm::concatenate);
  b.set_length(from_b, n);
  net.mark_output(from_a);
  net.mark_output(from_b);
  CHECK_ERROR(invalid_argument, ("loop 'a'", "loop 'b'", "not nested cleanly"), net.build());
}

TEST_CASE("network: bad input: values of another network", "[recurrent]") {
  Network net("mine");
  CHECK_ERROR(invalid_argument, ("network 'mine'", "no value 0 of node 7"),
              net.add("Relu", {{7, 0}}));
  CHECK_ERROR(invalid_argument, ("network 'mine'"), net.mark_output({0, 0}));
  NetworkLoop loop = net.add_loop();
  CHECK_ERROR(invalid_argument, ("network 'mine'"), loop.add_iterator({3, 0}));
}

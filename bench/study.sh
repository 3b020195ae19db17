#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs all studies, and makes tables and pictures of them.
#
#   bench/study.sh PROGRAMS RESULTS [FLAG...]
#
# PROGRAMS is the folder where the benches were built (build/release/bench); RESULTS is made if
# there is none, and receives <program>.json, tables.md and pictures/. Further flags go to every
# program: --benchmark_filter=..., or --benchmark_min_time=0.001 for a quick look.
#
# Every case runs five times, in an order drawn anew each time, so that a machine that is slow for a
# while is slow for all; the median counts.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: $0 PROGRAMS RESULTS [FLAG...]" >&2
  exit 2
fi
programs=$1
results=$2
shift 2
mkdir -p "$results"

for study in contiguous inner_size stride transpose coalescing order; do
  name=${study}_bench
  echo "$name"
  "$programs/$name" --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true \
    --benchmark_out="$results/$name.json" --benchmark_out_format=json "$@" \
    > "$results/$name.txt"
done
python3 "$(dirname "$0")/plot.py" "$results"

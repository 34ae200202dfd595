/** The ladder of policies on the test seeds: best first, and where each stands on a scale. */

import type { Interval, LadderRow, Metric, PolicyKind } from "./records";

export const KIND: Record<PolicyKind, string> = {
  TRAINED: "trained", BASELINE: "rule of the design", RANDOM: "random", IDLE: "idle", CONSTANT: "always the same", HALF_TRAINED: "half way through",
};

export function on(row: LadderRow, metric: string): Interval | undefined {
  return row.metrics.find((each) => each.name === metric)?.interval;
}

export function ranked(rows: LadderRow[], metric: Metric): LadderRow[] {
  const sign = metric.direction === "LOWER" ? 1 : -1;
  return [...rows].sort((a, b) => sign * ((on(a, metric.name)?.mean ?? 0) - (on(b, metric.name)?.mean ?? 0)));
}

export function best(rows: LadderRow[], metric: Metric): LadderRow | undefined {
  return ranked(rows, metric)[0];
}

/** From values to shares of a track, in [0, 1]; logarithmic where one policy dwarfs the others. */
export function scale(intervals: Interval[]): { at(value: number): number; logarithmic: boolean } {
  const low = Math.min(...intervals.map((each) => each.low));
  const high = Math.max(...intervals.map((each) => each.high));
  const logarithmic = low > 0 && high / low > 5;
  const measure = logarithmic ? Math.log : (value: number) => value;
  const span = measure(high) - measure(low) || 1;
  return { at: (value) => (measure(value) - measure(low)) / span, logarithmic };
}

/** The ladder of policies on the test seeds: best first, and where each stands on the scale of those that contend. */

import type { Interval, LadderRow, Metric, PolicyKind } from "./records";

const NEAR = 5; // times what the two that contend take up

export const KIND: Record<PolicyKind, string> = {
  TRAINED: "trained",
  BASELINE: "rule of the design",
  RANDOM: "random",
  IDLE: "idle",
  CONSTANT: "always the same",
  HALF_TRAINED: "half way through",
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

export interface Scale {
  low: number;
  high: number;
  at(value: number): number;
}

/** Wide enough for the two that contend and for whoever is near them; the rest lies beyond. */
export function scaleOf(rows: LadderRow[], metric: Metric): Scale {
  const contenders = [
    best(
      rows.filter((row) => row.kind === "TRAINED"),
      metric,
    ),
    best(
      rows.filter((row) => row.kind !== "TRAINED"),
      metric,
    ),
  ];
  const shown = contenders.flatMap((row) => (row ? [on(row, metric.name)!] : []));
  let [low, high] = [Math.min(...shown.map((each) => each.low)), Math.max(...shown.map((each) => each.high))];
  const reach = NEAR * (high - low);
  const near = rows
    .map((row) => on(row, metric.name)!)
    .filter(({ mean }) => mean >= low - reach && mean <= high + reach);
  low = Math.min(low, ...near.map((each) => each.low));
  high = Math.max(high, ...near.map((each) => each.high));
  const span = high - low || 1;
  return { low, high, at: (value) => Math.min(1, Math.max(0, (value - low) / span)) };
}

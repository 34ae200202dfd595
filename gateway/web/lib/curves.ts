/** Curves: what is said while training runs, as series over steps. */

import type { Series } from "../components/Chart";
import type { EnvDesign, Evaluation, NamedNumber, Progress } from "./records";
import { plain } from "./words";

const COLOURS = 8;

export interface Curve {
  x: number[];
  series: Series[];
}

export function rewardCurve(progress: Progress[]): Curve {
  return curveOf(progress, (each) => each.mean_reward, "reward an episode");
}

export function metricCurve(progress: Progress[], name: string): Curve {
  return curveOf(progress, (each) => valueOf(each.metrics, name), plain(name));
}

export function componentCurves(progress: Progress[], design: EnvDesign): Curve {
  const x = progress.map((each) => each.timesteps);
  const series = design.reward.map(({ name }, index) => ({
    label: plain(name),
    colour: `--series-${(index % COLOURS) + 1}`,
    values: progress.map((each) => valueOf(each.components, name) ?? null),
  }));
  return { x, series };
}

export function evaluationCurve(evaluations: Evaluation[], name?: string): Curve {
  const values = evaluations.map((each) =>
    name === undefined ? each.mean_reward : (valueOf(each.metrics, name) ?? null),
  );
  return {
    x: evaluations.map((each) => each.timesteps),
    series: [{ label: name ? plain(name) : "reward an episode", colour: "--accent", values, dots: true }],
  };
}

function curveOf(progress: Progress[], value: (each: Progress) => number | undefined, label: string): Curve {
  return {
    x: progress.map((each) => each.timesteps),
    series: [{ label, colour: "--accent", values: progress.map((each) => value(each) ?? null) }],
  };
}

function valueOf(numbers: NamedNumber[] | undefined, name: string): number | undefined {
  return numbers?.find((each) => each.name === name)?.value;
}

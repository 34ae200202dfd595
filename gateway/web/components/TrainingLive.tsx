"use client";

import { componentCurves, metricCurve, rewardCurve } from "../lib/curves";
import type { EnvDesign } from "../lib/records";
import type { Step } from "../lib/story";
import { count, duration, plain } from "../lib/words";
import { Chart } from "./Chart";

/** Reward, the primary metric and the reward's components, as they train. */
export function TrainingLive({ step, design, live }: { step: Step; design: EnvDesign; live: boolean }) {
  const latest = step.progress[step.progress.length - 1];
  const primary = design.metrics[0];
  const left = (latest.total_timesteps - latest.timesteps) / latest.steps_per_s;
  const most = latest.total_timesteps;
  return (
    <>
      <p className="said figures">
        {count(latest.timesteps)} of {count(latest.total_timesteps)} steps at {count(latest.steps_per_s)} steps/s
        {live && left > 1 && Number.isFinite(left) ? `, about ${duration(Math.ceil(left))} left` : ""}
      </p>
      <div className="charts">
        <Chart
          title="Reward"
          x={rewardCurve(step.progress).x}
          series={rewardCurve(step.progress).series}
          most={most}
          height={170}
        />
        <Chart
          title={capital(plain(primary.name))}
          unit={`${primary.unit && primary.unit !== "1" ? `${primary.unit}, ` : ""}${primary.direction.toLowerCase()} is better`}
          {...metricCurve(step.progress, primary.name)}
          most={most}
          height={170}
        />
        <Chart title="Reward by component" {...componentCurves(step.progress, design)} most={most} height={170} />
      </div>
    </>
  );
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

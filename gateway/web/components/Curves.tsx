"use client";

import { componentCurves, evaluationCurve, metricCurve, rewardCurve } from "../lib/curves";
import type { EnvDesign, LadderRow, Metric, Tuning } from "../lib/records";
import type { Step, Story } from "../lib/story";
import { best } from "../lib/ladder";
import { count, duration, number, plain } from "../lib/words";
import { Chart, type Series } from "./Chart";
import { capital } from "./TrainingLive";

/** Evaluations on the validation seeds, then what the training episodes said of themselves. */
export function Curves({ step, story }: { step: Step; story: Story }) {
  const design = story.designed!.design;
  const training = step.outcome?.training;
  const evaluations = training?.evaluations ?? [];
  const rows = step.outcome?.ladder?.rows ?? [];
  const others = rows.filter((row) => row.kind !== "TRAINED" && row.kind !== "HALF_TRAINED");
  const most = step.progress.at(-1)?.total_timesteps;
  return (
    <div className="curves">
      {training && (
        <p className="lead">
          {training.algorithm}, {count(training.total_timesteps)} steps in {duration(training.wall_s)} (
          {count(training.steps_per_s)} steps/s), {training.n_envs} environments at a time, seed {training.seed}.{" "}
          {training.why_algorithm}
        </p>
      )}
      {evaluations.length > 1 && (
        <section aria-labelledby="evaluated">
          <h2 id="evaluated">On validation seeds</h2>
          <div className="charts two">
            <Chart title="Reward" {...evaluationCurve(evaluations)} height={230} />
            {design.metrics.map((metric, index) => {
              const curve = evaluationCurve(evaluations, metric.name);
              const rule = index === 0 ? ruleOf(others, metric, evaluations.length) : [];
              return (
                <Chart
                  key={metric.name}
                  title={capital(plain(metric.name))}
                  unit={unitOf(metric)}
                  x={curve.x}
                  series={[...curve.series, ...rule]}
                  height={230}
                />
              );
            })}
          </div>
        </section>
      )}
      {step.progress.length > 1 && (
        <section aria-labelledby="trained">
          <h2 id="trained">While training</h2>
          <div className="charts two">
            <Chart title="Reward" {...rewardCurve(step.progress)} most={most} height={230} />
            <Chart title="Reward by component" {...componentCurves(step.progress, design)} most={most} height={230} />
            {design.metrics.map((metric) => (
              <Chart
                key={metric.name}
                title={capital(plain(metric.name))}
                unit={unitOf(metric)}
                {...metricCurve(step.progress, metric.name)}
                most={most}
                height={230}
              />
            ))}
          </div>
        </section>
      )}
      {step.outcome?.tuning && <Trials of={step.outcome.tuning} primary={design.metrics[0]} />}
      {training?.hyperparameters?.length ? <Hyperparameters of={training.hyperparameters} /> : null}
    </div>
  );
}

function Trials({ of, primary }: { of: Tuning; primary: Metric }) {
  const names = of.trials[0]?.hyperparameters.map((each) => each.name) ?? [];
  return (
    <section aria-labelledby="tuned">
      <h2 id="tuned">Search for hyperparameters</h2>
      <p className="lead">
        {of.trials.length} trials on validation seeds; number {of.best} was best. On the test seeds, which chose
        nothing, the defaults reach {number(of.default_primary.mean)} and the best trial {number(of.tuned_primary.mean)}{" "}
        ({plain(primary.name)}).
      </p>
      <div className="scroll" role="region" aria-labelledby="tuned" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Trial</th>
              <th scope="col" className="n">
                {plain(primary.name)}
              </th>
              {names.map((name) => (
                <th scope="col" className="n" key={name}>
                  {plain(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {of.trials.map((trial) => (
              <tr key={trial.number}>
                <th scope="row">
                  {trial.number}
                  {trial.number === of.best ? ", best" : ""}
                </th>
                <td className="n">
                  {trial.value === undefined ? (trial.pruned ? "stopped early" : "failed") : number(trial.value)}
                </td>
                {names.map((name) => (
                  <td className="n" key={name}>
                    {number(trial.hyperparameters.find((each) => each.name === name)?.value ?? NaN)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Hyperparameters({ of }: { of: { name: string; value: number }[] }) {
  return (
    <section aria-labelledby="hyper">
      <h2 id="hyper">Hyperparameters</h2>
      <dl className="facts wrap">
        {of.map(({ name, value }) => (
          <div key={name}>
            <dt>{plain(name)}</dt>
            <dd className="figures">{number(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The best of the others on the test seeds, as a line to beat. */
function ruleOf(others: LadderRow[], metric: Metric, length: number): Series[] {
  const row = best(others, metric);
  const value = row?.metrics.find((each) => each.name === metric.name)?.interval.mean;
  return row && value !== undefined
    ? [{ label: plain(row.policy), colour: "--ink-3", values: Array(length).fill(value), dashed: true }]
    : [];
}

function unitOf(metric: EnvDesign["metrics"][number]): string {
  return [metric.unit && metric.unit !== "1" ? metric.unit : "", `${metric.direction.toLowerCase()} is better`]
    .filter(Boolean)
    .join(", ");
}

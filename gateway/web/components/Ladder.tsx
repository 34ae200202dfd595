import { KIND, on, ranked } from "../lib/ladder";
import type { EnvDesign, Interval, LadderRow, TrainOutcome } from "../lib/records";
import { number, plain, VERDICT } from "../lib/words";
import { LadderPlot } from "./LadderPlot";

export function Ladder({
  ladder,
  design,
  outcome,
}: {
  ladder: { rows: LadderRow[]; first_seed: number };
  design: EnvDesign;
  outcome: TrainOutcome;
}) {
  const rows = ranked(ladder.rows, design.metrics[0]);
  const seeds = outcome.seeds ?? [];
  return (
    <div className="ladder">
      <p className="lead">
        Every policy played the same {rows[0]?.episodes} episodes, on test seeds from {ladder.first_seed} up that
        nothing was chosen by, in a fresh box. Means with 95 % intervals; the first metric decides.
      </p>
      <div className="plots">
        {design.metrics
          .filter((metric) => rows.some((row) => on(row, metric.name)))
          .map((metric) => (
            <LadderPlot key={metric.name} ladder={ladder} metric={metric} />
          ))}
      </div>
      <h2 id="ladder-table">All numbers</h2>
      <div className="scroll" role="region" aria-labelledby="ladder-table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Policy</th>
              {design.metrics.map((metric) => (
                <th scope="col" className="n" key={metric.name}>
                  {plain(metric.name)}
                </th>
              ))}
              <th scope="col" className="n">
                reward
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.policy} className={row.kind === "TRAINED" ? "trained" : undefined}>
                <th scope="row">
                  {plain(row.policy)}
                  {KIND[row.kind] !== row.policy && <span>{KIND[row.kind]}</span>}
                </th>
                {design.metrics.map((metric) => (
                  <Cell key={metric.name} of={on(row, metric.name)} />
                ))}
                <Cell of={row.reward} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {seeds.length > 1 && (
        <>
          <h2 id="seeds-table">Training seeds</h2>
          <div className="scroll" role="region" aria-labelledby="seeds-table" tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">Seed</th>
                  <th scope="col">Alone it would be</th>
                  <th scope="col" className="n">
                    {plain(design.metrics[0].name)}
                  </th>
                  <th scope="col" className="n">
                    reward
                  </th>
                </tr>
              </thead>
              <tbody>
                {seeds.map((each) => (
                  <tr key={each.seed} className={each.kept ? "trained" : undefined}>
                    <th scope="row">
                      {each.seed}
                      {each.kept ? ", kept" : ""}
                    </th>
                    <td>{VERDICT[each.verdict]}</td>
                    <Cell of={each.primary} />
                    <Cell of={each.reward} />
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </div>
  );
}

function Cell({ of }: { of?: Interval }) {
  if (!of) return <td className="n">–</td>;
  return (
    <td className="n">
      {number(of.mean)}{" "}
      <span className="interval">
        {number(of.low)} to {number(of.high)}
      </span>
    </td>
  );
}

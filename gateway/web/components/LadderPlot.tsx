import { on, ranked, scaleOf, type Scale } from "../lib/ladder";
import type { Interval, LadderRow, Metric } from "../lib/records";
import { number, plain } from "../lib/words";

/** One metric of every policy as a dot with its 95 % interval, best first. */
export function LadderPlot({ ladder, metric }: { ladder: { rows: LadderRow[] }; metric: Metric }) {
  const rows = ranked(ladder.rows, metric).filter((row) => on(row, metric.name));
  const scale = scaleOf(rows, metric);
  return (
    <figure className="ladder-plot">
      <figcaption>
        <span className="title">{plain(metric.name)}</span>
        <span className="unit">
          {[metric.unit !== "1" && metric.unit, `${metric.direction.toLowerCase()} is better`]
            .filter(Boolean)
            .join(", ")}
        </span>
      </figcaption>
      <ol>
        {rows.map((row) => {
          const interval = on(row, metric.name)!;
          return (
            <li key={row.policy} className={row.kind === "TRAINED" ? "trained" : undefined}>
              <span className="policy">{plain(row.policy)}</span>
              <Track interval={interval} scale={scale} />
              <span className="value figures">{number(interval.mean)}</span>
            </li>
          );
        })}
      </ol>
    </figure>
  );
}

function Track({ interval, scale }: { interval: Interval; scale: Scale }) {
  const percent = (value: number) => `${100 * scale.at(value)}%`;
  const beyond = interval.mean < scale.low ? "beyond low" : interval.mean > scale.high ? "beyond" : "";
  return (
    <span className="track" aria-hidden="true">
      <span className="rule">
        {beyond ? (
          <span className={beyond} />
        ) : (
          <>
            <span
              className="span"
              style={{
                left: percent(interval.low),
                width: `${100 * (scale.at(interval.high) - scale.at(interval.low))}%`,
              }}
            />
            <span className="dot" style={{ left: percent(interval.mean) }} />
          </>
        )}
      </span>
    </span>
  );
}

import type { ReactNode } from "react";
import type { ActionTerm, Parameter } from "../lib/records";
import type { Designed } from "../lib/story";
import { number, origin, plain } from "../lib/words";
import { Formula, Formulas, Name, Part, Table } from "./DesignParts";
import { capital } from "./TrainingLive";

/** The typed design as a document. */
export function DesignView({ of }: { of: Designed }) {
  const { design } = of;
  return (
    <div className="design">
      <h2 className="design-title">{design.title}</h2>
      <p className="lead">{design.summary}</p>
      <p className="hint">{origin(of.origin)}.</p>

      <Part title="Why reinforcement learning">
        <p>{design.fit.why}</p>
      </Part>

      <Part title="What the agent sees">
        <Table
          name="What the agent sees"
          heads={["Term", "Meaning", "Range", "Formula"]}
          rows={design.observation.map((term) => [
            <Name key="n" of={term.name} times={term.image ? undefined : term.size} />,
            withUnit(term.meaning, term.unit),
            term.image ? pixels(term.image) : `${number(term.low)} to ${number(term.high)}`,
            <Formula key="f" of={term.formula} />,
          ])}
        />
      </Part>

      <Part title="What it may do">
        <Table
          name="What it may do"
          heads={["Term", "Meaning", "Choices"]}
          rows={design.action.terms.map((term) => [
            <Name key="n" of={term.name} times={term.size} />,
            withUnit(term.meaning, term.unit),
            choices(term),
          ])}
        />
        {design.action.illegal && <p className="hint">{design.action.illegal}</p>}
      </Part>

      <Part title="What it is paid for">
        <Table
          name="What it is paid for"
          heads={["Component", "Meaning", "Weight", "Formula"]}
          rows={design.reward.map((part) => [
            <Name key="n" of={part.name} />,
            part.meaning,
            <span key="w" className="figures">
              {number(part.weight)}
            </span>,
            <Formula key="f" of={part.formula} />,
          ])}
        />
      </Part>

      <Part title="What is really wanted">
        <Table
          name="What is really wanted"
          heads={["Metric", "Meaning", "Better", "Formula", "Target"]}
          rows={design.metrics.map((metric, index) => [
            <Name key="n" of={metric.name} note={index === 0 ? "decides" : undefined} />,
            withUnit(metric.meaning, metric.unit),
            metric.direction.toLowerCase(),
            <Formula
              key="f"
              of={metric.per ? `${metric.formula} / ${metric.per}` : metric.formula}
              before={metric.aggregate.toLowerCase()}
            />,
            metric.target === undefined ? "–" : number(metric.target),
          ])}
        />
      </Part>

      <Part title="What one step does">
        <ol className="steps">
          {design.dynamics.steps.map((step, index) => (
            <li key={index}>{step}</li>
          ))}
        </ol>
        <p className="hint">
          One step is {number(design.dynamics.step_length)} {design.dynamics.step_unit}; an episode ends after{" "}
          {number(design.episode.step_limit)} steps at the latest. {design.episode.start}
        </p>
        <Formulas title="Laws" of={design.dynamics.laws} />
        <Formulas title="Invariants" of={design.dynamics.invariants} />
        <Formulas title="Definitions" of={design.definitions} />
      </Part>

      <Part title="What it has to beat">
        {design.baselines.map((rule) => (
          <div key={rule.name} className="baseline">
            <p>
              <strong>{capital(plain(rule.name))}.</strong> {rule.meaning}
            </p>
            <dl className="formulas">
              {rule.terms.map((term) => (
                <div key={term.term}>
                  <dt>{term.term}</dt>
                  <dd>
                    <Formula of={term.formula} />
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        ))}
      </Part>

      <Part title="Numbers">
        <Table
          name="Numbers"
          heads={["Parameter", "Meaning", "Value", "Who says so"]}
          rows={design.parameters.map(parameterRow)}
        />
      </Part>

      {design.reasoning && design.reasoning.length > 0 && (
        <Part title="Why so">
          <dl className="reasons">
            {design.reasoning.map((each) => (
              <div key={each.about}>
                <dt>{capital(each.about)}</dt>
                <dd>{each.why}</dd>
              </div>
            ))}
          </dl>
        </Part>
      )}

      <details className="raw">
        <summary>As JSON</summary>
        <pre tabIndex={0}>{JSON.stringify(design, null, 2)}</pre>
      </details>
    </div>
  );
}

function withUnit(meaning: string, unit?: string): string {
  return unit && unit !== "1" ? `${meaning} (${unit})` : meaning;
}

function pixels({ height, width, channels }: { height: number; width: number; channels: number }): string {
  return `image, ${height} × ${width}${channels > 1 ? ` × ${channels}` : ""}`;
}

function choices(term: ActionTerm): string {
  if (term.labels?.length) return term.labels.join(", ");
  if (term.choices !== undefined) return `0 to ${term.choices - 1}`;
  return term.low !== undefined && term.high !== undefined
    ? `${number(term.low)} to ${number(term.high)}`
    : "yes or no";
}

function parameterRow(of: Parameter): ReactNode[] {
  const shown = of.values.slice(0, 7).map(number).join(", ");
  const value = of.values.length > 7 ? `${shown}, … (${of.values.length})` : shown;
  return [
    <Name key="n" of={of.name} />,
    withUnit(of.meaning, of.unit),
    <span key="v" className="figures">
      {value}
    </span>,
    of.source === "GIVEN" ? (
      <span key="s" className="tag">
        you
      </span>
    ) : (
      <span key="s">assumed{of.why ? `: ${of.why}` : ""}</span>
    ),
  ];
}

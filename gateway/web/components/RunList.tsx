"use client";

import { useCallback, useEffect, useState } from "react";
import { api, Refusal } from "../lib/api";
import { REST, type Run } from "../lib/records";
import { duration, outcome, plain, when } from "../lib/words";
import { Link } from "./Link";

const PAGE = 20;
const FRESH_MS = 4_000;

export function RunList() {
  const [runs, setRuns] = useState<Run[]>();
  const [more, setMore] = useState("");
  const [wrong, setWrong] = useState("");

  const read = useCallback(async () => {
    try {
      const page = await api.runs(PAGE);
      setRuns((before) => merged(page.runs, before ?? []));
      setMore((before) => before || page.next_page_token);
      setWrong("");
      return page.runs.some((run) => !REST.has(run.state));
    } catch (why) {
      setWrong(why instanceof Refusal ? why.message : "The runs could not be read.");
      return true;
    }
  }, []);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let left = false;
    const again = async () => {
      await read();
      if (!left) timer = setTimeout(again, FRESH_MS);
    };
    void again();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [read]);

  const older = async () => {
    const page = await api.runs(PAGE, more);
    setRuns((before) => [...(before ?? []), ...page.runs]);
    setMore(page.next_page_token);
  };

  if (wrong && !runs)
    return (
      <p className="wrong" role="status">
        {wrong} Trying again.
      </p>
    );
  if (!runs) return null;
  return (
    <section className="runs" aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      {wrong && (
        <p className="wrong" role="status">
          {wrong} Trying again.
        </p>
      )}
      {runs.length === 0 ? (
        <p className="empty">None yet. A worked problem takes a minute or two; you can leave, the run goes on.</p>
      ) : (
        <ol>
          {runs.map((run) => (
            <li key={run.id}>
              <Row run={run} />
            </li>
          ))}
        </ol>
      )}
      {more && (
        <button type="button" className="plain" onClick={older}>
          Older runs
        </button>
      )}
    </section>
  );
}

function Row({ run }: { run: Run }) {
  const { word, tone } = outcome(run);
  const took = run.ended_at_s ? duration(run.ended_at_s - run.created_at_s) : "";
  return (
    <Link to={{ run: run.id }} className="row">
      <span className="what">{run.problem}</span>
      <span className={`outcome ${tone}`}>
        <i aria-hidden="true" />
        {word}
      </span>
      <span className="about">
        {[
          run.design_name && plain(run.design_name),
          run.fixes ? `${run.fixes} fixed` : "",
          when(run.created_at_s),
          took,
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
    </Link>
  );
}

/** The first page as it is now, then those that were read before and are older. */
function merged(fresh: Run[], before: Run[]): Run[] {
  const known = new Set(fresh.map((run) => run.id));
  return [...fresh, ...before.filter((run) => !known.has(run.id))];
}

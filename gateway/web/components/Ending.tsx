"use client";

import { useState } from "react";
import { go } from "../lib/address";
import { api, newRunId, Refusal } from "../lib/api";
import type { Finding, Run } from "../lib/records";
import type { Story } from "../lib/story";
import { count, outcome, withoutName } from "../lib/words";
import { Findings } from "./Findings";
import { LadderPlot } from "./LadderPlot";
import { Link } from "./Link";

/** How it ended, in one word and one paragraph, with the numbers beside it. */
export function Ending({ run, story }: { run: Run; story: Story }) {
  const verdict = story.state === "SUCCEEDED" ? story.outcome?.verdict : undefined;
  const { word, tone } = outcome({ state: story.state, verdict: verdict?.kind });
  const ladder = verdict && story.outcome?.ladder;
  return (
    <section className={`ending ${tone}${ladder ? " wide" : ""}`} aria-label="Outcome">
      <div>
        <h2>{word}</h2>
        <p className="reason">{verdict?.reason ?? withoutName(run.reason || story.reason)}</p>
        {story.state === "FAILED" && <Findings of={errorsOf(story)} />}
        {verdict?.remedy && <p className="remedy">{verdict.remedy}</p>}
        <Next run={run} story={story} />
      </div>
      {ladder && story.designed && <LadderPlot ladder={ladder} metric={story.designed.design.metrics[0]} />}
    </section>
  );
}

/** What stopped it, where the last step found that. */
function errorsOf(story: Story): Finding[] {
  return (story.steps[story.steps.length - 1]?.findings ?? []).filter((finding) => finding.severity === "ERROR");
}

function Next({ run, story }: { run: Run; story: Story }) {
  const [wrong, setWrong] = useState("");
  const steps = story.outcome?.verdict?.suggested_timesteps;
  const start = async (change: Partial<Run["options"]>) => {
    try {
      const next = await api.start(run.problem, { ...run.options, ...change }, newRunId(run.problem));
      go({ run: next.id });
    } catch (why) {
      setWrong(why instanceof Refusal ? why.message : "The run could not be started; try again.");
    }
  };
  return (
    <div className="buttons">
      {story.state === "SUCCEEDED" && steps && (
        <button type="button" className="primary" onClick={() => start({ total_timesteps: steps })}>
          Train {count(steps)} steps
        </button>
      )}
      {story.state === "ADVISED" && (
        <button type="button" className="primary" onClick={() => start({ insist: true })}>
          Use reinforcement learning anyway
        </button>
      )}
      <Link to={{ again: run.id }} className="plain">
        {story.state === "SUCCEEDED" ? "Run it again" : "Change it and try again"}
      </Link>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  );
}

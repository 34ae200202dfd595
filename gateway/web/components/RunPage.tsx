"use client";

import { useEffect, useState } from "react";
import { turn, useAddress } from "../lib/address";
import { REST } from "../lib/records";
import { trainingOf } from "../lib/story";
import { useNow } from "../lib/useNow";
import { useStory } from "../lib/useStory";
import { clock, count, outcome, spent, when } from "../lib/words";
import { Cancel } from "./Cancel";
import { CodeView } from "./CodeView";
import { Connection } from "./Connection";
import { Curves } from "./Curves";
import { DesignView } from "./DesignView";
import { Files } from "./Files";
import { Ladder } from "./Ladder";
import { Link } from "./Link";
import { Logbook } from "./Logbook";
import { Question } from "./Question";
import { Rail } from "./Rail";
import { Report } from "./Report";
import { Review } from "./Review";
import { Tabs, type Tab } from "./Tabs";
import { Ending } from "./Ending";

export function RunPage({ id }: { id: string }) {
  const watched = useStory(id);
  const { run, story, line } = watched;
  const { tab } = useAddress();
  const rests = REST.has(story.state);
  const now = useNow(!rests);
  const [announced, announce] = useState("");

  const { word } = outcome({ state: story.state, verdict: run?.verdict ?? story.outcome?.verdict?.kind });
  useEffect(() => {
    if (!story.seen) return;
    document.title = `${word} – ${run?.problem.slice(0, 60) ?? id} – Gymwright`;
    announce(word);
  }, [word, run?.problem, id, story.seen]);

  if (watched.refused) {
    return (
      <section className="narrow stack">
        <h1>{watched.refused.status === 404 ? "There is no such run" : "This run can't be shown"}</h1>
        <p className="lead">{watched.refused.message}</p>
        <p>
          <Link to={{}} className="quiet">
            All runs
          </Link>
        </p>
      </section>
    );
  }
  if (!run) return <Connection watched={watched} first />;

  const tabs = tabsOf(watched);
  const asked = tabs.find((each) => each.id === tab);
  const first = story.state === "REVIEWING" ? "design" : "report";
  const shown = asked ?? tabs.find((each) => each.id === first) ?? tabs[0];
  const until = rests ? (run.ended_at_s ?? story.last_s ?? now) : now;
  const cost = run.spent ?? story.spent;
  return (
    <article className="run">
      <header className="run-head">
        <h1 className={run.problem.length > 140 ? "long" : undefined}>{run.problem}</h1>
        <dl className="meta">
          <div>
            <dt>Started</dt>
            <dd>{when(run.created_at_s, now)}</dd>
          </div>
          <div>
            <dt>{rests ? "Took" : "Running for"}</dt>
            <dd className="figures">{clock(until - run.created_at_s)}</dd>
          </div>
          {run.options.total_timesteps && (
            <div>
              <dt>Steps asked for</dt>
              <dd>{count(run.options.total_timesteps)}</dd>
            </div>
          )}
          {cost && (
            <div>
              <dt>Models</dt>
              <dd>{spent(cost)}</dd>
            </div>
          )}
          <div>
            <dt>Run</dt>
            <dd className="id">{run.id}</dd>
          </div>
        </dl>
        {!rests && <Cancel run={run} story={story} done={watched.reread} />}
      </header>
      <Connection watched={watched} />
      <Rail story={story} />
      <p className="hidden" role="status">
        {announced}
      </p>
      {story.state === "ASKING" && story.question && (
        <Question key={story.question} id={id} question={story.question} done={watched.reread} />
      )}
      {story.state === "REVIEWING" && story.designed && (
        <Review id={id} design={story.designed.design} done={watched.reread} />
      )}
      {rests && line !== "connecting" && <Ending run={run} story={story} />}
      <Tabs tabs={tabs} shown={shown.id} onShow={(next) => turn({ run: id, tab: next })} />
    </article>
  );
}

/** Only those that have something to show. */
function tabsOf({ story, run }: ReturnType<typeof useStory>): Tab[] {
  const training = trainingOf(story);
  const ladder = story.outcome?.ladder;
  const tabs: (Tab | false | undefined)[] = [
    story.state === "SUCCEEDED" && {
      id: "report",
      label: "Report",
      body: <Report id={run!.id} artifacts={story.artifacts} />,
    },
    { id: "progress", label: "Progress", body: <Logbook story={story} /> },
    story.designed && { id: "design", label: "Design", body: <DesignView of={story.designed} /> },
    story.drafts.length > 0 && { id: "code", label: "Code", body: <CodeView drafts={story.drafts} /> },
    training && { id: "curves", label: "Curves", body: <Curves step={training} story={story} /> },
    ladder && {
      id: "ladder",
      label: "Ladder",
      body: <Ladder ladder={ladder} design={story.designed!.design} outcome={story.outcome!} />,
    },
    REST.has(story.state) && { id: "files", label: "Files", body: <Files id={run!.id} /> },
  ];
  return tabs.filter((tab): tab is Tab => Boolean(tab));
}

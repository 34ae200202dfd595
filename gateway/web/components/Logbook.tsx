"use client";

import type { ReactNode } from "react";
import { REST } from "../lib/records";
import type { Step, Story } from "../lib/story";
import { useNow } from "../lib/useNow";
import { clock, count, duration, origin, plain, plural, withoutName } from "../lib/words";
import { DiffView } from "./DiffView";
import { Findings } from "./Findings";
import { Streaming } from "./Streaming";
import { TrainingLive } from "./TrainingLive";

/** What happened, with the clock in the margin: while it goes on the step under way is on top, afterwards the first is. */
export function Logbook({ story }: { story: Story }) {
  const rests = REST.has(story.state);
  const last = story.steps[story.steps.length - 1];
  const steps = rests ? story.steps : story.steps.toReversed();
  return (
    <ol className="logbook">
      {story.steps.length === 0 && (
        <li className="entry">
          <div className="margin" />
          <p className="hint">The run is starting.</p>
        </li>
      )}
      {steps.map((step) => (
        <Entry key={step.key} step={step} story={story} live={!rests && step === last} />
      ))}
    </ol>
  );
}

function Entry({ step, story, live }: { step: Step; story: Story; live: boolean }) {
  const now = useNow(live);
  const took = (step.until_s ?? now) - step.from_s;
  const { title, body } = told(step, story, live);
  return (
    <li className={live ? "entry live" : "entry"}>
      <div className="margin">
        <time className="figures">{clock(step.from_s - (story.began_s ?? step.from_s))}</time>
        <span className="took figures">{live ? clock(took) : took >= 0.1 ? duration(took) : ""}</span>
      </div>
      <div className="happened">
        <h3>{title}</h3>
        {body}
      </div>
    </li>
  );
}

function told(step: Step, story: Story, live: boolean): { title: string; body: ReactNode } {
  switch (step.kind) {
    case "design":
      return {
        title: step.revises
          ? live && !step.designed
            ? "Revising the design"
            : "Design revised"
          : step.designed
            ? "Design"
            : "Designing",
        body: <Design step={step} live={live} />,
      };
    case "ask":
      return { title: "The designer asks", body: <Asked step={step} /> };
    case "review":
      return {
        title: "Your review",
        body: (
          <p>
            {step.reviewed
              ? step.reviewed.diff
                ? "You edited the design."
                : "You accepted the design."
              : "The run waits for you to accept or edit the design."}
          </p>
        ),
      };
    case "code":
      return { title: codeTitle(step, story), body: <Code step={step} live={live} /> };
    case "check":
      return { title: checkTitle(step), body: <Check step={step} live={live} /> };
    case "train":
      return {
        title: step.outcome?.verdict
          ? "Trained and measured"
          : step.findings.length
            ? "Training was stopped"
            : live
              ? "Training"
              : "Trained",
        body: <Train step={step} story={story} live={live} />,
      };
    case "report":
      return {
        title: live ? "Writing the report" : "Report",
        body: <Notes lines={step.notes.filter((line) => line !== "Writing the report.")} />,
      };
  }
}

function Notes({ lines }: { lines: string[] }) {
  return (
    <>
      {lines.map((line, index) => (
        <p key={index} className="said">
          {line}
        </p>
      ))}
    </>
  );
}

function Design({ step, live }: { step: Step; live: boolean }) {
  const design = step.designed?.design;
  if (!design) {
    if (step.text) return <Streaming text={step.text} live={live} what="The design as it is written" />;
    return <Notes lines={step.notes} />;
  }
  const seen = design.observation.reduce((sum, term) => sum + (term.size ?? 1), 0);
  return (
    <>
      {step.revises && <Notes lines={step.notes.slice(0, 1)} />}
      <p className="designed">{design.title}</p>
      <p>{design.summary}</p>
      <dl className="facts">
        <div>
          <dt>Sees</dt>
          <dd>{plural(seen, "number")}</dd>
        </div>
        <div>
          <dt>Does</dt>
          <dd>{design.action.terms.map((term) => plain(term.name)).join(", ")}</dd>
        </div>
        <div>
          <dt>Is paid for</dt>
          <dd>{design.reward.map((part) => plain(part.name)).join(", ")}</dd>
        </div>
        <div>
          <dt>Is judged by</dt>
          <dd>{plain(design.metrics[0].name)}</dd>
        </div>
      </dl>
      <p className="said">{origin(step.designed!.origin)}.</p>
    </>
  );
}

function Asked({ step }: { step: Step }) {
  return (
    <>
      <p>{step.question}</p>
      {step.answer && <blockquote>{step.answer}</blockquote>}
    </>
  );
}

function codeTitle(step: Step, story: Story): string {
  const fix = step.draft ? step.draft.fix : story.fixes;
  if (fix) return step.draft ? `Fix ${fix}` : `Writing fix ${fix} of ${story.fixesAllowed}`;
  return step.draft ? (step.previous ? "New draft" : "First draft") : "Writing the environment";
}

function Code({ step, live }: { step: Step; live: boolean }) {
  if (!step.draft) {
    if (step.text) return <Streaming text={step.text} live={live} what="The code as it is written" />;
    return <Notes lines={step.notes.slice(0, 1)} />;
  }
  const lines = step.draft.source.trimEnd().split("\n").length;
  return (
    <>
      <p className="said">
        {plural(lines, "line")}. {origin(step.draft.origin)}.
      </p>
      {step.draft.fix > 0 && step.previous && (
        <DiffView before={step.previous.source} after={step.draft.source} what={`What fix ${step.draft.fix} changed`} />
      )}
    </>
  );
}

function checkTitle(step: Step): string {
  if (!step.checked)
    return step.findings.some((each) => each.severity === "ERROR") ? "Checking: errors found" : "Checking";
  const errors = step.findings.filter((finding) => finding.severity === "ERROR").length;
  return errors ? `The check found ${plural(errors, "error")}` : "The check passed";
}

function Check({ step, live }: { step: Step; live: boolean }) {
  const groups = step.checked?.ran ?? step.notes.slice(1).map((line) => line.replace(/^Checking (.*)\.$/, "$1"));
  const errors = step.findings.some((finding) => finding.severity === "ERROR");
  return (
    <>
      <ul className="groups" aria-label="Groups of checks">
        {groups.map((group, index) => {
          const latest = index === groups.length - 1;
          return (
            <li key={group} className={latest && live && !step.checked ? "now" : latest && errors ? "bad" : "good"}>
              {group}
            </li>
          );
        })}
      </ul>
      <Findings of={step.findings} />
      {step.checked && (
        <p className="said">
          {[
            step.checked.episodes && plural(step.checked.episodes, "episode"),
            step.checked.steps && `${count(step.checked.steps)} steps`,
          ]
            .filter(Boolean)
            .join(", ")}
        </p>
      )}
      {step.checked?.skipped?.length ? (
        <details className="said">
          <summary>{plural(step.checked.skipped.length, "group")} skipped</summary>
          <p>{step.checked.skipped.map((each) => `${each.group}: ${each.why}`).join("; ")}.</p>
        </details>
      ) : null}
    </>
  );
}

function Train({ step, story, live }: { step: Step; story: Story; live: boolean }) {
  const verdict = step.outcome?.verdict;
  return (
    <>
      {step.progress.length > 0 && story.designed && (
        <TrainingLive step={step} design={story.designed.design} live={live} />
      )}
      <Findings of={step.findings} />
      <Notes lines={step.notes.slice(step.progress.length ? 2 : 0)} />
      {verdict && <p className="said">{withoutName(verdict.reason)}</p>}
    </>
  );
}

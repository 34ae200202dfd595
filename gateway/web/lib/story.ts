/** The story of a run: its events gathered into steps, in the order in which they happened. Pure. */

import type {
  Artifact,
  CheckReport,
  EnvDesign,
  Finding,
  Origin,
  Progress,
  RunEvent,
  RunState,
  Spent,
  TrainOutcome,
} from "./records";
import { REST } from "./records";

export interface Draft {
  number: number;
  source: string;
  origin: Origin;
  fix: number;
  twin: string;
  findings: Finding[];
}
export interface Designed {
  design: EnvDesign;
  origin: Origin;
}

export type StepKind = "design" | "ask" | "review" | "code" | "check" | "train" | "report";

/** One stretch of work. Its parts are set as they happen. */
export interface Step {
  kind: StepKind;
  key: number; // the sequence number that began it
  from_s: number;
  until_s?: number;
  notes: string[];
  text: string; // as a model writes it
  designed?: Designed;
  revises?: EnvDesign; // the design before this one
  draft?: Draft;
  previous?: Draft;
  findings: Finding[];
  checked?: CheckReport;
  progress: Progress[];
  outcome?: TrainOutcome;
  question?: string;
  answer?: string;
  reviewed?: { diff: string };
}

export interface Story {
  seen: number;
  state: RunState;
  began_s?: number;
  last_s?: number;
  steps: Step[];
  designed?: Designed;
  drafts: Draft[];
  fixes: number;
  fixesAllowed: number;
  outcome?: TrainOutcome;
  attempts: { designed: Designed; outcome: TrainOutcome }[];
  question: string;
  spent?: Spent;
  artifacts: Artifact[];
  reason: string;
}

export const EMPTY: Story = {
  seen: 0,
  state: "STARTING",
  steps: [],
  drafts: [],
  fixes: 0,
  fixesAllowed: 0,
  attempts: [],
  question: "",
  artifacts: [],
  reason: "",
};

const KIND_OF: Partial<Record<RunState, StepKind>> = {
  DESIGNING: "design",
  ASKING: "ask",
  REVIEWING: "review",
  CODING: "code",
  CHECKING: "check",
  TRAINING: "train",
  REPORTING: "report",
};

export function told(story: Story, events: RunEvent[]): Story {
  return events.reduce(after, story);
}

function after(story: Story, event: RunEvent): Story {
  const next: Story = {
    ...story,
    seen: event.sequence,
    state: event.state,
    began_s: story.began_s ?? event.at_s,
    last_s: event.at_s,
  };
  if (REST.has(event.state)) return ended(next, event);
  const kind = KIND_OF[event.state];
  if (!kind) return next;
  if (event.answer || event.reviewed) return replied(next, event);
  const last = next.steps[next.steps.length - 1];
  const goesOn = last !== undefined && last.kind === kind && !beginsAnew(last, event);
  const step: Step = goesOn
    ? { ...last }
    : {
        kind,
        key: event.sequence,
        from_s: event.at_s,
        notes: [],
        text: "",
        findings: [],
        progress: [],
        revises: kind === "design" ? story.designed?.design : undefined,
      };
  const earlier = goesOn
    ? next.steps.slice(0, -1)
    : next.steps.map((each) => ({ ...each, until_s: each.until_s ?? event.at_s }));
  happen(next, step, event);
  next.steps = [...earlier, step];
  return next;
}

/** A draft that is written ends its step: what follows in the same state is the next one. */
function beginsAnew(step: Step, event: RunEvent): boolean {
  return (
    (step.kind === "code" &&
      step.draft !== undefined &&
      event.code_written === undefined &&
      event.used === undefined) ||
    (step.kind === "train" && step.outcome !== undefined)
  );
}

function happen(story: Story, step: Step, event: RunEvent): void {
  if (event.text_written) {
    step.text = event.text_written.restarts ? event.text_written.text : step.text + event.text_written.text;
  } else if (event.design_written) {
    story.designed = step.designed = event.design_written;
  } else if (event.code_written) {
    const { source, origin, fix, twin } = event.code_written;
    step.previous = story.drafts[story.drafts.length - 1];
    step.draft = { number: story.drafts.length + 1, source, origin, fix, twin: twin ?? "", findings: [] };
    story.drafts = [...story.drafts, step.draft];
  } else if (event.finding) {
    step.findings = [...step.findings, event.finding];
    blame(story, event.finding);
  } else if (event.checked) {
    step.checked = event.checked;
    step.findings = event.checked.findings;
    story.drafts = withFindings(story.drafts, event.checked.findings);
  } else if (event.fix_started) {
    story.fixes = event.fix_started.fix;
    story.fixesAllowed = event.fix_started.fixes_allowed;
  } else if (event.progress) {
    step.progress = [...step.progress, event.progress];
  } else if (event.trained && step.kind === "report") {
    chosen(story, event.trained);
    step.notes = [...step.notes, event.message];
  } else if (event.trained) {
    step.outcome = story.outcome = event.trained;
    step.findings = event.trained.findings ?? [];
    if (step.findings.length) story.drafts = withFindings(story.drafts, step.findings);
    else if (story.designed) story.attempts = [...story.attempts, { designed: story.designed, outcome: event.trained }];
  } else if (event.used) {
    const before = story.spent ?? { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0, unpriced_calls: 0 };
    story.spent = {
      calls: before.calls + 1,
      input_tokens: before.input_tokens + event.used.input_tokens,
      output_tokens: before.output_tokens + event.used.output_tokens,
      cost_usd: before.cost_usd + (event.used.cost_usd ?? 0),
      unpriced_calls: before.unpriced_calls + (event.used.cost_usd === undefined ? 1 : 0),
    };
  } else if (event.question) {
    step.question = story.question = event.question;
  } else {
    step.notes = [...step.notes, event.message];
  }
}

/** What the user said to a run that waited; the gateway tells it as the designer's news. */
function replied(story: Story, event: RunEvent): Story {
  const kind = event.answer ? "ask" : "review";
  const answer = event.answer || undefined;
  const reviewed = event.reviewed && { diff: event.reviewed.diff ?? "" };
  const at = story.steps.findLastIndex((step) => step.kind === kind);
  const steps = story.steps.map((step, index) =>
    index === at ? { ...step, answer, reviewed, until_s: event.at_s } : step,
  );
  const designed =
    event.reviewed && story.designed ? { ...story.designed, design: event.reviewed.design } : story.designed;
  return { ...story, steps, designed, question: "" };
}

/** The report is on an earlier attempt: its design and outcome are the ones that count. */
function chosen(story: Story, outcome: TrainOutcome): void {
  const text = JSON.stringify(outcome);
  const attempt = story.attempts.find((each) => JSON.stringify(each.outcome) === text);
  story.outcome = attempt?.outcome ?? outcome;
  story.designed = attempt?.designed ?? story.designed;
}

function blame(story: Story, finding: Finding): void {
  const last = story.drafts[story.drafts.length - 1];
  if (last) story.drafts = withFindings(story.drafts, [...last.findings, finding]);
}

function withFindings(drafts: Draft[], findings: Finding[]): Draft[] {
  return drafts.map((draft, index) => (index === drafts.length - 1 ? { ...draft, findings } : draft));
}

function ended(story: Story, event: RunEvent): Story {
  const steps = story.steps.map((step) => ({ ...step, until_s: step.until_s ?? event.at_s }));
  return { ...story, steps, reason: event.ended?.reason ?? "", artifacts: event.ended?.artifacts ?? [], question: "" };
}

/** The training that the curves show: the one that the outcome is of, else the latest. */
export function trainingOf(story: Story): Step | undefined {
  const counts = story.outcome && story.steps.find((step) => step.outcome === story.outcome);
  if (counts) return counts;
  return [...story.steps]
    .reverse()
    .find((step) => step.kind === "train" && (step.progress.length > 0 || step.outcome?.training));
}

import { REST } from "../lib/records";
import type { Step, StepKind, Story } from "../lib/story";
import { count, plural } from "../lib/words";

type Status = "done" | "now" | "waits" | "failed" | "ahead";
interface Stage {
  label: string;
  kinds: StepKind[];
}

const STAGES: Stage[] = [
  { label: "Design", kinds: ["design", "ask", "review"] },
  { label: "Code", kinds: ["code"] },
  { label: "Check", kinds: ["check"] },
  { label: "Train", kinds: ["train"] },
  { label: "Report", kinds: ["report"] },
];

/** The five stages; going back for a fix moves the mark back. */
export function Rail({ story }: { story: Story }) {
  const last = story.steps[story.steps.length - 1];
  const at = last ? STAGES.findIndex((stage) => stage.kinds.includes(last.kind)) : 0;
  return (
    <ol className="rail" aria-label="Stages">
      {STAGES.map((stage, index) => {
        const status = statusOf(story, index, at);
        const steps = story.steps.filter((step) => stage.kinds.includes(step.kind));
        const share = status === "now" ? shareOf(last) : undefined;
        return (
          <li
            key={stage.label}
            className={status}
            aria-current={status === "now" || status === "waits" ? "step" : undefined}
          >
            <span className="bar">
              {share !== undefined && <span className="fill" style={{ width: `${100 * share}%` }} />}
            </span>
            <span className="stage">
              {stage.label}
              <span className="hidden">: {SAID[status]}</span>
            </span>
            <span className="note">{noteOf(stage, steps, story, status)}</span>
          </li>
        );
      })}
    </ol>
  );
}

const SAID: Record<Status, string> = {
  done: "done",
  now: "under way",
  waits: "waits for you",
  failed: "stopped here",
  ahead: "not yet",
};

function statusOf(story: Story, index: number, at: number): Status {
  if (story.state === "SUCCEEDED") return "done";
  if (index !== at) return index < at ? "done" : "ahead";
  if (story.state === "ADVISED") return "done";
  if (REST.has(story.state)) return "failed";
  return story.state === "ASKING" || story.state === "REVIEWING" ? "waits" : "now";
}

function shareOf(step: Step | undefined): number | undefined {
  const latest = step?.progress[step.progress.length - 1];
  return latest && Math.min(1, latest.timesteps / latest.total_timesteps);
}

function noteOf(stage: Stage, steps: Step[], story: Story, status: Status): string {
  const last = steps[steps.length - 1];
  if (!last) return "";
  switch (stage.label) {
    case "Design":
      if (status === "waits") return last.kind === "ask" ? "asks you" : "your review";
      return steps.filter((step) => step.kind === "design").length > 1
        ? "revised"
        : story.designed
          ? story.designed.origin.kind.toLowerCase()
          : "";
    case "Code":
      return status === "now" && story.fixes
        ? `fix ${story.fixes} of ${story.fixesAllowed}`
        : story.drafts.length
          ? plural(story.drafts.length, "draft")
          : "";
    case "Check": {
      if (status === "ahead") return "again";
      const errors = last.findings.filter((finding) => finding.severity === "ERROR").length;
      return errors
        ? plural(errors, "error")
        : last.checked
          ? `${last.checked.ran.length} passed`
          : last.notes.length > 1
            ? `${last.notes.length - 1} so far`
            : "";
    }
    case "Train": {
      if (status === "ahead") return "again";
      const latest = last.progress[last.progress.length - 1];
      const share = shareOf(last);
      if (status === "now" && latest) return share === 1 ? "measuring" : `${Math.floor(100 * share!)} %`;
      return latest ? `${count(latest.timesteps)} steps` : "";
    }
    default:
      return story.artifacts.length ? plural(story.artifacts.length, "file") : "";
  }
}

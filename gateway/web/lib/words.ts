/** Words: numbers, times and states as a person reads them. */

import type { Origin, Run, RunState, Spent, VerdictKind } from "./records";

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

export function count(value: number): string {
  return whole.format(value);
}

/** Four significant digits, thousands with commas, a real minus. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const size = Math.abs(value);
  const text =
    size >= 1000
      ? whole.format(size)
      : size !== 0 && size < 0.0001
        ? size.toExponential(1)
        : String(Number(size.toPrecision(4)));
  return value < 0 ? `−${text}` : text;
}

export function plural(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? "" : "s"}`;
}

export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Since the start, as a clock: 0:04, 12:30, 1:02:03. */
export function clock(seconds: number): string {
  const s = Math.max(0, Math.floor(seconds));
  const [h, m, rest] = [Math.floor(s / 3600), Math.floor((s % 3600) / 60), String(s % 60).padStart(2, "0")];
  return h ? `${h}:${String(m).padStart(2, "0")}:${rest}` : `${m}:${rest}`;
}

export function when(at_s: number, now_s = Date.now() / 1000): string {
  const ago = now_s - at_s;
  if (ago < 60) return "just now";
  if (ago < 3600) return `${Math.floor(ago / 60)} min ago`;
  const date = new Date(at_s * 1000);
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  if (date.toDateString() === new Date(now_s * 1000).toDateString()) return `today, ${time}`;
  return `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${time}`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

export function origin(from: Origin): string {
  if (from.kind === "MODEL") return `Written by ${from.detail}`;
  if (from.kind === "SCRIPTED") return `Prepared beforehand (${from.detail})`;
  return `From the library: ${from.detail}`;
}

export function spent(of: Spent): string {
  const tokens = `${count(of.input_tokens + of.output_tokens)} tokens`;
  if (of.unpriced_calls === of.calls) return tokens;
  return `${of.unpriced_calls ? "over " : ""}${dollars(of.cost_usd)}, ${tokens}`;
}

export function dollars(usd: number): string {
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

export const STATE: Record<RunState, string> = {
  STARTING: "Starting",
  DESIGNING: "Designing",
  ASKING: "Waiting for your answer",
  REVIEWING: "Waiting for your review",
  CODING: "Writing code",
  CHECKING: "Checking",
  TRAINING: "Training",
  REPORTING: "Writing the report",
  CANCELLING: "Cancelling",
  SUCCEEDED: "Done",
  FAILED: "Failed",
  CANCELLED: "Cancelled",
  ADVISED: "Another tool advised",
};

export const VERDICT: Record<VerdictKind, string> = {
  LEARNED: "Learned",
  UNDERTRAINED: "Undertrained",
  NO_BETTER_THAN_BASELINE: "No better than the baseline",
  REWARD_HACKED: "Reward hacked",
  UNSTABLE: "Unstable",
};

export type Tone = "good" | "bad" | "doubt" | "live" | "quiet";

export function outcome(run: Pick<Run, "state" | "verdict">): { word: string; tone: Tone } {
  if (run.state === "SUCCEEDED" && run.verdict) {
    const tone = run.verdict === "LEARNED" ? "good" : run.verdict === "REWARD_HACKED" ? "bad" : "doubt";
    return { word: VERDICT[run.verdict], tone };
  }
  if (run.state === "SUCCEEDED") return { word: STATE.SUCCEEDED, tone: "good" };
  if (run.state === "FAILED") return { word: STATE.FAILED, tone: "bad" };
  if (run.state === "CANCELLED" || run.state === "ADVISED") return { word: STATE[run.state], tone: "quiet" };
  const waits = run.state === "ASKING" || run.state === "REVIEWING";
  return { word: STATE[run.state], tone: waits ? "doubt" : "live" };
}

/** The verdict's name stands above its reason already. */
export function withoutName(reason: string): string {
  return reason.replace(/^[A-Z_]+: /, "");
}

/** snake_case as words. */
export function plain(name: string): string {
  return name.replace(/_/g, " ");
}

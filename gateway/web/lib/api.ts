/** The gateway's HTTP routes, with the token where it wants one. */

import { setLocked } from "./door";
import type { Artifact, EnvDesign, Finding, Run, RunOptions } from "./records";

const TOKEN = "gymwright-token"; // in sessionStorage: gone when the tab is closed
const PATIENCE_MS = 20_000;

/** An answer that is no success, in the gateway's own words. status 0: the gateway did not answer. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly kind: string,
    message: string,
  ) {
    super(message);
  }
}

export function token(): string {
  return sessionStorage.getItem(TOKEN) ?? "";
}

export function keepToken(text: string): void {
  sessionStorage.setItem(TOKEN, text);
}

export function runPath(id: string, ...rest: string[]): string {
  return [
    "/v1/runs",
    encodeURIComponent(id),
    ...rest.map((part) => part.split("/").map(encodeURIComponent).join("/")),
  ].join("/");
}

/** The raw answer; a Refusal where there is none or it is no success. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token()) headers.set("Authorization", `Bearer ${token()}`);
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers, cache: "no-store" });
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === "AbortError") throw failure;
    throw new Refusal(0, "Unreachable", "The gateway does not answer.");
  }
  if (answer.ok) return answer;
  if (answer.status === 401) setLocked(true);
  const said = await answer.json().catch(() => ({}));
  throw new Refusal(answer.status, said.error ?? "", said.message ?? `The gateway answered ${answer.status}.`);
}

async function json<T>(path: string, body?: unknown, method = body === undefined ? "GET" : "POST"): Promise<T> {
  const sent =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const answer = await ask(path, { method, signal: AbortSignal.timeout(PATIENCE_MS), ...sent });
  return answer.json();
}

export interface RunPage {
  runs: Run[];
  next_page_token: string;
}

export const api = {
  health: (signal?: AbortSignal) => ask("/healthz", { signal: signal ?? AbortSignal.timeout(5_000) }),
  start: (problem: string, options: RunOptions, run_id: string) => json<Run>("/v1/runs", { problem, options, run_id }),
  run: (id: string) => json<Run>(runPath(id)),
  runs: (size: number, page = "") => json<RunPage>(`/v1/runs?page_size=${size}&page_token=${encodeURIComponent(page)}`),
  cancel: (id: string) => json<Run>(runPath(id, "cancel"), undefined, "POST"),
  answer: (id: string, answer: string) => json<Run>(runPath(id, "answer"), { answer }),
  /** Without a design: it is accepted as it is. Errors among the findings mean that it was not taken. */
  review: (id: string, design?: EnvDesign) =>
    json<{ run: Run; findings?: Finding[] }>(runPath(id, "design"), design ? { design } : {}),
  artifacts: async (id: string) => (await json<{ artifacts: Artifact[] }>(runPath(id, "artifacts"))).artifacts,
  text: async (id: string, name: string) => (await ask(runPath(id, "artifacts", name))).text(),
  blob: async (id: string, name: string) => (await ask(runPath(id, "artifacts", name))).blob(),
};

/** Chosen here, so that asking twice starts one run. */
export function newRunId(problem: string): string {
  const words =
    problem
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]{3,}/g) ?? [];
  const start =
    words
      .slice(0, 3)
      .map((word) => word.slice(0, 12))
      .join("-") || "run";
  const random = crypto.getRandomValues(new Uint8Array(4));
  return `${start}-${[...random].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Watching a run: its numbered events over NDJSON, picked up after the last one seen whenever the line breaks. */

import { api, ask, Refusal, runPath } from "./api";
import { REST, type RunEvent } from "./records";

export type Line = "connecting" | "live" | "lost" | "over";

export interface Watcher {
  events(batch: RunEvent[]): void;
  line(now: Line, retryInS?: number): void;
  refused(why: Refusal): void;
}

const WAITS_S = [1, 2, 4, 8];
const SILENCE_MS = 8_000; // after which we ask whether the gateway is still there

/** Runs until the run rests or the function that is returned is called. */
export function watch(id: string, to: Watcher): { stop(): void; retry(): void } {
  let stopped = false;
  let seen = 0;
  let over = false;
  let hurry = () => {};
  let controller = new AbortController();

  const take = (lines: string[]) => {
    const batch = lines
      .filter((line) => line.trim())
      .map((line) => JSON.parse(line) as RunEvent)
      .filter((event) => event.sequence > seen);
    if (!batch.length) return;
    const last = batch[batch.length - 1];
    seen = last.sequence;
    over = REST.has(last.state);
    to.events(batch);
  };

  const follow = async () => {
    controller = new AbortController();
    let heard = Date.now();
    const answer = await ask(runPath(id, `events`) + `?after=${seen}`, { signal: controller.signal });
    to.line("live");
    const pulse = setInterval(() => {
      if (Date.now() - heard > SILENCE_MS)
        api.health().then(
          () => (heard = Date.now()),
          () => controller.abort(),
        );
    }, SILENCE_MS / 2);
    const offline = () => controller.abort();
    window.addEventListener("offline", offline);
    try {
      const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        heard = Date.now();
        const lines = (rest + value).split("\n");
        rest = lines.pop()!; // a line that is not whole yet
        take(lines);
      }
    } finally {
      clearInterval(pulse);
      window.removeEventListener("offline", offline);
    }
  };

  const pause = (seconds: number) =>
    new Promise<void>((resume) => {
      const timer = setTimeout(resume, seconds * 1000);
      hurry = () => {
        clearTimeout(timer);
        resume();
      };
    });
  const online = () => hurry();
  window.addEventListener("online", online);

  const loop = async () => {
    to.line("connecting");
    for (let failures = 0; !stopped && !over;) {
      const before = seen;
      try {
        await follow();
      } catch (failure) {
        if (failure instanceof Refusal && failure.status >= 400 && failure.status < 500) return to.refused(failure);
      }
      if (stopped || over) break;
      failures = seen > before ? 0 : failures + 1;
      const wait = WAITS_S[Math.min(failures, WAITS_S.length - 1)];
      to.line("lost", wait);
      await pause(wait);
    }
    if (over) to.line("over");
    window.removeEventListener("online", online);
  };
  void loop();

  return {
    stop: () => {
      stopped = true;
      controller.abort();
      hurry();
    },
    retry: () => hurry(),
  };
}

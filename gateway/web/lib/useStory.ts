"use client";

import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { api, Refusal } from "./api";
import type { Run, RunEvent } from "./records";
import { EMPTY, told, type Story } from "./story";
import { watch, type Line } from "./watching";

export interface Watched {
  run?: Run;
  story: Story;
  line: Line;
  retryInS: number;
  refused?: Refusal;
  retry(): void;
  reread(): void;
}

/** A run, watched for as long as it is shown. */
export function useStory(id: string): Watched {
  const [story, tell] = useReducer((before: Story, batch: RunEvent[]) => told(before, batch), EMPTY);
  const [run, setRun] = useState<Run>();
  const [line, setLine] = useState<{ now: Line; retryInS: number }>({ now: "connecting", retryInS: 0 });
  const [refused, setRefused] = useState<Refusal>();
  const watcher = useRef<ReturnType<typeof watch>>(null);

  useEffect(() => {
    watcher.current = watch(id, {
      events: tell,
      line: (now, retryInS = 0) => setLine({ now, retryInS }),
      refused: setRefused,
    });
    return () => watcher.current?.stop();
  }, [id]);

  const reread = useCallback(() => {
    api.run(id).then(setRun, (why) => why instanceof Refusal && why.status === 404 && setRefused(why));
  }, [id]);
  useEffect(reread, [reread, story.state, line.now]);

  const retry = useCallback(() => watcher.current?.retry(), []);
  return { run, story, line: line.now, retryInS: line.retryInS, refused, retry, reread };
}

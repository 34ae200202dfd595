/** Whether the gateway has asked for a token that we don't have. */

import { useSyncExternalStore } from "react";

let locked = false;
const listeners = new Set<() => void>();

export function setLocked(now: boolean): void {
  if (now === locked) return;
  locked = now;
  listeners.forEach((tell) => tell());
}

export function useLocked(): boolean {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell);
      return () => listeners.delete(tell);
    },
    () => locked,
    () => false,
  );
}

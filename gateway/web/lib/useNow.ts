"use client";

import { useEffect, useState } from "react";

/** Seconds since the epoch, once a second while it ticks. */
export function useNow(ticks: boolean): number {
  const [now, setNow] = useState(() => Date.now() / 1000);
  useEffect(() => {
    if (!ticks) return;
    const timer = setInterval(() => setNow(Date.now() / 1000), 1000);
    return () => clearInterval(timer);
  }, [ticks]);
  return now;
}

"use client";

import { useEffect, useRef } from "react";

/** Text as a model writes it; scrolls along unless the reader has scrolled up. */
export function Streaming({ text, live, what }: { text: string; live: boolean; what: string }) {
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  useEffect(() => {
    if (live && follows.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text, live]);
  const scrolled = () => {
    const at = box.current!;
    follows.current = at.scrollHeight - at.scrollTop - at.clientHeight < 40;
  };
  return (
    <pre
      ref={box}
      className={live ? "streaming live" : "streaming"}
      tabIndex={0}
      role="region"
      aria-label={what}
      onScroll={scrolled}
    >
      {text}
    </pre>
  );
}

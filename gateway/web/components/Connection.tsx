"use client";

import type { Watched } from "../lib/useStory";

/** Says when the line to the gateway is lost, and takes it up again. */
export function Connection({ watched, first }: { watched: Watched; first?: boolean }) {
  if (watched.line !== "lost")
    return first ? (
      <p className="hint" role="status">
        Asking the gateway…
      </p>
    ) : null;
  return (
    <div className="lost" role="status">
      <p>
        <strong>The connection to the gateway is lost.</strong> The run goes on without this page; it picks up where it
        was as soon as the gateway answers.
      </p>
      <button type="button" className="plain" onClick={watched.retry}>
        Try now
      </button>
    </div>
  );
}

"use client";

import { useRef, useState } from "react";
import { api, Refusal } from "../lib/api";
import type { Run } from "../lib/records";
import type { Story } from "../lib/story";

export function Cancel({ run, story, done }: { run: Run; story: Story; done(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [asked, setAsked] = useState(false);
  const [wrong, setWrong] = useState("");
  const cancelling = asked || story.state === "CANCELLING";
  const cancel = async () => {
    dialog.current?.close();
    setAsked(true);
    try {
      await api.cancel(run.id);
    } catch (why) {
      setAsked(false);
      setWrong(why instanceof Refusal ? why.message : "The run could not be cancelled; try again.");
    }
    done();
  };
  return (
    <div className="cancel">
      <button type="button" className="plain" disabled={cancelling} onClick={() => dialog.current?.showModal()}>
        {cancelling ? "Cancelling…" : "Cancel"}
      </button>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
      <dialog ref={dialog} aria-labelledby="cancel-title">
        <h2 id="cancel-title">Cancel this run?</h2>
        <p>What is running in a box ends at once. What was written so far stays.</p>
        <div className="buttons">
          <button type="button" className="plain" onClick={() => dialog.current?.close()}>
            Keep it going
          </button>
          <button type="button" className="danger" onClick={cancel}>
            Cancel the run
          </button>
        </div>
      </dialog>
    </div>
  );
}

"use client";

import { useMemo, useState } from "react";
import { focusContent } from "../lib/address";
import { api, Refusal } from "../lib/api";
import type { EnvDesign, Finding } from "../lib/records";
import { DiffView } from "./DiffView";
import { Findings } from "./Findings";

/** The user accepts the design, or edits its JSON; the linter's answer is shown where it refuses. */
export function Review({ id, design, done }: { id: string; design: EnvDesign; done(): void }) {
  const original = useMemo(() => JSON.stringify(design, null, 2), [design]);
  const [text, setText] = useState(original);
  const [editing, setEditing] = useState(false);
  const [findings, setFindings] = useState<Finding[]>([]);
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const changed = text !== original;

  const send = async (edited?: EnvDesign) => {
    setBusy(true);
    setWrong("");
    setFindings([]);
    try {
      const said = await api.review(id, edited);
      setFindings(said.findings ?? []);
      if (said.findings?.some((each) => each.severity === "ERROR")) setBusy(false);
      else {
        focusContent();
        done();
      }
    } catch (why) {
      setBusy(false);
      setWrong(why instanceof Refusal ? why.message : "The design could not be sent; try again.");
    }
  };
  const sendEdited = () => {
    try {
      void send(JSON.parse(text));
    } catch (why) {
      setWrong(`This is not JSON: ${(why as Error).message}`);
    }
  };

  return (
    <section className="yours" aria-labelledby="review-title">
      <h2 id="review-title">Your review of the design</h2>
      <p className="question">{design.title}</p>
      <p>Nothing is coded until you agree. The whole design stands below.</p>
      {editing && (
        <div className="editor">
          <label htmlFor="design-json">The design as JSON</label>
          <textarea
            id="design-json"
            className="json"
            rows={18}
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
            aria-describedby="review-wrong"
          />
          {changed && (
            <details>
              <summary>What you changed</summary>
              <DiffView before={original} after={text} what="What you changed" />
            </details>
          )}
        </div>
      )}
      <p id="review-wrong" role="alert" className="wrong">
        {wrong || (findings.length > 0 ? "The linter does not accept this design; the run goes on waiting." : "")}
      </p>
      <Findings of={findings} />
      <div className="buttons">
        {changed && editing ? (
          <>
            <button type="button" className="primary" disabled={busy} onClick={sendEdited}>
              Use the edited design
            </button>
            <button
              type="button"
              className="plain"
              disabled={busy}
              onClick={() => {
                setText(original);
                setFindings([]);
                setWrong("");
              }}
            >
              Undo the edit
            </button>
          </>
        ) : (
          <>
            <button type="button" className="primary" disabled={busy} onClick={() => send()}>
              Accept the design
            </button>
            {!editing && (
              <button type="button" className="plain" onClick={() => setEditing(true)}>
                Edit it
              </button>
            )}
          </>
        )}
      </div>
    </section>
  );
}

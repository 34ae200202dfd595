"use client";

import { Fragment, useMemo, useState } from "react";
import { linesOf } from "../lib/colouring";
import type { Finding } from "../lib/records";
import type { Draft } from "../lib/story";
import { origin, plural } from "../lib/words";
import { DiffView } from "./DiffView";
import { Findings } from "./Findings";

/** Every draft, with what was found wrong at its lines, and what each fix changed. */
export function CodeView({ drafts }: { drafts: Draft[] }) {
  const [chosen, choose] = useState<number>();
  const [view, setView] = useState<"source" | "changes" | "twin">("source");
  const at = Math.min(chosen ?? drafts.length - 1, drafts.length - 1);
  const draft = drafts[at];
  const before = drafts[at - 1];
  const views = [
    { id: "source" as const, label: "Source", there: true },
    { id: "changes" as const, label: "What changed", there: before !== undefined },
    { id: "twin" as const, label: "Batched twin", there: draft.twin !== "" },
  ].filter((each) => each.there);
  const shown = views.some((each) => each.id === view) ? view : "source";
  const anywhere = draft.findings.filter((finding) => finding.line === undefined);
  return (
    <div className="code">
      <div className="choices">
        {drafts.length > 1 && (
          <label>
            Draft{" "}
            <select value={at} onChange={(event) => choose(Number(event.target.value))}>
              {drafts.map((each, index) => (
                <option key={each.number} value={index}>
                  {nameOf(each, index, drafts.length)}
                </option>
              ))}
            </select>
          </label>
        )}
        {views.length > 1 && (
          <div role="group" aria-label="View" className="switch">
            {views.map((each) => (
              <button key={each.id} type="button" aria-pressed={shown === each.id} onClick={() => setView(each.id)}>
                {each.label}
              </button>
            ))}
          </div>
        )}
        <p className="hint">
          {plural(draft.source.trimEnd().split("\n").length, "line")}. {origin(draft.origin)}.
        </p>
      </div>
      {shown === "source" && <Findings of={anywhere} />}
      {shown === "source" && <Source text={draft.source} findings={draft.findings} what="The environment's source" />}
      {shown === "twin" && <Source text={draft.twin} findings={[]} what="The batched twin's source" />}
      {shown === "changes" && <DiffView before={before.source} after={draft.source} />}
    </div>
  );
}

function nameOf(draft: Draft, index: number, all: number): string {
  const name = draft.fix ? `${index + 1}: fix ${draft.fix}` : `${index + 1}: first draft`;
  return index === all - 1 ? `${name} (the latest)` : name;
}

function Source({ text, findings, what }: { text: string; findings: Finding[]; what: string }) {
  const lines = useMemo(() => linesOf(text.trimEnd()), [text]);
  const at = useMemo(() => byLine(findings), [findings]);
  return (
    <div className="source" role="region" aria-label={what} tabIndex={0}>
      <table>
        <tbody>
          {lines.map((tokens, index) => {
            const found = at.get(index + 1);
            return (
              <Fragment key={index}>
                <tr className={found ? "faulty" : undefined}>
                  <td className="no">{index + 1}</td>
                  <td className="text">
                    {tokens.map((token, n) =>
                      token.kind ? (
                        <span key={n} className={token.kind}>
                          {token.text}
                        </span>
                      ) : (
                        token.text
                      ),
                    )}
                  </td>
                </tr>
                {found && (
                  <tr className="remark">
                    <td className="no" />
                    <td>
                      <Findings of={found} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function byLine(findings: Finding[]): Map<number, Finding[]> {
  const at = new Map<number, Finding[]>();
  for (const finding of findings) {
    if (finding.line !== undefined) at.set(finding.line, [...(at.get(finding.line) ?? []), finding]);
  }
  return at;
}

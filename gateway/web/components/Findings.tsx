import type { Finding } from "../lib/records";

const SAID = { ERROR: "Error", WARNING: "Warning", NOTE: "Note" };
const BLAMES = { CODE: "in the code", DESIGN: "in the design", BUDGET: "in the budget" };

export function Findings({ of }: { of: Finding[] }) {
  if (!of.length) return null;
  return (
    <ul className="findings">
      {of.map((finding, index) => (
        <li key={index} className={`finding ${finding.severity.toLowerCase()}`}>
          <p className="which">
            <strong>{SAID[finding.severity]}</strong> <code>{finding.check}</code>{" "}
            <span>
              {BLAMES[finding.blame]}
              {finding.line !== undefined && `, line ${finding.line}`}
            </span>
          </p>
          <p className="found">{finding.message}</p>
          {finding.evidence && (
            <p className="evidence">
              <span>Shown by</span> {finding.evidence}
            </p>
          )}
          {finding.remedy && (
            <p className="todo">
              <span>To do</span> {finding.remedy}
            </p>
          )}
          {finding.traceback && (
            <details>
              <summary>Traceback</summary>
              <pre tabIndex={0}>{finding.traceback}</pre>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
}

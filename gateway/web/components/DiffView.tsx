import { structuredPatch } from "diff";

/** What changed between two texts, with three lines around each change. */
export function DiffView({ before, after, what = "What changed" }: { before: string; after: string; what?: string }) {
  const { hunks } = structuredPatch("", "", before, after, undefined, undefined, { context: 3 });
  if (!hunks.length) return <p className="hint">Nothing changed.</p>;
  return (
    <div className="diff" role="region" aria-label={what} tabIndex={0}>
      <table>
        <tbody>
          {hunks.map((hunk, index) => {
            let [old, now] = [hunk.oldStart, hunk.newStart];
            const rows = hunk.lines
              .filter((line) => !line.startsWith("\\"))
              .map((line, at) => {
                const sign = line[0];
                const [left, right] = [sign === "+" ? "" : old++, sign === "-" ? "" : now++];
                return (
                  <tr key={`${index}-${at}`} className={sign === "+" ? "added" : sign === "-" ? "removed" : undefined}>
                    <td className="no">{left}</td>
                    <td className="no">{right}</td>
                    <td className="sign">{sign === "-" ? "−" : sign}</td>
                    <td className="text">{line.slice(1)}</td>
                  </tr>
                );
              });
            return index
              ? [
                  <tr key={`gap-${index}`} className="gap">
                    <td colSpan={4}>⋯</td>
                  </tr>,
                  ...rows,
                ]
              : rows;
          })}
        </tbody>
      </table>
    </div>
  );
}

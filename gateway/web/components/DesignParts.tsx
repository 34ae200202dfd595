/** The pieces that a design is set in: a section, a table, a name, a formula. */

import type { ReactNode } from "react";

export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="part">
      <h3>{title}</h3>
      <div>{children}</div>
    </section>
  );
}

export function Table({ name, heads, rows }: { name: string; heads: string[]; rows: ReactNode[][] }) {
  return (
    <div className="scroll" role="region" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Name({ of, times, note }: { of: string; times?: number; note?: string }) {
  return (
    <>
      <code className="name">{of}</code>
      {times && times > 1 ? <span className="times"> × {times}</span> : null}
      {note && <span className="tag">{note}</span>}
    </>
  );
}

export function Formula({ of, before }: { of?: string; before?: string }) {
  if (!of) return <span className="hint">no formula</span>;
  return (
    <>
      {before && <span className="times">{before} of </span>}
      <code className="formula">{of}</code>
    </>
  );
}

export function Formulas({ title, of }: { title: string; of?: { name: string; formula: string }[] }) {
  if (!of?.length) return null;
  return (
    <details>
      <summary>
        {title} <span className="times">{of.length}</span>
      </summary>
      <dl className="formulas">
        {of.map((each) => (
          <div key={each.name}>
            <dt>{each.name}</dt>
            <dd>
              <Formula of={each.formula} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

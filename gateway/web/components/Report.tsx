"use client";

import { useEffect, useState, type ReactNode } from "react";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { api, Refusal } from "../lib/api";
import type { Artifact } from "../lib/records";
import { ArtifactImage, ArtifactLink } from "./ArtifactLink";

/** report.md. Its words may be a model's: HTML in it stays text, and nothing in it is fetched from elsewhere. */
export function Report({ id, artifacts }: { id: string; artifacts: Artifact[] }) {
  const [text, setText] = useState<string>();
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    api
      .text(id, "report.md")
      .then(setText, (why) => setWrong(why instanceof Refusal ? why.message : "The report could not be read."));
  }, [id]);
  if (wrong)
    return (
      <p className="wrong" role="alert">
        {wrong}
      </p>
    );
  if (text === undefined) return <p className="hint">Reading the report…</p>;
  const names = new Set(artifacts.map((each) => each.name));
  return (
    <div className="report">
      <Markdown
        remarkPlugins={[remarkGfm]}
        components={{
          h1: ({ children }) => <h2 className="title">{children}</h2>,
          h2: ({ children }) => <h3>{children}</h3>,
          h3: ({ children }) => <h4>{children}</h4>,
          img: ({ src, alt }) =>
            typeof src === "string" && names.has(src) ? (
              <ArtifactImage id={id} name={src} alt={alt ?? ""} />
            ) : (
              <span>{alt}</span>
            ),
          a: ({ href, children }) => (
            <Anchor id={id} href={href} names={names}>
              {children}
            </Anchor>
          ),
          table: ({ children }) => (
            <div className="scroll" role="group" aria-label="Table" tabIndex={0}>
              <table>{children}</table>
            </div>
          ),
          pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
          td: ({ children, style }) => <td className={style?.textAlign === "right" ? "n" : undefined}>{children}</td>,
          th: ({ children, style }) =>
            children ? (
              <th scope="col" className={style?.textAlign === "right" ? "n" : undefined}>
                {children}
              </th>
            ) : (
              <td />
            ),
        }}
      >
        {text}
      </Markdown>
    </div>
  );
}

function Anchor({ id, href, names, children }: { id: string; href?: string; names: Set<string>; children: ReactNode }) {
  if (href && names.has(href))
    return (
      <ArtifactLink id={id} name={href}>
        {children}
      </ArtifactLink>
    );
  if (href && /^https?:\/\//.test(href))
    return (
      <a href={href} rel="noopener noreferrer nofollow">
        {children}
      </a>
    );
  return <>{children}</>;
}

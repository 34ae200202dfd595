"use client";

import { useEffect, useState, type MouseEvent, type ReactNode } from "react";
import { api, Refusal, runPath, token } from "../lib/api";

/** A download. With a token it is fetched here, since a plain link can't carry one. */
export function ArtifactLink({ id, name, children }: { id: string; name: string; children: ReactNode }) {
  const [wrong, setWrong] = useState("");
  const fetchIt = async (event: MouseEvent) => {
    if (!token()) return;
    event.preventDefault();
    try {
      const url = URL.createObjectURL(await api.blob(id, name));
      const link = Object.assign(document.createElement("a"), { href: url, download: name.split("/").pop()! });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
    } catch (why) {
      setWrong(why instanceof Refusal ? why.message : "It could not be read.");
    }
  };
  return (
    <>
      <a href={runPath(id, "artifacts", name)} download={name.split("/").pop()} onClick={fetchIt}>
        {children}
      </a>
      {wrong && (
        <span className="wrong" role="alert">
          {" "}
          {wrong}
        </span>
      )}
    </>
  );
}

export function ArtifactImage({ id, name, alt }: { id: string; name: string; alt: string }) {
  const [src, setSrc] = useState(() => (token() ? "" : runPath(id, "artifacts", name)));
  useEffect(() => {
    if (!token()) return;
    let url = "";
    api.blob(id, name).then(
      (blob) => setSrc((url = URL.createObjectURL(blob))),
      () => undefined,
    );
    return () => URL.revokeObjectURL(url);
  }, [id, name]);
  // A figure of matplotlib: dark ink on white, in both schemes.
  return src ? <img className="figure" src={src} alt={alt} loading="lazy" /> : <span className="hint">{alt}</span>;
}

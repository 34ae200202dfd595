"use client";

import { useEffect, useState } from "react";
import { api, Refusal } from "../lib/api";
import type { Artifact } from "../lib/records";
import { size } from "../lib/words";
import { ArtifactLink } from "./ArtifactLink";

const ABOUT: Record<string, string> = {
  "report.md": "the report",
  "design.json": "the typed design",
  "environment.py": "the environment; works without Gymwright",
  "policy.onnx": "the trained policy, for onnxruntime",
  "model.zip": "the trained policy, for Stable-Baselines3",
  "checkpoint.zip": "the latest state of the training",
  "ladder.json": "every policy on the test seeds",
  "ladder_episodes.json": "the same, episode by episode",
  "results.csv": "evaluations during training",
  "monitor.csv": "training episodes",
  "steps.parquet": "every reward component of every step",
  "training.json": "how it was trained",
  "manifest.json": "what it takes to do it again",
  "problem.txt": "the problem in your words",
};

export function Files({ id }: { id: string }) {
  const [files, setFiles] = useState<Artifact[]>();
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    api
      .artifacts(id)
      .then(setFiles, (why) => setWrong(why instanceof Refusal ? why.message : "The files could not be listed."));
  }, [id]);
  if (wrong)
    return (
      <p className="wrong" role="alert">
        {wrong}
      </p>
    );
  if (!files) return <p className="hint">Asking for the files…</p>;
  if (!files.length) return <p className="hint">This run left no files.</p>;
  return (
    <div className="scroll files" role="region" aria-label="Files" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">File</th>
            <th scope="col">What it is</th>
            <th scope="col" className="n">
              Size
            </th>
            <th scope="col">SHA-256</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file.name}>
              <td>
                <ArtifactLink id={id} name={file.name}>
                  {file.name}
                </ArtifactLink>
              </td>
              <td>{aboutOf(file.name)}</td>
              <td className="n">{size(file.size)}</td>
              <td>
                <code title={file.sha256}>{file.sha256.slice(0, 12)}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function aboutOf(name: string): string {
  if (name.startsWith("tensorboard/")) return "for TensorBoard";
  if (name.endsWith(".png")) return "a figure of the report";
  return ABOUT[name] ?? "";
}

"use client";

import { useEffect, useState } from "react";
import { api } from "../lib/api";
import type { Run } from "../lib/records";
import { ProblemForm } from "./ProblemForm";
import { RunList } from "./RunList";

const HOW = [
  ["Design", "What the agent sees, does, is paid for and is judged by, in formulas."],
  ["Code", "A Gymnasium environment that is to do exactly that."],
  ["Check", "In a throwaway box: every formula against what the code does. What is wrong goes back for a fix."],
  ["Train", "A policy, with Stable-Baselines3."],
  ["Report", "The policy against simple rules and chance, on seeds that nothing was chosen by."],
];

export function Home({ again }: { again: string }) {
  const [before, setBefore] = useState<Run>();
  useEffect(() => {
    document.title = "Gymwright";
    if (again) api.run(again).then(setBefore, () => undefined);
  }, [again]);
  return (
    <div className="home">
      <section className="ask">
        <h1>What should an agent learn?</h1>
        <p className="lead">
          Say it in plain English. Gymwright designs an environment, checks that it does what its design says, trains a
          policy and reports what that policy is really worth.
        </p>
        <ProblemForm key={before?.id} before={before} />
      </section>
      <section className="how" aria-labelledby="how">
        <h2 id="how">How a run goes</h2>
        <ol>
          {HOW.map(([stage, what]) => (
            <li key={stage}>
              <strong>{stage}</strong> {what}
            </li>
          ))}
        </ol>
      </section>
      <RunList />
    </div>
  );
}

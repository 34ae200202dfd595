"use client";

import { useEffect, useState } from "react";
import { api } from "../lib/api";
import type { Run } from "../lib/records";
import { ProblemForm } from "./ProblemForm";
import { RunList } from "./RunList";

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
          Say it in plain English. Gymwright designs an environment, checks that it does what its design says, trains a policy
          and reports what that policy is really worth.
        </p>
        <ProblemForm key={before?.id} before={before} />
      </section>
      <RunList />
    </div>
  );
}

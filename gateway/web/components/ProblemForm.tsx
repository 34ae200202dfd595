"use client";

import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent } from "react";
import { go } from "../lib/address";
import { api, newRunId, Refusal } from "../lib/api";
import type { Run, RunOptions } from "../lib/records";

// Worked problems: they need no model (tests/unit/test_page_records.py).
const EXAMPLES = [
  "Optimise hospital shift scheduling",
  "Heat an office cheaply, with nobody cold",
  "Buy and sell power with a battery",
];

interface Fields {
  steps: string;
  seed: string;
  seeds: string;
  trials: string;
  cost: string;
  review: boolean;
  insist: boolean;
}

export function ProblemForm({ before }: { before?: Run }) {
  const [problem, setProblem] = useState(before?.problem ?? "");
  const [fields, setFields] = useState<Fields>(() => fieldsOf(before?.options));
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const runId = useRef(""); // kept over a retry, so that asking twice starts one run
  const box = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    runId.current = "";
  }, [problem, fields]);

  const start = async (event?: FormEvent) => {
    event?.preventDefault();
    if (!problem.trim()) {
      setWrong("Say what the agent should learn.");
      box.current?.focus();
      return;
    }
    setBusy(true);
    setWrong("");
    runId.current ||= newRunId(problem);
    try {
      const run = await api.start(problem, optionsOf(fields), runId.current);
      go({ run: run.id });
    } catch (why) {
      setBusy(false);
      setWrong(why instanceof Refusal ? why.message : "The run could not be started; try again.");
    }
  };
  const hurry = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void start();
  };
  const set = (change: Partial<Fields>) => setFields((now) => ({ ...now, ...change }));

  return (
    <form onSubmit={start} noValidate>
      <label className="hidden" htmlFor="problem">
        The problem
      </label>
      <textarea
        id="problem"
        ref={box}
        className="problem"
        rows={3}
        maxLength={20_000}
        value={problem}
        onKeyDown={hurry}
        onChange={(event) => setProblem(event.target.value)}
        placeholder="Schedule nurses so that the ward is safe and affordable…"
        aria-invalid={wrong ? true : undefined}
        aria-describedby="problem-wrong"
      />
      <p id="problem-wrong" role="alert" className="wrong">
        {wrong}
      </p>
      <div className="start">
        <button className="primary" type="submit" disabled={busy}>
          {busy ? "Starting…" : "Start the run"}
        </button>
        <span className="hint keys">
          or <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      </div>
      <p className="examples">
        <span className="hint">Try</span>
        {EXAMPLES.map((text) => (
          <button
            key={text}
            type="button"
            className="link"
            onClick={() => {
              setProblem(text);
              box.current?.focus();
            }}
          >
            {text}
          </button>
        ))}
      </p>
      <details className="options" open={before !== undefined || undefined}>
        <summary>Options</summary>
        <div className="fields">
          <Number
            id="steps"
            label="Training steps"
            hint="as the design advises"
            value={fields.steps}
            min={1}
            onChange={(steps) => set({ steps })}
          />
          <Number id="seed" label="Seed" hint="0" value={fields.seed} min={0} onChange={(seed) => set({ seed })} />
          <Number
            id="seeds"
            label="Policies to train"
            hint="1"
            value={fields.seeds}
            min={1}
            max={20}
            onChange={(seeds) => set({ seeds })}
          />
          <Number
            id="trials"
            label="Tuning trials"
            hint="none"
            value={fields.trials}
            min={0}
            max={200}
            onChange={(trials) => set({ trials })}
          />
          <Number
            id="cost"
            label="Most for models, US$"
            hint="no limit of yours"
            value={fields.cost}
            min={0}
            step="any"
            onChange={(cost) => set({ cost })}
          />
        </div>
        <Check
          label="Show me the design before any code is written"
          on={fields.review}
          onChange={(review) => set({ review })}
        />
        <Check
          label="Go on even where another tool would serve better"
          on={fields.insist}
          onChange={(insist) => set({ insist })}
        />
      </details>
    </form>
  );
}

function Number(of: {
  id: string;
  label: string;
  hint: string;
  value: string;
  min: number;
  max?: number;
  step?: string;
  onChange(text: string): void;
}) {
  return (
    <div className="field">
      <label htmlFor={of.id}>{of.label}</label>
      <input
        id={of.id}
        type="number"
        inputMode="decimal"
        min={of.min}
        max={of.max}
        step={of.step ?? 1}
        placeholder={of.hint}
        value={of.value}
        onChange={(event) => of.onChange(event.target.value)}
      />
    </div>
  );
}

function Check({ label, on, onChange }: { label: string; on: boolean; onChange(on: boolean): void }) {
  return (
    <label className="check">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

function fieldsOf(options: RunOptions = {}): Fields {
  const text = (value?: number) => (value ? String(value) : "");
  return {
    steps: text(options.total_timesteps),
    seed: text(options.seed),
    seeds: text(options.seeds),
    trials: text(options.tuning_trials),
    cost: text(options.max_cost_usd),
    review: options.review ?? false,
    insist: options.insist ?? false,
  };
}

/** Only what was set: the gateway's own defaults hold for the rest. */
function optionsOf(fields: Fields): RunOptions {
  const value = (text: string) => (text.trim() === "" ? undefined : globalThis.Number(text));
  return {
    total_timesteps: value(fields.steps),
    seed: value(fields.seed),
    seeds: value(fields.seeds),
    tuning_trials: value(fields.trials),
    max_cost_usd: value(fields.cost),
    review: fields.review || undefined,
    insist: fields.insist || undefined,
  };
}

"use client";

import { useState, type FormEvent } from "react";
import { focusContent } from "../lib/address";
import { api, Refusal } from "../lib/api";

export function Question({ id, question, done }: { id: string; question: string; done(): void }) {
  const [answer, setAnswer] = useState("");
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!answer.trim()) return setWrong("An empty answer does not help the designer.");
    setBusy(true);
    try {
      await api.answer(id, answer);
      setWrong("");
      focusContent();
      done();
    } catch (why) {
      setBusy(false);
      setWrong(why instanceof Refusal ? why.message : "The answer could not be sent; try again.");
    }
  };
  return (
    <form className="yours" onSubmit={send} noValidate aria-labelledby="question-title">
      <h2 id="question-title">The designer asks</h2>
      <p className="question">{question}</p>
      <label htmlFor="answer">Your answer</label>
      <textarea
        id="answer"
        rows={3}
        maxLength={20_000}
        value={answer}
        onChange={(event) => setAnswer(event.target.value)}
        aria-describedby="answer-wrong"
      />
      <p id="answer-wrong" role="alert" className="wrong">
        {wrong}
      </p>
      <div className="buttons">
        <button className="primary" type="submit" disabled={busy}>
          {busy ? "Sending…" : "Answer"}
        </button>
      </div>
    </form>
  );
}

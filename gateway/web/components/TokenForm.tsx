"use client";

import { useState, type FormEvent } from "react";
import { api, keepToken, Refusal, token } from "../lib/api";
import { setLocked } from "../lib/door";

/** Asked once a tab; a wrong one is said, and asked again. */
export function TokenForm() {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(() =>
    token() ? "The gateway does not know the token that this tab has kept." : "",
  );
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    keepToken(text.trim());
    try {
      await api.runs(1);
      setLocked(false);
    } catch (why) {
      setWrong(
        why instanceof Refusal && why.status === 401
          ? "That is not this gateway's token."
          : String((why as Error).message),
      );
    }
  };
  return (
    <form className="narrow stack" onSubmit={enter}>
      <h1>This gateway wants a token</h1>
      <p className="lead">
        It is in the file that <code>GYMWRIGHT_TOKEN_FILE</code> names. This tab keeps it until it is closed.
      </p>
      <label htmlFor="token">Token</label>
      <input
        id="token"
        type="password"
        autoComplete="off"
        required
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-describedby="token-wrong"
      />
      <p id="token-wrong" role="alert" className="wrong">
        {wrong}
      </p>
      <div>
        <button className="primary" type="submit">
          Enter
        </button>
      </div>
    </form>
  );
}

"use client";

import { useAddress } from "../lib/address";
import { useLocked } from "../lib/door";
import { Home } from "./Home";
import { Header } from "./Header";
import { RunPage } from "./RunPage";
import { TokenForm } from "./TokenForm";

export function App() {
  const { run, again } = useAddress();
  const locked = useLocked();
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Header home={!run} />
      <main id="main" tabIndex={-1}>
        {locked ? <TokenForm /> : run ? <RunPage key={run} id={run} /> : <Home again={again} />}
      </main>
      <footer className="foot">
        <p>
          Everything here stays between this page and your gateway. <a href="/openapi.json">API</a>
        </p>
      </footer>
    </>
  );
}

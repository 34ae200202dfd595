import { Suspense } from "react";
import { App } from "../components/App";

/** One page; the address says what it shows: /?run=ID&tab=NAME. */
export default function Page() {
  return (
    <Suspense>
      <App />
    </Suspense>
  );
}

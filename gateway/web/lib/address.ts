"use client";

import { useSearchParams } from "next/navigation";

export interface Address {
  run: string;
  tab: string;
  again: string;
}

/** What the address asks for: /?run=ID&tab=NAME, or /?again=ID for the form filled in from a run. */
export function useAddress(): Address {
  const asked = useSearchParams();
  return { run: asked.get("run") ?? "", tab: asked.get("tab") ?? "", again: asked.get("again") ?? "" };
}

export function hrefOf(to: Partial<Address>): string {
  const query = new URLSearchParams(Object.entries(to).filter(([, value]) => value) as [string, string][]).toString();
  return query ? `/?${query}` : "/";
}

/** To another view: as a new page would, it begins at the top. Next keeps useSearchParams in step with the history. */
export function go(to: Partial<Address>): void {
  window.history.pushState(null, "", hrefOf(to));
  window.scrollTo(0, 0);
  focusContent();
}

/** Another part of the same view. */
export function turn(to: Partial<Address>): void {
  window.history.replaceState(null, "", hrefOf(to));
}

/** What had the focus is gone: whoever goes by keyboard or listens goes on in the content. */
export function focusContent(): void {
  document.getElementById("main")?.focus({ preventScroll: true });
}

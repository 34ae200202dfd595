"use client";

import { useSearchParams } from "next/navigation";

export interface Address { run: string; tab: string; again: string }

/** What the address asks for: /?run=ID&tab=NAME, or /?again=ID for the form filled in from a run. */
export function useAddress(): Address {
  const asked = useSearchParams();
  return { run: asked.get("run") ?? "", tab: asked.get("tab") ?? "", again: asked.get("again") ?? "" };
}

export function hrefOf(to: Partial<Address>): string {
  const query = new URLSearchParams(Object.entries(to).filter(([, value]) => value) as [string, string][]).toString();
  return query ? `/?${query}` : "/";
}

/** Next keeps useSearchParams in step with the browser's own history. */
export function go(to: Partial<Address>, how: "push" | "replace" = "push"): void {
  if (how === "push") window.history.pushState(null, "", hrefOf(to));
  else window.history.replaceState(null, "", hrefOf(to));
}

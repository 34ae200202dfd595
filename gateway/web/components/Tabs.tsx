"use client";

import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";

export interface Tab {
  id: string;
  label: string;
  body: ReactNode;
}

/** Tabs as the ARIA practices have them: one stop for Tab, arrows between, Home and End. */
export function Tabs({ tabs, shown, onShow }: { tabs: Tab[]; shown: string; onShow(id: string): void }) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone the tabs are wider than the screen: keep the shown one in sight, without moving the page.
    const at = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (at && list.current) list.current.scrollLeft = at.offsetLeft - list.current.clientWidth / 2 + at.clientWidth / 2;
  }, [shown]);
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    onShow(next.id);
    list.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div className="tabs">
      <div role="tablist" aria-label="What there is of this run" ref={list} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            id={`tab-${tab.id}`}
            role="tab"
            type="button"
            aria-selected={tab.id === shown}
            aria-controls="panel"
            tabIndex={tab.id === shown ? 0 : -1}
            onClick={() => onShow(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" aria-labelledby={`tab-${shown}`} tabIndex={0} className="panel">
        {tabs.find((tab) => tab.id === shown)?.body}
      </div>
    </div>
  );
}

"use client";

import type { MouseEvent, ReactNode } from "react";
import { go, hrefOf, type Address } from "../lib/address";

/** A link inside the page: a real one for the middle button and the address bar, without a reload for the left one. */
export function Link({
  to,
  className,
  children,
  current,
}: {
  to: Partial<Address>;
  className?: string;
  children: ReactNode;
  current?: boolean;
}) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={hrefOf(to)} onClick={follow} className={className} aria-current={current ? "page" : undefined}>
      {children}
    </a>
  );
}

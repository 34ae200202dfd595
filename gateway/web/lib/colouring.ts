/** Colouring: source as lines of tokens, so that React writes the text and nothing is ever markup. */

import python from "highlight.js/lib/languages/python";
import { createLowlight } from "lowlight";

const lowlight = createLowlight({ python });
const MOST = 400_000; // characters; more is shown plain

export interface Token {
  text: string;
  kind: string;
}

interface Node {
  type: string;
  value?: string;
  children?: Node[];
  properties?: { className?: unknown };
}

export function linesOf(source: string): Token[][] {
  if (source.length > MOST) return source.split("\n").map((text) => [{ text, kind: "" }]);
  const lines: Token[][] = [[]];
  const walk = (node: Node, kind: string) => {
    if (node.type === "text") {
      node.value!.split("\n").forEach((text, index) => {
        if (index) lines.push([]);
        if (text) lines[lines.length - 1].push({ text, kind });
      });
    }
    const own = Array.isArray(node.properties?.className) ? node.properties.className.join(" ") : kind;
    node.children?.forEach((child) => walk(child, own));
  };
  walk(lowlight.highlight("python", source) as Node, "");
  return lines;
}

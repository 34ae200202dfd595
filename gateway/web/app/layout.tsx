import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import "@fontsource-variable/ibm-plex-sans/wght.css";
import "@fontsource/ibm-plex-mono/latin-400.css";
import "@fontsource/ibm-plex-mono/latin-600.css";
import "@fontsource/ibm-plex-serif/latin-400.css";
import "@fontsource/ibm-plex-serif/latin-ext-400.css";
import "uplot/dist/uPlot.min.css";
import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/shell.css";
import "../styles/home.css";
import "../styles/run.css";
import "../styles/yours.css";
import "../styles/tabs.css";
import "../styles/logbook.css";
import "../styles/design.css";
import "../styles/code.css";
import "../styles/charts.css";
import "../styles/report.css";

export const metadata: Metadata = {
  title: "Gymwright",
  description: "From a problem in plain English to a checked environment, a trained policy and a report with evidence.",
  robots: "noindex",
  referrer: "no-referrer",
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbfbfa" },
    { media: "(prefers-color-scheme: dark)", color: "#131518" },
  ],
};

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>
        <noscript>
          This page needs JavaScript. The same runs are there without it: `gymwright run`, or the HTTP routes.
        </noscript>
        {children}
      </body>
    </html>
  );
}

"use client";

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { number } from "../lib/words";

export interface Series {
  label: string;
  colour: string;
  values: (number | null)[];
  dashed?: boolean;
  dots?: boolean;
}
export interface ChartProps {
  title: string;
  unit?: string;
  x: number[];
  series: Series[];
  height?: number;
  note?: string;
  most?: number;
}

/** Curves against training steps. colour: a custom property of tokens.css. The numbers stand beside the names. */
export function Chart({ title, unit, x, series, height = 190, note, most }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const data = [x, ...series.map((each) => each.values)] as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  const shape = series.map((each) => [each.label, each.colour, each.dashed, each.dots].join()).join(";");

  useEffect(() => {
    const at = place.current!;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsOf(series, at, height, most), latest.current, at);
    };
    draw();
    const sized = new ResizeObserver(() => plot.current?.setSize({ width: at.clientWidth, height }));
    sized.observe(at);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => {
      sized.disconnect();
      scheme.removeEventListener("change", draw);
      plot.current?.destroy();
      plot.current = null;
    };
    // The data goes in below, without drawing anew.
  }, [shape, height, most]); // eslint-disable-line react-hooks/exhaustive-deps

  useEffect(() => plot.current?.setData(latest.current), [x.length, series.map((each) => each.values.at(-1)).join()]); // eslint-disable-line react-hooks/exhaustive-deps

  return (
    <figure className="chart">
      <figcaption>
        <span className="title">{title}</span>
        {unit && unit !== "1" && <span className="unit">{unit}</span>}
        {series.length === 1 && <b className="figures">{number(lastOf(series[0].values))}</b>}
      </figcaption>
      <div ref={place} className="plot" role="img" aria-label={saidOf(title, x, series)} />
      {series.length > 1 && (
        <ul className="legend">
          {series.map((each) => (
            <li key={each.label}>
              <i
                className={each.dashed ? "dashed" : undefined}
                style={{ color: `var(${each.colour})` }}
                aria-hidden="true"
              />
              {each.label}
              <b className="figures">{number(lastOf(each.values))}</b>
            </li>
          ))}
        </ul>
      )}
      {note && <p className="hint">{note}</p>}
    </figure>
  );
}

function lastOf(values: (number | null)[]): number {
  return values.findLast((value) => value !== null) ?? NaN;
}

function saidOf(title: string, x: number[], series: Series[]): string {
  const parts = series.map((each) => {
    const values = each.values.filter((value): value is number => value !== null);
    if (!values.length) return `${each.label}: nothing yet`;
    return each.dashed
      ? `${each.label}: ${number(values[0])}`
      : `${each.label}: from ${number(values[0])} to ${number(values[values.length - 1])}`;
  });
  return `${title} over ${number(x[x.length - 1] ?? 0)} training steps. ${parts.join("; ")}.`;
}

function optionsOf(series: Series[], at: HTMLElement, height: number, most?: number): uPlot.Options {
  const style = getComputedStyle(at);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const axis: uPlot.Axis = {
    stroke: colour("--ink-3"),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    gap: 6,
  };
  return {
    width: at.clientWidth || 300,
    height,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, range: (_, low, high) => [Math.min(0, low), Math.max(most ?? 0, high)] } },
    axes: [
      { ...axis, grid: { show: false }, space: 70, size: 26, values: (_, ticks) => ticks.map(short) },
      { ...axis, space: 36, size: 52, values: (_, ticks) => ticks.map(short) },
    ],
    series: [
      {},
      ...series.map((each): uPlot.Series => ({
        stroke: colour(each.colour),
        width: each.dashed ? 1.25 : 1.75,
        dash: each.dashed ? [4, 4] : undefined,
        points: { show: each.dots ?? false, size: 5, fill: colour(each.colour) },
        spanGaps: true,
      })),
    ],
  };
}

/** 120k, 1.5M; small numbers as they are. */
function short(value: number): string {
  const size = Math.abs(value);
  const text =
    size >= 1e6
      ? `${Number((size / 1e6).toPrecision(3))}M`
      : size >= 1e4
        ? `${Number((size / 1e3).toPrecision(3))}k`
        : number(size);
  return value < 0 ? `−${text}` : text;
}

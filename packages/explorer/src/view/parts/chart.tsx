/** Charts, drawn by uPlot; loaded when the first one is. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { CandidateView, HistogramView } from "../../protocol.js";

const HEIGHT = 260;

interface Look {
  readonly ink: string;
  readonly line: string;
  readonly fill: string;
  readonly second: string;
}

function look(): Look {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: colour("quiet"),
    line: colour("line"),
    fill: colour("kind-data"),
    second: colour("kind-posidx"),
  };
}

function bars(size: number): uPlot.Series.PathBuilder | undefined {
  return uPlot.paths.bars?.({ size: [size, 120], align: 1 });
}

/** A drawing that follows the width of its place. */
function usePlot(build: (width: number) => uPlot | undefined, keys: readonly unknown[]) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    const plot = build(element.clientWidth || 600);
    if (plot === undefined) {
      return;
    }
    element.append(plot.root);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, keys);
  return place;
}

export interface HistogramProps {
  readonly histogram: HistogramView;
  readonly theme: string;
}

export function Histogram({ histogram, theme }: HistogramProps) {
  const { bounds, counts, axis, title } = histogram;
  const place = usePlot(
    (width) => {
      const { ink, line, fill } = look();
      const grid = { stroke: line, width: 1 };
      const text = (value: number): string => boundText(value, axis);
      return new uPlot(
        {
          width,
          height: HEIGHT,
          legend: { live: true },
          cursor: { points: { show: false } },
          scales: { x: { time: false }, y: { range: (_plot, _min, max) => [0, max * 1.05 || 1] } },
          axes: [
            { stroke: ink, grid, values: (_plot, splits) => splits.map(text), space: 90 },
            {
              stroke: ink,
              grid,
              size: 80,
              values: (_plot, splits) => splits.map((value) => value.toLocaleString("en-US")),
            },
          ],
          series: [
            { label: "from", value: (_plot, value) => (value == null ? "–" : text(value)) },
            {
              label: "rows",
              stroke: fill,
              fill,
              width: 0,
              points: { show: false },
              ...paths(bars(0.92)),
              value: (_plot, value) => (value == null ? "–" : value.toLocaleString("en-US")),
            },
          ],
        },
        [bounds as number[], counts as number[]],
      );
    },
    [histogram, theme],
  );
  const peak = counts.indexOf(Math.max(...counts));
  const told = `${title}: ${bounds.length} bins from ${boundText(bounds[0] ?? 0, axis)}; most rows, ${counts[peak]}, from ${boundText(bounds[peak] ?? 0, axis)} on.`;
  return <div ref={place} class="chart" role="img" aria-label={told} />;
}

function paths(builder: uPlot.Series.PathBuilder | undefined): { paths?: uPlot.Series.PathBuilder } {
  return builder === undefined ? {} : { paths: builder };
}

function boundText(value: number, axis: HistogramView["axis"]): string {
  const milliseconds = axis === "date" ? value * 86_400_000 : value / 1000;
  if (axis !== "number" && Math.abs(milliseconds) < 8.64e15) {
    return new Date(milliseconds).toISOString().slice(0, axis === "date" ? 10 : 16);
  }
  return Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3)
    ? value.toExponential(2)
    : Number(value.toPrecision(6)).toLocaleString("en-US");
}

export interface CandidatesProps {
  readonly candidates: readonly CandidateView[];
  readonly theme: string;
}

export function CandidatesChart({ candidates, theme }: CandidatesProps) {
  const place = usePlot(
    (width) => {
      const { ink, line, fill } = look();
      const at = candidates.map((_, i) => i);
      const name = (i: number): string => {
        const one = candidates[i];
        return one === undefined ? "" : `${shortName(one.encoding)}\n${shortName(one.compression)}`;
      };
      return new uPlot(
        {
          width,
          height: HEIGHT,
          legend: { live: true },
          cursor: { points: { show: false } },
          scales: {
            x: { time: false, range: [-0.2, candidates.length] },
            y: { range: (_plot, _min, max) => [0, max * 1.05 || 1] },
          },
          axes: [
            {
              stroke: ink,
              grid: { show: false },
              size: 56,
              splits: () => at.map((i) => i + 0.5),
              values: (_plot, splits) => splits.map((value) => name(Math.floor(value))),
            },
            { stroke: ink, grid: { stroke: line, width: 1 }, size: 70, label: "bytes a row", labelSize: 18 },
          ],
          series: [
            {
              label: "form",
              value: (_plot, value) => (value == null ? "–" : name(value).replace("\n", ", ")),
            },
            {
              label: "bytes a row",
              stroke: fill,
              fill,
              width: 0,
              points: { show: false },
              ...paths(bars(0.8)),
              value: (_plot, value) => (value == null ? "–" : value.toFixed(2)),
            },
          ],
        },
        [at, candidates.map(({ bytesPerRow }) => bytesPerRow)],
      );
    },
    [candidates, theme],
  );
  return (
    <div
      ref={place}
      class="chart"
      role="img"
      aria-label="Bytes a row of each form; the table below has the numbers."
    />
  );
}

function shortName(name: string): string {
  return name
    .replace("_ENCODING", "")
    .replace("NO_COMPRESSION", "none")
    .replace("BIT_SHUFFLE", "BITSHUFFLE")
    .toLowerCase();
}

/** Bar charts, drawn by uPlot; lazily loaded. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { CandidateView, HistogramView } from "../../protocol.js";
import { count } from "./basics.js";

const HEIGHT = 260;

interface Bars {
  readonly label: string;
  readonly x: uPlot.Axis;
  readonly y: uPlot.Axis;
  /** Range of the x axis; default: that of the data. */
  readonly range?: uPlot.Range.MinMax;
  /** Width of a bar, as a fraction of the distance between two. */
  readonly width: number;
  /** Labels and texts of the legend: for the x values, then for the bars. */
  readonly legend: readonly [Legend, Legend];
  readonly data: readonly [readonly number[], readonly number[]];
  /** Redraws when one of them changes. */
  readonly keys: readonly unknown[];
}

type Legend = readonly [label: string, text: (value: number) => string];

/** A chart as wide as its parent. */
function BarChart({ label, x, y, range, width, legend, data, keys }: Bars) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = container.current;
    if (element === null) {
      return;
    }
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const axis = { stroke: color("quiet"), grid: { stroke: color("line"), width: 1 } };
    const fill = color("kind-data");
    const [xs, bars] = legend.map(([name, text]) => ({
      label: name,
      value: (_plot: uPlot, value: number | null) => (value == null ? "–" : text(value)),
    }));
    const paths = uPlot.paths.bars?.({ size: [width, 120], align: 1 });
    const plot = new uPlot(
      {
        width: element.clientWidth || 600,
        height: HEIGHT,
        legend: { live: true },
        cursor: { points: { show: false } },
        scales: {
          x: { time: false, ...(range && { range }) },
          y: { range: (_plot, _min, max) => [0, max * 1.05 || 1] },
        },
        axes: [
          { ...axis, ...x },
          { ...axis, ...y },
        ],
        series: [
          { ...xs },
          { ...bars, stroke: fill, fill, width: 0, points: { show: false }, ...(paths && { paths }) },
        ],
      },
      [[...data[0]], [...data[1]]],
    );
    element.append(plot.root);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, keys);
  return <div ref={container} class="chart" role="img" aria-label={label} />;
}

type Themed<T> = T & { readonly theme: string };

export function Histogram({ histogram, theme }: Themed<{ readonly histogram: HistogramView }>) {
  const { bounds, counts, axis, title } = histogram;
  const text = (value: number): string => boundText(value, axis);
  const peak = counts.indexOf(Math.max(...counts));
  const highest = `most rows, ${counts[peak]}, from ${text(bounds[peak] ?? 0)}`;
  return (
    <BarChart
      label={`${title}: ${bounds.length} bins from ${text(bounds[0] ?? 0)}; ${highest}.`}
      x={{ values: (_plot, splits) => splits.map(text), space: 90 }}
      y={{ values: (_plot, splits) => splits.map(count), size: 80 }}
      width={0.92}
      legend={[
        ["from", text],
        ["rows", count],
      ]}
      data={[bounds, counts]}
      keys={[histogram, theme]}
    />
  );
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

export function CandidatesChart({
  candidates,
  theme,
}: Themed<{ readonly candidates: readonly CandidateView[] }>) {
  const at = candidates.map((_, i) => i);
  const name = (i: number): string => {
    const { encoding = "", compression = "" } = candidates[Math.floor(i)] ?? {};
    return `${shortName(encoding)}\n${shortName(compression)}`;
  };
  return (
    <BarChart
      label="Bytes per row for each encoding and codec; the table below has the numbers."
      x={{
        grid: { show: false },
        size: 56,
        splits: () => at.map((i) => i + 0.5),
        values: (_plot, splits) => splits.map(name),
      }}
      y={{ size: 70, label: "bytes per row", labelSize: 18 }}
      range={[-0.2, candidates.length]}
      width={0.8}
      legend={[
        ["encoding, codec", (value) => name(value).replace("\n", ", ")],
        ["bytes per row", (value) => value.toFixed(2)],
      ]}
      data={[at, candidates.map(({ bytesPerRow }) => bytesPerRow)]}
      keys={[candidates, theme]}
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

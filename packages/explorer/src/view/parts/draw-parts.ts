/** Draws the parts of a file as rectangles to scale; narrow neighbors of one kind are joined. */
import type { Health, PartKind, PartView } from "../../protocol.js";

export const PART_KINDS: readonly (readonly [PartKind, string])[] = [
  ["header", "header"],
  ["data", "data"],
  ["posidx", "positional index"],
  ["validx", "value index"],
  ["index", "index"],
  ["dictionary", "dictionary"],
  ["bloom", "Bloom filter"],
  ["delta", "changes"],
  ["metadata", "metadata"],
  ["footer", "footer"],
  ["unknown", "unexplained"],
  ["lost", "lost"],
];

export interface Palette {
  readonly kinds: Readonly<Record<PartKind, string>>;
  readonly health: Readonly<Record<Health, string>>;
  readonly ink: string;
  readonly faint: string;
  readonly paper: string;
}

/** The colors of the style sheet. */
export function colors(element: Element): Palette {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    kinds: Object.fromEntries(PART_KINDS.map(([kind]) => [kind, color(`kind-${kind}`)])) as Record<
      PartKind,
      string
    >,
    health: { unchecked: color("faint"), valid: color("valid"), damaged: color("damaged") },
    ink: color("ink"),
    faint: color("line"),
    paper: color("paper"),
  };
}

interface Area {
  readonly top: number;
  readonly height: number;
  readonly width: number;
}

export interface Marks {
  readonly selected: number | undefined;
  readonly hovered: number | undefined;
  readonly touched: readonly number[];
}

/** A range of the file, in bytes. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What to draw, and where. */
export interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly parts: readonly PartView[];
  readonly palette: Palette;
}

export function drawParts({ context, parts, palette }: Drawing, span: Span, area: Area, marks?: Marks): void {
  const { top, height } = area;
  for (const { key, left, right, count } of runsOf(parts, span, area.width, "kind")) {
    context.fillStyle = palette.kinds[key];
    const gap = count === 1 && right - left > 4 ? 1 : 0;
    context.fillRect(left, top, Math.max(0.75, right - left - gap), height);
  }
  const scale = area.width / (span.to - span.from);
  const outline = (index: number, color: string, width: number): void => {
    const part = parts[index];
    if (part !== undefined && part.offset + part.size >= span.from && part.offset <= span.to) {
      const left = Math.max(0, (part.offset - span.from) * scale);
      const right = Math.min(area.width, (part.offset + part.size - span.from) * scale);
      context.strokeStyle = color;
      context.lineWidth = width;
      const inner = Math.max(2, right - left - width);
      context.strokeRect(left + width / 2, top + width / 2, inner, height - width);
    }
  };
  for (const index of marks?.touched ?? []) {
    outline(index, palette.paper, 6);
    outline(index, palette.ink, 2);
  }
  if (marks?.hovered !== undefined) {
    outline(marks.hovered, palette.ink, 1.5);
  }
  if (marks?.selected !== undefined) {
    outline(marks.selected, palette.paper, 5);
    outline(marks.selected, palette.ink, 3);
  }
}

/** Draws a line below the parts. Damage is visible even if it is narrower than a pixel. */
export function drawHealth({ context, parts, palette }: Drawing, span: Span, area: Area): void {
  const runs = runsOf(parts, span, area.width, "health");
  for (const health of ["unchecked", "valid", "damaged"] as const) {
    context.fillStyle = palette.health[health];
    for (const { key, left, right } of runs) {
      if (key === health) {
        const width = Math.max(health === "damaged" ? 3 : 0.75, right - left);
        context.fillRect(left, area.top, width, area.height);
      }
    }
  }
}

interface Run<K> {
  readonly key: K;
  left: number;
  right: number;
  /** Number of parts. */
  count: number;
}

/** The parts in view, with narrow neighbors of one kind or health joined. */
function runsOf<N extends "kind" | "health">(
  parts: readonly PartView[],
  { from, to }: Span,
  width: number,
  name: N,
): Run<PartView[N]>[] {
  const scale = width / (to - from);
  const runs: Run<PartView[N]>[] = [];
  for (const { offset, size, [name]: key } of parts) {
    const left = (offset - from) * scale;
    const right = left + size * scale;
    const last = runs.at(-1);
    if (right < 0 || left > width) {
      continue;
    }
    if (last !== undefined && last.key === key && right - left < 3 && last.right >= left - 0.5) {
      last.right = right;
      last.count++;
    } else {
      runs.push({ key, left, right, count: 1 });
    }
  }
  return runs.map((run) => ({ ...run, left: Math.max(0, run.left), right: Math.min(width, run.right) }));
}

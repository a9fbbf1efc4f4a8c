/** Parts of a file as rectangles to scale; where several share a pixel, the kind with most bytes in it shows. */
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

/** The colours of the style sheet. */
export function colours(element: Element): Palette {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    kinds: Object.fromEntries(PART_KINDS.map(([kind]) => [kind, colour(`kind-${kind}`)])) as Record<
      PartKind,
      string
    >,
    health: { unchecked: colour("faint"), sound: colour("sound"), damaged: colour("damaged") },
    ink: colour("ink"),
    faint: colour("line"),
    paper: colour("paper"),
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

/** Part of the file, in bytes. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is drawn, and where. */
export interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly parts: readonly PartView[];
  readonly palette: Palette;
}

export function drawParts({ context, parts, palette }: Drawing, span: Span, area: Area, marks?: Marks): void {
  const { top, height } = area;
  eachRun(
    parts,
    span,
    area.width,
    (part) => part.kind,
    (kind, left, right, isAlone) => {
      context.fillStyle = palette.kinds[kind];
      const gap = isAlone && right - left > 4 ? 1 : 0;
      context.fillRect(left, top, Math.max(0.75, right - left - gap), height);
    },
  );
  const scale = area.width / (span.to - span.from);
  const outline = (index: number, colour: string, width: number): void => {
    const part = parts[index];
    if (part !== undefined && part.offset + part.size >= span.from && part.offset <= span.to) {
      const left = Math.max(0, (part.offset - span.from) * scale);
      const right = Math.min(area.width, (part.offset + part.size - span.from) * scale);
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.strokeRect(
        left + width / 2,
        top + width / 2,
        Math.max(2, right - left - width),
        height - width,
      );
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

/** A line below the parts: damage shows even when it is narrower than a pixel. */
export function drawHealth({ context, parts, palette }: Drawing, span: Span, area: Area): void {
  const order: readonly Health[] = ["unchecked", "sound", "damaged"];
  for (const health of order) {
    eachRun(
      parts,
      span,
      area.width,
      (part) => part.health,
      (found, left, right) => {
        if (found === health) {
          context.fillStyle = palette.health[health];
          const width = Math.max(health === "damaged" ? 3 : 0.75, right - left);
          context.fillRect(left, area.top, width, area.height);
        }
      },
    );
  }
}

/** Neighbours that look the same and are narrower than a pixel come as one. */
function eachRun<K>(
  parts: readonly PartView[],
  { from, to }: Span,
  width: number,
  keyOf: (part: PartView) => K,
  draw: (key: K, left: number, right: number, isAlone: boolean) => void,
): void {
  const scale = width / (to - from);
  let run: { key: K; left: number; right: number; count: number } | undefined;
  const end = (): void => {
    if (run !== undefined) {
      draw(run.key, Math.max(0, run.left), Math.min(width, run.right), run.count === 1);
    }
  };
  for (const part of parts) {
    const left = (part.offset - from) * scale;
    const right = (part.offset + part.size - from) * scale;
    if (right < 0 || left > width) {
      continue;
    }
    const key = keyOf(part);
    if (run !== undefined && run.key === key && right - left < 3 && run.right >= left - 0.5) {
      run.right = right;
      run.count++;
    } else {
      end();
      run = { key, left, right, count: 1 };
    }
  }
  end();
}

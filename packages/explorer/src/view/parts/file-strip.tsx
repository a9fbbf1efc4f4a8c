/** The map as a drawing that can be zoomed and moved, with every block to scale. */
import type { RefObject } from "preact";
import { type Dispatch, type StateUpdater, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { MapView, PartView } from "../../protocol.js";
import { Button, count } from "./basics.js";
import { colors, type Span } from "./draw-parts.js";
import { DETAIL_TOP, drawStrip, STRIP_HEIGHT } from "./draw-strip.js";
import { useSize } from "./virtual-list.js";

interface FileStripProps {
  readonly map: MapView;
  readonly parts: readonly PartView[];
  readonly selected: number | undefined;
  readonly touched: readonly number[];
  readonly onSelect: (part: number) => void;
  readonly theme: string;
}

export function FileStrip(props: FileStripProps) {
  const { map, parts, selected, onSelect } = props;
  const { fileSize } = map;
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const [hovered, setHovered] = useState<number>();
  const [span, setSpan] = useSpan(fileSize, selected === undefined ? undefined : parts[selected]);
  const zoom = (factor: number): void =>
    setSpan((old) => zoomed(old, factor, (old.from + old.to) / 2, fileSize));
  const showAll = (): void => setSpan({ from: 0, to: fileSize });
  const step = (by: number): void =>
    onSelect(Math.max(0, Math.min(parts.length - 1, (selected ?? (by > 0 ? -1 : parts.length)) + by)));
  return (
    <div class="strip">
      <div
        ref={box}
        class="strip-canvas"
        role="application"
        aria-label={`Map of the file, ${parts.length} blocks. Left and right select a block, plus and minus zoom.`}
        tabIndex={0}
        onKeyDown={(event) => {
          const action = {
            ArrowRight: () => step(1),
            ArrowLeft: () => step(-1),
            Home: () => onSelect(0),
            End: () => onSelect(parts.length - 1),
            "+": () => zoom(0.5),
            "=": () => zoom(0.5),
            "-": () => zoom(2),
            "0": showAll,
          }[event.key];
          if (action !== undefined) {
            event.preventDefault();
            action();
          }
        }}
      >
        <StripCanvas {...props} {...{ width, span, setSpan, hovered, setHovered }} />
      </div>
      <div class="strip-tools">
        <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(2)} aria-label="Zoom out">
          −
        </button>
        <Button onClick={showAll}>Whole file</Button>
        <span class="strip-told">{describe(hovered === undefined ? undefined : parts[hovered], span)}</span>
      </div>
    </div>
  );
}

type SetSpan = Dispatch<StateUpdater<Span>>;

/** The enlarged range. It moves to a selected part. */
function useSpan(fileSize: number, selected: PartView | undefined): [Span, SetSpan] {
  const [span, setSpan] = useState<Span>({ from: 0, to: Math.max(1, fileSize) });
  useEffect(() => setSpan({ from: 0, to: Math.max(1, fileSize) }), [fileSize]);
  useEffect(() => {
    if (selected !== undefined) {
      const { offset, size } = selected;
      const half = (span.to - span.from) / 2;
      if (offset + size < span.from || offset > span.to) {
        setSpan(clamped({ from: offset - half, to: offset + half }, fileSize));
      }
    }
  }, [selected?.index]);
  return [span, setSpan];
}

interface StripCanvasProps extends FileStripProps {
  readonly width: number;
  readonly span: Span;
  readonly setSpan: SetSpan;
  readonly hovered: number | undefined;
  readonly setHovered: (part: number | undefined) => void;
}

function StripCanvas(props: StripCanvasProps) {
  const { map, parts, selected, touched, onSelect, theme, width, span, setSpan, hovered, setHovered } = props;
  const { fileSize } = map;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<{ readonly x: number; readonly span: Span; moved: boolean } | undefined>(undefined);
  const palette = useMemo(() => colors(document.documentElement), [theme]);
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context && width > 0) {
      drawStrip({ context, parts, palette }, fileSize, span, width, { selected, hovered, touched });
    }
  }, [parts, span, width, hovered, selected, touched, palette, fileSize]);
  useWheel(canvas, props);
  const partAt = ({ offsetX, offsetY }: PointerEvent): PartView | undefined => {
    const { from, to } = offsetY < DETAIL_TOP ? { from: 0, to: fileSize } : span;
    const start = from + (offsetX / width) * (to - from);
    const end = from + ((offsetX + 1) / width) * (to - from);
    const byte = Math.max(start, end - 1);
    return parts.findLast(({ offset }) => offset <= byte) ?? parts[0];
  };
  return (
    <canvas
      ref={canvas}
      style={{ width: "100%", height: `${STRIP_HEIGHT}px` }}
      onPointerDown={(event) => {
        drag.current = { x: event.offsetX, span, moved: false };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const { current } = drag;
        if (current !== undefined && Math.abs(event.offsetX - current.x) > 3) {
          current.moved = true;
          setSpan(shifted(current.span, (current.x - event.offsetX) / width, fileSize));
        }
        setHovered(partAt(event)?.index);
      }}
      onPointerUp={(event) => {
        const part = partAt(event);
        if (drag.current?.moved === false && part !== undefined) {
          onSelect(part.index);
        }
        drag.current = undefined;
      }}
      onPointerLeave={() => setHovered(undefined)}
    />
  );
}

/** A listener that prevents scrolling cannot be passive, which an attribute cannot express. */
function useWheel(
  canvas: RefObject<HTMLCanvasElement | null>,
  { map: { fileSize }, span, width, setSpan }: StripCanvasProps,
): void {
  useEffect(() => {
    const element = canvas.current;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const x = event.clientX - (element?.getBoundingClientRect().left ?? 0);
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        setSpan((old) => shifted(old, (event.deltaX || event.deltaY) / width, fileSize));
      } else {
        const center = span.from + (x / width) * (span.to - span.from);
        setSpan((old) => zoomed(old, Math.exp(event.deltaY / 300), center, fileSize));
      }
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  });
}

function describe(part: PartView | undefined, { from, to }: Span): string {
  if (part === undefined) {
    return `bytes ${count(from)} to ${count(to)}`;
  }
  const { label, offset, size, firstRow = 0, rows, problem } = part;
  return [
    label,
    `${count(offset)} to ${count(offset + size)}`,
    `${count(size)} bytes`,
    ...(rows === undefined ? [] : [`rows ${count(firstRow)} to ${count(firstRow + rows - 1)}`]),
    ...(problem === undefined ? [] : [problem]),
  ].join(" · ");
}

function zoomed(old: Span, factor: number, center: number, size: number): Span {
  const length = Math.max(16, Math.min(size, (old.to - old.from) * factor));
  const share = (center - old.from) / (old.to - old.from);
  return clamped({ from: center - share * length, to: center + (1 - share) * length }, size);
}

/** Moves by a fraction of its length. */
function shifted({ from, to }: Span, share: number, size: number): Span {
  const by = share * (to - from);
  return clamped({ from: from + by, to: to + by }, size);
}

function clamped({ from, to }: Span, size: number): Span {
  const length = Math.min(size, to - from);
  const start = Math.max(0, Math.min(size - length, from));
  return { from: start, to: Math.max(start + 1, start + length) };
}

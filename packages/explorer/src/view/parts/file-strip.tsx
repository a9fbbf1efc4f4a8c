/** The map as a drawing: the whole file on top, below it a part of it enlarged; every block to scale. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { MapView, PartView } from "../../protocol.js";
import { colours, drawHealth, drawParts, type Palette } from "./draw-parts.js";
import { useSize } from "./virtual-list.js";

export interface FileStripProps {
  readonly map: MapView;
  readonly parts: readonly PartView[];
  readonly selected: number | undefined;
  readonly touched: readonly number[];
  readonly onSelect: (part: number) => void;
  readonly theme: string;
}

const OVERVIEW = 18;
const DETAIL_TOP = 30;
const DETAIL = 64;
const HEALTH_TOP = DETAIL_TOP + DETAIL + 3;
const HEIGHT = HEALTH_TOP + 10;

/** Part of the file in the enlarged view, in bytes. */
interface Window {
  readonly from: number;
  readonly to: number;
}

export function FileStrip({ map, parts, selected, touched, onSelect, theme }: FileStripProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(box);
  const { fileSize } = map;
  const [window, setWindow] = useState<Window>({ from: 0, to: Math.max(1, fileSize) });
  const [hovered, setHovered] = useState<number>();
  const drag = useRef<{ readonly x: number; readonly window: Window; moved: boolean } | undefined>(undefined);
  const palette: Palette = useMemo(() => colours(document.documentElement), [theme]);

  useEffect(() => setWindow({ from: 0, to: Math.max(1, fileSize) }), [fileSize]);
  // A selected part comes into the window.
  useEffect(() => {
    const part = selected === undefined ? undefined : parts[selected];
    if (part !== undefined && (part.offset + part.size < window.from || part.offset > window.to)) {
      const span = window.to - window.from;
      setWindow(clamped({ from: part.offset - span / 2, to: part.offset + span / 2 }, fileSize));
    }
  }, [selected]);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (element === null || !context || width === 0) {
      return;
    }
    const ratio = devicePixelRatio;
    element.width = Math.round(width * ratio);
    element.height = Math.round(HEIGHT * ratio);
    context.scale(ratio, ratio);
    context.clearRect(0, 0, width, HEIGHT);
    drawParts(context, parts, { from: 0, to: fileSize }, { top: 0, height: OVERVIEW, width }, palette);
    const left = (window.from / fileSize) * width;
    const right = (window.to / fileSize) * width;
    context.strokeStyle = palette.ink;
    context.lineWidth = 1.5;
    context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), OVERVIEW - 1.5);
    context.beginPath();
    context.moveTo(left, OVERVIEW);
    context.lineTo(0, DETAIL_TOP);
    context.moveTo(right, OVERVIEW);
    context.lineTo(width, DETAIL_TOP);
    context.strokeStyle = palette.faint;
    context.lineWidth = 1;
    context.stroke();
    const area = { top: DETAIL_TOP, height: DETAIL, width };
    drawParts(context, parts, window, area, palette, { selected, hovered, touched });
    drawHealth(context, parts, window, { top: HEALTH_TOP, height: 7, width }, palette);
  }, [parts, window, width, hovered, selected, touched, palette, fileSize]);

  const partAt = (x: number, isOverview: boolean): PartView | undefined => {
    const { from, to } = isOverview ? { from: 0, to: fileSize } : window;
    const start = from + (x / width) * (to - from);
    const end = from + ((x + 1) / width) * (to - from);
    return lastBefore(parts, Math.max(start, end - 1));
  };
  const zoom = (factor: number, center: number): void => {
    setWindow((old) => {
      const span = Math.max(16, Math.min(fileSize, (old.to - old.from) * factor));
      const share = (center - old.from) / (old.to - old.from);
      return clamped({ from: center - share * span, to: center + (1 - share) * span }, fileSize);
    });
  };
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const bounds = canvas.current?.getBoundingClientRect();
    const x = event.clientX - (bounds?.left ?? 0);
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      const shift = ((event.deltaX || event.deltaY) / width) * (window.to - window.from);
      setWindow((old) => clamped({ from: old.from + shift, to: old.to + shift }, fileSize));
    } else {
      zoom(Math.exp(event.deltaY / 300), window.from + (x / width) * (window.to - window.from));
    }
  };
  useEffect(() => {
    const element = canvas.current;
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  });
  const step = (by: number): void => {
    const next = Math.max(0, Math.min(parts.length - 1, (selected ?? (by > 0 ? -1 : parts.length)) + by));
    onSelect(next);
  };
  const shown = hovered === undefined ? undefined : parts[hovered];
  const middle = (window.from + window.to) / 2;
  return (
    <div class="strip">
      <div
        ref={box}
        class="strip-canvas"
        role="application"
        aria-label={`Map of the file, ${parts.length} blocks. Left and right move from block to block, plus and minus zoom.`}
        tabIndex={0}
        onKeyDown={(event) => {
          const action = {
            ArrowRight: () => step(1),
            ArrowLeft: () => step(-1),
            Home: () => onSelect(0),
            End: () => onSelect(parts.length - 1),
            "+": () => zoom(0.5, middle),
            "=": () => zoom(0.5, middle),
            "-": () => zoom(2, middle),
            "0": () => setWindow({ from: 0, to: fileSize }),
          }[event.key];
          if (action !== undefined) {
            event.preventDefault();
            action();
          }
        }}
      >
        <canvas
          ref={canvas}
          style={{ width: "100%", height: `${HEIGHT}px` }}
          onPointerDown={(event) => {
            drag.current = { x: event.offsetX, window, moved: false };
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onPointerMove={(event) => {
            const { current } = drag;
            if (current !== undefined && Math.abs(event.offsetX - current.x) > 3) {
              current.moved = true;
              const span = current.window.to - current.window.from;
              const shift = ((current.x - event.offsetX) / width) * span;
              setWindow(
                clamped({ from: current.window.from + shift, to: current.window.to + shift }, fileSize),
              );
            }
            setHovered(partAt(event.offsetX, event.offsetY < DETAIL_TOP)?.index);
          }}
          onPointerUp={(event) => {
            const part = partAt(event.offsetX, event.offsetY < DETAIL_TOP);
            if (drag.current?.moved === false && part !== undefined) {
              onSelect(part.index);
            }
            drag.current = undefined;
          }}
          onPointerLeave={() => setHovered(undefined)}
        />
      </div>
      <div class="strip-tools">
        <button type="button" onClick={() => zoom(0.5, middle)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(2, middle)} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setWindow({ from: 0, to: fileSize })}>
          Whole file
        </button>
        <span class="strip-told">
          {shown === undefined
            ? `bytes ${whole(window.from)} to ${whole(window.to)}`
            : `${shown.label} · ${whole(shown.offset)} to ${whole(shown.offset + shown.size)} · ${whole(shown.size)} bytes${
                shown.rows === undefined
                  ? ""
                  : ` · rows ${whole(shown.firstRow ?? 0)} to ${whole((shown.firstRow ?? 0) + shown.rows - 1)}`
              }${shown.problem === undefined ? "" : ` · ${shown.problem}`}`}
        </span>
      </div>
    </div>
  );
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function clamped({ from, to }: Window, size: number): Window {
  const span = Math.min(size, to - from);
  const start = Math.max(0, Math.min(size - span, from));
  return { from: start, to: Math.max(start + 1, start + span) };
}

/** The last part that begins at or before a byte. */
export function lastBefore(parts: readonly PartView[], offset: number): PartView | undefined {
  let low = 0;
  let high = parts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.offset ?? 0) <= offset) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return parts[Math.max(0, low - 1)];
}

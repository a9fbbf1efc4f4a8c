/**
 * The table. Only the rows in view are requested and drawn. The scroll bar covers all rows. If they exceed the maximum height
 * of an element, the wheel and keys move by rows and the bar by fractions.
 */
import type { RefObject, TargetedEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CellView, ColumnView } from "../../protocol.js";
import { RowPages, type RowReader } from "../row-pages.js";
import { count } from "./basics.js";
import { useSize } from "./virtual-list.js";

const ROW_HEIGHT = 24;
/** Browsers limit elements to 17 to 33 million pixels. */
const MAX_PIXELS = 8_000_000;

interface DataGridProps {
  readonly columns: readonly ColumnView[];
  readonly rowCount: number | undefined;
  readonly read: RowReader;
  /** The row to scroll to; a new object scrolls there again. */
  readonly goal: { readonly row: number } | undefined;
  readonly onRow: (row: number) => void;
}

export function DataGrid({ columns, rowCount, read, goal, onRow }: DataGridProps) {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const pages = useRowPages(read, rowCount);
  const rows = pages.known;
  const { top, visible, height, pixels, moveTo, onScroll } = useScroll(box, rows);
  const activate = (row: number): void => {
    const next = Math.max(0, Math.min(rows - 1, row));
    setActive(next);
    onRow(next);
    if (next < top) {
      moveTo(next);
    } else if (next >= top + visible) {
      moveTo(next - visible + 1);
    }
  };
  useEffect(() => {
    if (goal !== undefined && height > 0) {
      pages.expect(goal.row);
      setActive(goal.row);
      moveTo(goal.row - Math.floor(visible / 3));
    }
  }, [goal, height > 0]);

  const first = Math.min(top, Math.max(0, rows - visible));
  const end = Math.min(rows, first + visible + 2);
  pages.show(first, end);
  return (
    <div
      ref={box}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label="Rows"
      aria-rowcount={rowCount ?? -1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={active >= first && active < end ? `row-${active}` : undefined}
      onScroll={onScroll}
      onClick={({ target }) => {
        const row = target instanceof Element ? target.closest("[data-row]")?.getAttribute("data-row") : null;
        if (row != null) {
          setActive(Number(row));
          onRow(Number(row));
        }
      }}
      onKeyDown={(event) => {
        const step = STEPS[event.key];
        if (step !== undefined && !event.altKey && !event.metaKey) {
          event.preventDefault();
          activate(step(active, visible, rows));
        }
      }}
    >
      <div class="grid-room" style={{ height: `${pixels + ROW_HEIGHT}px` }}>
        <GridRows {...{ columns, pages, first, end, active }} />
      </div>
    </div>
  );
}

function useRowPages(read: RowReader, rowCount: number | undefined): RowPages {
  const [, redraw] = useState(0);
  const pages = useRef<RowPages | undefined>(undefined);
  if (pages.current === undefined || pages.current.read !== read) {
    pages.current = new RowPages(read, rowCount, () => redraw((count) => count + 1));
  }
  useEffect(() => () => pages.current?.stop(), [read]);
  return pages.current;
}

/** The first row in view, and how to change it. */
function useScroll(box: RefObject<HTMLDivElement | null>, rows: number) {
  const { height } = useSize(box);
  const [top, setTop] = useState(0);
  const byHand = useRef(-1);
  const visible = Math.max(1, Math.floor((height - ROW_HEIGHT) / ROW_HEIGHT));
  const lastTop = Math.max(0, rows - visible);
  const pixels = Math.min(MAX_PIXELS, rows * ROW_HEIGHT);
  const scrollable = Math.max(1, pixels - visible * ROW_HEIGHT);
  const isScaled = rows * ROW_HEIGHT > MAX_PIXELS;
  const moveTo = (row: number): void => {
    const next = Math.max(0, Math.min(lastTop, row));
    setTop(next);
    if (box.current !== null) {
      const position = isScaled ? (next / Math.max(1, lastTop)) * scrollable : next * ROW_HEIGHT;
      byHand.current = Math.round(position);
      box.current.scrollTop = byHand.current;
    }
  };
  const onScroll = (event: TargetedEvent<HTMLDivElement>): void => {
    const position = event.currentTarget.scrollTop;
    if (Math.abs(position - byHand.current) > 1) {
      setTop(isScaled ? Math.round((position / scrollable) * lastTop) : Math.floor(position / ROW_HEIGHT));
    }
    byHand.current = -1;
  };
  // A listener that prevents scrolling cannot be passive, which an attribute cannot express.
  useEffect(() => {
    const element = box.current;
    const onWheel = (event: WheelEvent): void => {
      if (isScaled && event.deltaY !== 0 && !event.ctrlKey) {
        event.preventDefault();
        const lines = event.deltaMode === 1 ? event.deltaY : event.deltaY / ROW_HEIGHT;
        moveTo(top + (Math.abs(lines) < 1 ? Math.sign(lines) : Math.round(lines)));
      }
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => element?.removeEventListener("wheel", onWheel);
  });
  return { top, visible, height, pixels, moveTo, onScroll };
}

interface GridRowsProps extends Pick<DataGridProps, "columns"> {
  readonly pages: RowPages;
  readonly first: number;
  readonly end: number;
  readonly active: number;
}

/** The header and the rows in view. */
function GridRows({ columns, pages, first, end, active }: GridRowsProps) {
  const template = `minmax(7ch, max-content) ${columns.map(({ align }) => WIDTHS[align]).join(" ")} minmax(0, 1fr)`;
  const shown = Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
  return (
    <div class="grid-sight" style={{ gridTemplateColumns: template }}>
      <div role="row" class="grid-head" aria-rowindex={1}>
        <span role="columnheader" class="num">
          Row
        </span>
        {columns.map(({ name, type, align }) => (
          <span key={name} role="columnheader" class={SIDES[align]} title={`${name} ${type}`}>
            {name} <small>{type}</small>
          </span>
        ))}
      </div>
      {shown.map((row) => (
        <div
          key={row}
          id={`row-${row}`}
          role="row"
          aria-rowindex={row + 2}
          aria-selected={row === active}
          class={`grid-row${row === active ? " active" : ""}`}
          data-row={row}
        >
          <span role="rowheader" class="num row-number">
            {count(row)}
          </span>
          {columns.map(({ name, align }, i) => (
            <Cell key={name} cell={pages.cell(row, i)} align={align} />
          ))}
        </div>
      ))}
    </div>
  );
}

function Cell({ cell, align }: { cell: CellView | undefined; align: "left" | "right" }) {
  const side = SIDES[align];
  const [look, text, title] =
    cell === undefined
      ? [`pending ${side}`, "…"]
      : cell === null
        ? [`null ${side}`, "null"]
        : typeof cell === "object"
          ? ["lost", `lost: ${cell.lost}`, cell.lost]
          : [side, cell, cell.length > 40 ? cell : undefined];
  return (
    <span role="gridcell" class={look} title={title}>
      {text}
    </span>
  );
}

const SIDES = { left: "", right: "num" } as const;
const WIDTHS = { left: "minmax(16ch, max-content)", right: "minmax(12ch, max-content)" } as const;

const STEPS: Readonly<Record<string, (row: number, page: number, rows: number) => number>> = {
  ArrowDown: (row) => row + 1,
  ArrowUp: (row) => row - 1,
  PageDown: (row, page) => row + page,
  PageUp: (row, page) => row - page,
  Home: () => 0,
  End: (_row, _page, rows) => rows - 1,
};

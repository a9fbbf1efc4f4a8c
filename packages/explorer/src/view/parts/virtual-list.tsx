/** A long list of lines of equal height. Only the lines in view are rendered. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly count: number;
  readonly lineHeight: number;
  readonly label: string;
  readonly className?: string;
  readonly line: (index: number) => ComponentChildren;
  /** The line to scroll to when it changes. */
  readonly shown?: number | undefined;
  /** Makes the lines options of a list; `shown` is the selected option. A click, arrow keys, Home and End select another. */
  readonly onChoose?: (index: number) => void;
}

export function VirtualList(props: VirtualListProps) {
  const { count, lineHeight, label, className = "", line, shown, onChoose } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const { height } = useSize(box);
  useEffect(() => {
    const element = box.current;
    if (element !== null && shown !== undefined) {
      const at = shown * lineHeight;
      if (at < element.scrollTop || at + lineHeight > element.scrollTop + element.clientHeight) {
        element.scrollTop = Math.max(0, at - element.clientHeight / 3);
      }
    }
  }, [shown, lineHeight]);
  const first = Math.max(0, Math.floor(top / lineHeight) - 4);
  const last = Math.min(count, Math.ceil((top + height) / lineHeight) + 4);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  const press = (event: KeyboardEvent): void => {
    const at = shown ?? -1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      onChoose?.(Math.min(count - 1, Math.max(0, to)));
    }
  };
  const click = ({ target }: Event): void => {
    const chosen =
      target instanceof Element ? target.closest<HTMLElement>(".line")?.dataset["index"] : undefined;
    if (chosen !== undefined) {
      onChoose?.(Number(chosen));
    }
  };
  // The list keeps the focus, because its lines come and go.
  const list =
    onChoose === undefined
      ? { role: "group" as const, "aria-label": label }
      : {
          role: "listbox" as const,
          "aria-label": label,
          "aria-activedescendant": shown === undefined ? undefined : `${id}-${shown}`,
          onKeyDown: press,
          onClick: click,
        };
  const option = (i: number) =>
    onChoose && { id: `${id}-${i}`, role: "option" as const, "aria-selected": i === shown, "data-index": i };
  return (
    <div
      {...list}
      ref={box}
      class={`virtual ${className}`}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="lines" style={{ height: `${count * lineHeight}px` }}>
        {indexes.map((i) => (
          <div
            {...option(i)}
            key={i}
            class="line"
            style={{ top: `${i * lineHeight}px`, height: `${lineHeight}px` }}
          >
            {line(i)}
          </div>
        ))}
      </div>
    </div>
  );
}

/** The current size of an element. */
export function useSize(box: RefObject<HTMLElement | null>) {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const element = box.current;
    if (element === null) {
      return;
    }
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [box]);
  return size;
}

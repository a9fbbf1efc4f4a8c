/** A long list of lines of one height. Only the lines in view exist. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly count: number;
  readonly lineHeight: number;
  readonly label: string;
  readonly className?: string;
  readonly line: (index: number) => ComponentChildren;
  /** The line to scroll to when it changes. */
  readonly shown?: number | undefined;
}

export function VirtualList({ count, lineHeight, label, className = "", line, shown }: VirtualListProps) {
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
  return (
    <div
      ref={box}
      class={`virtual ${className}`}
      role="group"
      aria-label={label}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div class="lines" style={{ height: `${count * lineHeight}px` }}>
        {indexes.map((i) => (
          <div key={i} class="line" style={{ top: `${i * lineHeight}px`, height: `${lineHeight}px` }}>
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

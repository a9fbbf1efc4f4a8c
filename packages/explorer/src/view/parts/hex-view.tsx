/** Bytes in hexadecimal and as text, colored by role, next to the names of their ranges. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { AnnotatedBytes } from "../../protocol.js";
import { count } from "./basics.js";
import { VirtualList } from "./virtual-list.js";

const BYTES_PER_LINE = 16;
const LINE_HEIGHT = 20;
/** Large enough for touch. */
const NOTE_HEIGHT = 24;

export function HexView({ data, label }: { readonly data: AnnotatedBytes; readonly label: string }) {
  const { bytes, length, notes } = data;
  const [chosen, setChosen] = useState<number>();
  const noteAt = useMemo(() => {
    const index = new Uint32Array(bytes.length).fill(0xffffffff);
    for (const [i, { start, end }] of notes.entries()) {
      index.fill(i, start, Math.min(end, bytes.length));
    }
    return index;
  }, [bytes, notes]);
  const dump = useRef<HTMLDivElement>(null);
  // The pointer selects bytes here, the keyboard in the list of ranges.
  useEffect(() => {
    const choose = ({ target }: Event): void => {
      const at = target instanceof HTMLElement ? target.dataset["at"] : undefined;
      if (at !== undefined) {
        const note = noteAt[Number(at)];
        setChosen(note === 0xffffffff ? undefined : note);
      }
    };
    const element = dump.current;
    element?.addEventListener("click", choose);
    return () => element?.removeEventListener("click", choose);
  }, [noteAt]);
  const chosenStart = chosen === undefined ? undefined : notes[chosen]?.start;
  return (
    <div class="hex">
      <div ref={dump} class="hex-dump">
        <VirtualList
          count={Math.ceil(bytes.length / BYTES_PER_LINE)}
          lineHeight={LINE_HEIGHT}
          label={`${label}, ${count(length)} bytes in hexadecimal`}
          line={(index) => <HexLine {...{ data, noteAt, chosen }} start={index * BYTES_PER_LINE} />}
          shown={chosenStart === undefined ? undefined : Math.floor(chosenStart / BYTES_PER_LINE)}
        />
        {bytes.length < length && <p class="hint">The first {count(bytes.length)} bytes.</p>}
      </div>
      <VirtualList
        className="notes"
        count={notes.length}
        lineHeight={NOTE_HEIGHT}
        label={`Ranges of ${label}`}
        shown={chosen}
        onChoose={setChosen}
        line={(i) => {
          const note = notes[i];
          return note === undefined ? null : (
            <div class={`note${i === chosen ? " chosen" : ""}`}>
              <span class={`swatch role-${note.role}${i % 2 === 0 ? "" : " odd"}`} />
              <span class="note-at">
                {note.start.toString(16)}–{(note.end - 1).toString(16)}
              </span>
              <span class="note-label">{note.label}</span>
              <span class="note-text" title={note.text}>
                {note.text}
              </span>
            </div>
          );
        }}
      />
    </div>
  );
}

interface HexLineProps {
  readonly data: AnnotatedBytes;
  /** Index of the note of each byte. */
  readonly noteAt: Uint32Array;
  readonly chosen: number | undefined;
  readonly start: number;
}

function HexLine({ data: { bytes, base, notes }, noteAt, chosen, start }: HexLineProps) {
  const cells = Array.from(bytes.subarray(start, start + BYTES_PER_LINE), (_, i) => start + i);
  const look = (at: number): string => {
    const note = noteAt[at] ?? 0xffffffff;
    const role = notes[note]?.role ?? "none";
    const first = notes[note]?.start === at ? " first" : "";
    return `b role-${role}${note % 2 === 0 ? "" : " odd"}${first}${note === chosen ? " chosen" : ""}`;
  };
  return (
    <code class="hex-line">
      <span class="hex-at">{(base + start).toString(16).padStart(8, "0")}</span>
      <span class="hex-bytes">
        {cells.map((at) => (
          <span key={at} data-at={at} class={look(at)}>
            {(bytes[at] ?? 0).toString(16).padStart(2, "0")}
          </span>
        ))}
      </span>
      <span class="hex-text">
        {cells.map((at) => (
          <span key={at} data-at={at} class={noteAt[at] === chosen ? "chosen" : ""}>
            {printed(bytes[at] ?? 0)}
          </span>
        ))}
      </span>
    </code>
  );
}

function printed(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·";
}

/** Annotates RLE streams and blocks (docs/spec/cfile.md#18-rle-stream and docs/spec/cfile.md#55-rle) run by run. */
import { DATA_TYPES, type DataType, physicalWidth } from "@cfile/encodings";
import { packedByteLength } from "@cfile/encodings/rle";
import { readVarint32 } from "@cfile/varint";
import type { ByteNotes, ByteRole } from "./byte-note.js";
import { fixedText } from "./value-text.js";

/** The content of a stream of runs. */
export interface NotedStream {
  /** Bits per value. */
  readonly width: number;
  readonly values: number;
  readonly role: ByteRole;
  readonly label: string;
  /** Type of the values. Default: unsigned numbers. */
  readonly type?: DataType | undefined;
}

export function noteRleBlock(notes: ByteNotes, type: DataType): void {
  const values = notes.u32le("count", "value count");
  notes.u32le("ordinal", "number of the first row");
  const { physical } = DATA_TYPES[type];
  const width = physical === "BOOL" ? 1 : 8 * physicalWidth(physical);
  noteRle(notes, notes.bytes.length, { width, values, role: "value", label: "values", type });
}

/** Notes each run of a stream up to the offset `end`. @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` for invalid runs */
export function noteRle(notes: ByteNotes, end: number, stream: NotedStream): void {
  const { reader } = notes;
  const { width, values, role, label } = stream;
  let done = 0;
  for (let run = 0; reader.position < end; run++) {
    if (run === notes.maxNotes) {
      notes.skip(end - reader.position, role, `${label}: runs from ${run} on`);
      return;
    }
    const header = readVarint32(reader, label);
    const range = (first: number, last: number): string => `${label} ${first} to ${last}`;
    if ((header & 1) === 0) {
      const count = header >>> 1;
      notes.note("length", `${label}: header of a repeated run`, `${count} values`);
      const value = reader.take(Math.ceil(width / 8), label);
      notes.note(role, range(done, done + count - 1), `${count} × ${runText(value, stream)}`);
      done += count;
    } else {
      const count = Math.min((header >>> 1) * 8, Math.max(0, values - done));
      notes.note("length", `${label}: header of a literal run`, `${header >>> 1} groups of 8`);
      const length = Math.min(packedByteLength((header >>> 1) * 8, width), end - reader.position);
      const packed = reader.take(length, label);
      notes.note(role, range(done, done + count - 1), literalText(packed, count, stream));
      done += count;
    }
  }
}

/** Maximum number of literals shown per run. */
const MAX_LITERALS = 16;

function literalText(packed: Uint8Array, count: number, stream: NotedStream): string {
  const { width } = stream;
  const texts: string[] = [];
  for (let i = 0; i < Math.min(count, MAX_LITERALS) && (i + 1) * width <= 8 * packed.length; i++) {
    texts.push(
      width === 1
        ? String(((packed[i >> 3] as number) >> (i & 7)) & 1)
        : runText(packed.subarray((i * width) / 8, ((i + 1) * width) / 8), stream),
    );
  }
  return texts.join(width === 1 ? "" : ", ") + (count > texts.length ? " …" : "");
}

function runText(value: Uint8Array, { type, width }: NotedStream): string {
  return fixedText(type === undefined || width === 1 ? "UINT64" : type, value);
}

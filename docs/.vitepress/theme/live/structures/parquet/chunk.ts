/** The pages of one column without the file around them. */
import { ByteNotes } from "@cfile/format/blocks";
import type { Arguments, Structure } from "../../reading.js";
import { notePages, parquetLines } from "./pages.js";

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12] as const;
const MAGIC = [0x50, 0x41, 0x52, 0x31];
const INT64 = 2;
/** PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY. */
const ENCODINGS = [0, 2, 3, 8];

/** `rows` is the number of values, INT64 and required; `data` is the offset of the first data page. */
export const chunk: Structure = {
  note: (bytes) => ByteNotes.of(bytes, (notes) => notePages(notes, bytes.length)),
  read: (bytes, args) => parquetLines(Uint8Array.from([...MAGIC, ...bytes, ...footer(bytes.length, args)])),
};

/** The smallest metadata that leads to the pages, and the end of a file. */
function footer(size: number, { rows = 0, data = 0 }: Arguments): number[] {
  const count = Number(rows);
  const root = struct(field(4, BINARY, text("m")), field(1, I32, zigzag(1)));
  const column = struct(field(1, I32, zigzag(INT64)), field(2, I32, zigzag(0)), field(1, BINARY, text("v")));
  const metadata = struct(
    field(1, I32, zigzag(INT64)),
    field(1, LIST, [0x45, ...ENCODINGS.flatMap(zigzag)]),
    field(1, LIST, [0x18, ...text("v")]),
    field(1, I32, zigzag(0)),
    field(1, I64, zigzag(count)),
    field(1, I64, zigzag(size)),
    field(1, I64, zigzag(size)),
    field(2, I64, zigzag(MAGIC.length + Number(data))),
    ...(Number(data) === 0 ? [] : [field(2, I64, zigzag(MAGIC.length))]),
  );
  const chunkOfFile = struct(field(2, I64, zigzag(0)), field(1, STRUCT, metadata));
  const group = struct(
    field(1, LIST, [0x1c, ...chunkOfFile]),
    field(1, I64, zigzag(size)),
    field(1, I64, zigzag(count)),
  );
  const bytes = struct(
    field(1, I32, zigzag(1)),
    field(1, LIST, [0x2c, ...root, ...column]),
    field(1, I64, zigzag(count)),
    field(1, LIST, [0x1c, ...group]),
  );
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length, true);
  return [...bytes, ...length, ...MAGIC];
}

/** A field whose number is `delta` above that of the one before. */
function field(delta: number, type: number, value: readonly number[]): readonly number[] {
  return [delta * 16 + type, ...value];
}

function struct(...fields: readonly (readonly number[])[]): number[] {
  return [...fields.flat(), 0];
}

function text(value: string): number[] {
  return [value.length, ...new TextEncoder().encode(value)];
}

function zigzag(value: number): number[] {
  const bytes: number[] = [];
  let rest = value * 2;
  for (; rest > 127; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | 128);
  }
  return [...bytes, rest];
}

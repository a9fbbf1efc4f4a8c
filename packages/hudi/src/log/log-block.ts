/**
 * Log files: blocks back to back (docs/spec/hudi-table.md#6-log-files). Integers are big-endian.
 *
 * | size | field |
 * | --- | --- |
 * | 6 | `#HUDI#` |
 * | 8 | S, the size of everything after it, including the last field |
 * | 4 | log format version, 1 |
 * | 4 | block type |
 * | var | header: i32 count, then an i32 key, i32 length and UTF-8 text each |
 * | 8 | content length |
 * | … | content |
 * | var | footer, same format as the header |
 * | 8 | S + 6 |
 */
import { attempt, ByteReader, CFileError, corrupt, findingOf } from "@cfile/bytes";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";

/** Kinds of log blocks, by their number in the file. */
const KINDS = ["command", "delete", "corrupt", "avro", "hfile", "parquet", "cdc"] as const;

/** The kind of a log block, by its content. */
export type LogBlockKind = (typeof KINDS)[number];

/** Keys of the header. */
export const HEADER = {
  instant: 0,
  targetInstant: 1,
  schema: 2,
  command: 3,
  compactedTimes: 4,
  partial: 7,
} as const;

/** A block of a log file. */
export interface LogBlock {
  readonly kind: LogBlockKind;
  /** Offset of the block in its file. */
  readonly offset: number;
  /** Header text by key. */
  readonly header: ReadonlyMap<number, string>;
  /** The requested time of the write; empty if it is missing. */
  readonly instant: string;
  readonly contentOffset: number;
  readonly content: Uint8Array;
}

/** A range of a log file that is not a valid block. */
export interface LogDamage {
  readonly kind: "damage";
  readonly offset: number;
  readonly length: number;
  /** The instant that the block's header states, if it can be read. */
  readonly instant: string | undefined;
  readonly error: CFileError;
}

const MAGIC = Uint8Array.from("#HUDI#", (character) => character.charCodeAt(0));
const HEAD = 14;
const MAX_HEADER_ENTRIES = 1000;
/** Maximum size of a log file; Hudi starts a new one at 1 GiB. */
const MAX_FILE = 2 ** 31 - 1;

/**
 * The blocks of a log file, and the damaged ranges between them. As in Hudi, a block without a valid end is skipped up to the next
 * `#HUDI#`, because a killed writer can leave one behind.
 *
 * @throws {CFileError} `E_IO` from the source; `E_LIMIT` for a file above 2 GiB
 */
export async function readLogFile(source: ByteSource): Promise<(LogBlock | LogDamage)[]> {
  const size = await sizeOf(source);
  if (size > MAX_FILE) {
    const details = { path: source.name, expected: MAX_FILE, actual: size };
    throw new CFileError("E_LIMIT", `log file of ${size} bytes exceeds ${MAX_FILE}`, details);
  }
  return parseLogFile(await readExactly(source, 0, size), source.name);
}

/** Requires that a block states the write that it belongs to, which decides whether it counts. @throws {CFileError} `E_CORRUPT` */
export function requireInstant({ instant, offset }: LogBlock, path: string | undefined): void {
  if (instant === "") {
    throw corrupt("a log block has no instant", { path, offset, field: "INSTANT_TIME" });
  }
}

/** {@link readLogFile} of bytes. */
export function parseLogFile(bytes: Uint8Array, path?: string): (LogBlock | LogDamage)[] {
  const found: (LogBlock | LogDamage)[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    try {
      const { block, end } = parseBlock(bytes, offset);
      found.push(block);
      offset = end;
    } catch (error) {
      const damage = findingOf(error).within({ path });
      const next = findMagic(bytes, offset + 1);
      const instant = statedInstant(bytes.subarray(offset, next));
      found.push({ kind: "damage", offset, length: next - offset, instant, error: damage });
      offset = next;
    }
  }
  return found;
}

function parseBlock(bytes: Uint8Array, offset: number): { block: LogBlock; end: number } {
  if (!hasMagic(bytes, offset)) {
    throw corrupt("no log block starts here", { offset, field: "magic" });
  }
  const reader = new ByteReader(bytes, offset + MAGIC.length);
  const size = length64(reader, "block size");
  reader.require(size, "block");
  const end = reader.position + size;
  if (end < bytes.length && !hasMagic(bytes, end)) {
    throw corrupt(`no block follows a block of ${size} bytes`, { offset, field: "block size", actual: size });
  }
  const inner = new ByteReader(bytes, reader.position, end);
  const { kind, header } = readHead(inner);
  const length = length64(inner, "content length");
  const contentOffset = inner.position;
  const content = inner.take(length, "content");
  readEntries(inner, "footer");
  const reverse = length64(inner, "reverse pointer");
  if (inner.remaining !== 0 || reverse !== size + MAGIC.length) {
    const details = {
      offset: inner.position,
      field: "reverse pointer",
      expected: size + MAGIC.length,
      actual: reverse,
    };
    throw corrupt("block size mismatch", details);
  }
  const block = { kind, offset, header, instant: header.get(HEADER.instant) ?? "", contentOffset, content };
  return { block, end };
}

function readHead(reader: ByteReader): { kind: LogBlockKind; header: Map<number, string> } {
  const offset = reader.position;
  const version = reader.u32be("log format version");
  if (version !== 1) {
    throw new CFileError("E_UNSUPPORTED", `unsupported log format version ${version} (expected 1)`, {
      offset,
      field: "log format version",
    });
  }
  const type = reader.u32be("block type");
  const kind = KINDS[type];
  if (kind === undefined) {
    throw new CFileError("E_UNSUPPORTED", `unsupported type of log block: ${type}`, {
      offset: offset + 4,
      field: "block type",
    });
  }
  return { kind, header: readEntries(reader, "header") };
}

function readEntries(reader: ByteReader, field: string): Map<number, string> {
  const offset = reader.position;
  const count = reader.u32be(field);
  if (count > MAX_HEADER_ENTRIES) {
    throw corrupt(`${field} has ${count} entries`, {
      offset,
      field,
      expected: MAX_HEADER_ENTRIES,
      actual: count,
    });
  }
  const entries = new Map<number, string>();
  const text = new TextDecoder();
  for (let i = 0; i < count; i++) {
    const key = reader.u32be(field);
    entries.set(key, text.decode(reader.take(reader.u32be(field), field)));
  }
  return entries;
}

function length64(reader: ByteReader, field: string): number {
  const offset = reader.position;
  const value = reader.u32be(field) * 2 ** 32 + reader.u32be(field);
  if (!Number.isSafeInteger(value)) {
    throw corrupt(`invalid ${field}`, { offset, field, actual: value });
  }
  return value;
}

function hasMagic(bytes: Uint8Array, offset: number): boolean {
  return MAGIC.every((byte, i) => bytes[offset + i] === byte);
}

function findMagic(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0x23, from); at >= 0; at = bytes.indexOf(0x23, at + 1)) {
    if (hasMagic(bytes, at)) {
      return at;
    }
  }
  return bytes.length;
}

function statedInstant(bytes: Uint8Array): string | undefined {
  if (bytes.length < HEAD || !hasMagic(bytes, 0)) {
    return undefined;
  }
  return attempt(() => readHead(new ByteReader(bytes, HEAD)).header.get(HEADER.instant));
}

/** One part of a CFile: its fields and encoding, the name of every byte, and its values. */
import { DEFAULT_LIMITS, toHex } from "@cfile/bytes";
import { dateText } from "@cfile/cell-text";
import { decodeKey } from "@cfile/encodings/keys";
import { type BlockReader, type CFileReader, loadDataBlockOpener } from "@cfile/format";
import {
  annotateBloomBlock,
  annotateDataBlock,
  annotateDictionary,
  annotateFooter,
  annotateHeader,
  annotateIndexBlock,
  annotateStoredBlock,
  type ByteNote,
} from "@cfile/format/blocks";
import { decodePositionalKey } from "@cfile/index-btree";
import { readExactly } from "@cfile/io";
import type { AnnotatedBytes, ErrorView, Fact, PartDetail, PartView } from "../../protocol.js";
import { bytesText, cellsOf, countText, fact } from "../cells.js";
import { positionFacts } from "../docs/stored-part.js";
import { errorView } from "../error-view.js";
import { explainPart } from "./explain.js";

/** Maximum number of bytes of a block to show. */
const MAX_BYTES = 1024 * 1024;
const MAX_VALUES = 1000;
const ALL = { maxNotes: 3000 };

export async function partDetail(
  file: CFileReader,
  blocks: BlockReader,
  part: PartView,
  signal: AbortSignal,
): Promise<PartDetail> {
  const stored = await readExactly(file.source, part.offset, part.size, { signal });
  const { wrapping } = file.structure;
  const isFrame = part.kind === "header" || part.kind === "footer";
  let problem: ErrorView | undefined;
  let content: Uint8Array | undefined;
  let found: Values = { values: [], valueCount: 0 };
  if (!isFrame) {
    try {
      content = await blocks.read(part, { signal });
      found = (await valuesOf(file, part, content, signal)) ?? found;
    } catch (error) {
      problem = errorView(error);
    }
  }
  const notes = content === undefined ? [] : contentNotes(file, part, content);
  const isWrapped = wrapping.codec !== undefined;
  const storedNotes = isFrame
    ? part.kind === "header"
      ? annotateHeader(stored, wrapping.checksums)
      : annotateFooter(stored, wrapping.checksums)
    : joined(annotateStoredBlock(stored, wrapping), isWrapped ? [] : notes);
  return {
    part,
    fields: fieldsOf(file, part, content, [...storedNotes.slice(0, 40), ...notes.slice(0, 40)]),
    explanation: explainPart(part.kind, file),
    stored: annotated(stored, part.offset, storedNotes),
    content: isWrapped && content !== undefined ? annotated(content, 0, notes) : undefined,
    ...found,
    problem,
  };
}

function annotated(bytes: Uint8Array, base: number, notes: readonly ByteNote[]): AnnotatedBytes {
  return { base, bytes: bytes.slice(0, MAX_BYTES), length: bytes.length, notes };
}

/** Replaces the one note about the whole content by the notes of the content. */
function joined(stored: readonly ByteNote[], content: readonly ByteNote[]): ByteNote[] {
  return stored.flatMap((note) => (note.label === "content" && content.length > 0 ? content : [note]));
}

function contentNotes(file: CFileReader, { kind }: PartView, content: Uint8Array): ByteNote[] {
  switch (kind) {
    case "posidx":
      return annotateIndexBlock(content, "posidx", ALL);
    case "validx":
      // Bloom and delta files declare their keys as strings.
      return annotateIndexBlock(content, file.type, ALL);
    case "dictionary":
      return annotateDictionary(content, ALL);
    case "bloom":
      return annotateBloomBlock(content);
    default:
      return annotateDataBlock(content, file, ALL);
  }
}

type Values = Pick<PartDetail, "values" | "valueCount">;

async function valuesOf(
  file: CFileReader,
  { kind: part }: PartView,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<Values | undefined> {
  if (part === "dictionary") {
    const { data, offsets, length } = (await file.readDictionary({ signal })) ?? NO_WORDS;
    const values = Array.from({ length: Math.min(length, MAX_VALUES) }, (_, i) =>
      bytesText(data.subarray(offsets[i], offsets[i + 1])),
    );
    return { values, valueCount: length };
  }
  if (part !== "data") {
    return undefined;
  }
  const { type, encoding, nullable, array } = file;
  const kind = { type, encoding, nullable, array };
  const [dictionary, open] = await Promise.all([file.readDictionary({ signal }), loadDataBlockOpener(kind)]);
  const block = open(content, { ...kind, dictionary }, DEFAULT_LIMITS);
  const cells = cellsOf(block.decode(0, Math.min(block.rows, MAX_VALUES)));
  return { values: cells.map((cell) => (cell === null ? "null" : String(cell))), valueCount: block.rows };
}

const NO_WORDS = { data: new Uint8Array(0), offsets: new Int32Array(1), length: 0 };

const FIELD_ROLES: readonly string[] = ["count", "ordinal", "field", "checksum", "length", "magic"];

function fieldsOf(
  file: CFileReader,
  part: PartView,
  content: Uint8Array | undefined,
  notes: readonly ByteNote[],
): Fact[] {
  const isField = ({ role, label, text }: ByteNote): boolean =>
    FIELD_ROLES.includes(role) && text !== undefined && !/\d/.test(label.replace("CRC-32C", ""));
  const shown = notes.filter(
    (note, i) => isField(note) && notes.findIndex(({ label }) => label === note.label) === i,
  );
  const { firstRow, rows } = part;
  return [
    ...positionFacts(part),
    ...(content === undefined || file.structure.wrapping.codec === undefined
      ? []
      : [fact("Expanded bytes", content.length)]),
    ...(firstRow === undefined || rows === undefined
      ? []
      : [fact("Rows", `${countText(firstRow)} to ${countText(firstRow + rows - 1)}`)]),
    ...shown.map(({ label, text = "" }) => fact(label, text)),
  ];
}

/** A key of an index as text. */
export function keyText(file: CFileReader, tree: "posidx" | "validx", key: Uint8Array): string {
  if (tree === "posidx") {
    return `row ${countText(decodePositionalKey(key))}`;
  }
  try {
    if (["STRING", "VARCHAR", "BINARY"].includes(file.type)) {
      return bytesText(key);
    }
    const value = decodeKey(file.type, key);
    return file.type === "DATE" ? dateText(Number(value)) : String(value);
  } catch {
    return `0x${toHex(key)}`;
  }
}

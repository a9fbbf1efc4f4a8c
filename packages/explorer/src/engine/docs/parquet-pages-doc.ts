/** A Parquet file without a usable footer: a map of the pages and other parts that its bytes show. */
import type { CFileError } from "@cfile/bytes";
import type { ByteNote } from "@cfile/format/blocks";
import { type ByteSource, sizeOf } from "@cfile/io";
import { type FilePart, type OtherKind, type PagePart, walkFile } from "@cfile/parquet/recover";
import type { Fact, PartKind } from "../../protocol.js";
import { fact, sizeText } from "../cells.js";
import { mapOf, partAt, partOf, type UnnumberedPart } from "../cfile/cfile-map.js";
import { errorView } from "../error-view.js";
import { type Doc, describe, type Work } from "./doc.js";
import { positionFacts, shownBytes, storedPart } from "./stored-part.js";

const MAX_PARTS = 50_000;
const PAGE =
  "A page: a Thrift header with its sizes, then its bytes. Rows can be recovered with cfile recover, if a file with the same columns, or their types, are known.";
const OTHER: Readonly<Record<OtherKind, readonly [PartKind, string]>> = {
  magic: ["header", "Magic"],
  "cut-page": ["lost", "Page that the file ends in"],
  "bloom-filter": ["bloom", "Bloom filter"],
  "column-index": ["index", "Column index"],
  "offset-index": ["index", "Offset index"],
  "column-metadata": ["metadata", "Metadata of the chunk before"],
  metadata: ["footer", "File metadata"],
  tail: ["footer", "Footer length and magic"],
  encrypted: ["unknown", "Encrypted modules"],
  zeros: ["lost", "Zeros"],
  unknown: ["unknown", "Damaged or foreign bytes"],
};

/** @param problem why the footer cannot be used */
export async function openParquetPagesDoc(
  source: ByteSource,
  title: string,
  problem: CFileError,
  { signal }: Work,
): Promise<Doc> {
  const size = await sizeOf(source, { signal });
  const walked: FilePart[] = [];
  for await (const part of walkFile(source, { signal })) {
    walked.push(part);
    if (walked.length >= MAX_PARTS) {
      break;
    }
  }
  const pages = new Map(
    walked.flatMap((part) => (part.kind === "page" ? [[part.offset, part] as const] : [])),
  );
  const map = mapOf(walked.map(partView));
  const { parts } = map;
  return {
    view: describe({
      title,
      kind: "parquet",
      tabs: ["map"],
      problem: errorView(problem),
      facts: [fact("Pages", pages.size), fact("Size", sizeText(size))],
    }),
    map: async () => ({ fileSize: size, parts, trees: [] }),
    part: async ({ part: index }, work) => {
      const part = partOf(map, index);
      const bytes = await shownBytes(source, part, work.signal);
      const page = pages.get(part.offset);
      return storedPart(part, bytes, {
        fields: [...positionFacts(part), ...(page === undefined ? [] : pageFacts(page))],
        explanation: part.problem ?? (page === undefined ? part.label : PAGE),
        notes: page === undefined ? otherNotes(part.label, bytes.length) : pageNotes(page, bytes.length),
      });
    },
    check: async (_, work) => {
      work.progress({ checked: parts.length, total: parts.length, parts });
      const problems = parts.flatMap(({ problem: reason, label, offset }) =>
        reason === undefined ? [] : [{ code: "E_CORRUPT", reason, position: `${label}, byte ${offset}` }],
      );
      const checksums = [...pages.values()].some(({ crc }) => crc !== "absent");
      return { ok: false, checksums, problems: [errorView(problem), ...problems], recovery: undefined };
    },
  };
}

function partView(part: FilePart): UnnumberedPart {
  if (part.kind !== "page") {
    const [kind, label] = OTHER[part.kind];
    const isLost = kind === "lost" || kind === "unknown";
    const state = isLost
      ? ({ health: "damaged", problem: "no whole page is here" } as const)
      : { health: "valid" as const };
    return { ...partAt(kind, part, label), ...state };
  }
  const { header, crc } = part;
  const isWords = header.kind === "dictionary";
  const label = `${isWords ? "Dictionary page" : "Data page"}, ${header.encoding}, ${header.valueCount} values`;
  const own = partAt(isWords ? "dictionary" : "data", part, label);
  return crc === "wrong"
    ? { ...own, health: "damaged", problem: "page CRC mismatch" }
    : { ...own, health: crc === "right" ? "valid" : "unchecked" };
}

function pageFacts({ header, crc }: PagePart): Fact[] {
  return [
    fact("Page", header.kind),
    fact("Encoding", header.encoding),
    fact("Values", header.valueCount),
    ...(header.rowCount === undefined ? [] : [fact("Rows", header.rowCount)]),
    fact("Expanded bytes", header.uncompressedSize),
    fact("CRC", crc),
  ];
}

function pageNotes({ headerSize, crc }: PagePart, end: number): ByteNote[] {
  const from = Math.min(headerSize, end);
  return [
    { start: 0, end: from, role: "field", label: "page header" },
    { start: from, end, role: crc === "wrong" ? "problem" : "value", label: "stored bytes of the page" },
  ];
}

function otherNotes(label: string, end: number): ByteNote[] {
  return [{ start: 0, end, role: "field", label }];
}

/** The structure of a file as text. */
import { toHex } from "@cfile/bytes";
import { clipped, printable } from "@cfile/cell-text";
import type { IndexLayout } from "@cfile/format";
import type { BlockLocation, CFileLayout, CFileReader, MetadataPair } from "cfile";
import type { Style } from "../program/output/styles.js";
import { counted, countText, percentText, ratioText, sizeText } from "../records/quantity.js";
import { factLines, left, right, tableLines } from "../records/table.js";
import { expandedSize } from "./expanded-size.js";
import { type FilePart, fileParts, PARTS, partTotals } from "./file-parts.js";
import { layoutPicture } from "./layout-picture.js";
import { moreLines } from "./more-lines.js";

export interface ReportOptions {
  readonly style: Style;
  /** Characters per line. */
  readonly width: number;
  /** Maximum number of data blocks, and of index blocks per tree, to list. */
  readonly maxBlocks: number;
  readonly signal: AbortSignal | undefined;
}

const INDENT = 2;

/** Sections of Bloom and delta files. */
export interface OwnSections {
  /** The data blocks, one per line; default: first row, rows, offset. */
  readonly blocks?: ReportSection | undefined;
  readonly summary?: ReportSection | undefined;
}

type ReportSection = readonly [title: string, lines: readonly string[]];

export async function fileReport(
  file: CFileReader,
  path: string,
  options: ReportOptions,
  own: OwnSections = {},
): Promise<string[]> {
  const { style, width, maxBlocks, signal } = options;
  await file.loadHeader({ signal });
  const layout = await file.layout({ signal });
  const dataBlocks = await dataBlocksOf(file, layout, signal);
  const parts = fileParts(file, layout, dataBlocks);
  const section = (...[title, lines]: ReportSection): string[] =>
    lines.length === 0 ? [] : ["", style("bold", title), ...lines];
  const blocks: ReportSection = own.blocks ?? [
    "Data blocks",
    await blockLines(file, dataBlocks, maxBlocks, signal),
  ];
  const picture = layoutPicture(parts, width - INDENT, style);
  return [
    style("bold", printable(path)),
    ...(await summaryLines(file, dataBlocks, signal)),
    ...section(...(own.summary ?? ["", []])),
    ...section("Header metadata", metadataLines(file.headerMetadata, width)),
    ...section("Footer metadata", metadataLines(file.footerMetadata, width)),
    ...section(
      "Layout",
      picture.map((line) => " ".repeat(INDENT) + line),
    ),
    ...section("Sizes", sizeLines(parts, file.structure.fileSize)),
    ...section(...blocks),
    ...section("Positional index", indexLines(layout.posidx, maxBlocks)),
    ...section("Value index", indexLines(layout.validx, maxBlocks)),
  ];
}

/** The blocks of a Bloom file hold no rows: only the index lists them. */
async function dataBlocksOf(
  file: CFileReader,
  { validx }: CFileLayout,
  signal: AbortSignal | undefined,
): Promise<readonly BlockLocation[]> {
  return file.kind === "bloom" ? (validx?.entries ?? []) : file.listDataBlocks({ signal });
}

async function summaryLines(
  file: CFileReader,
  dataBlocks: readonly BlockLocation[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { footer, wrapping, fileSize } = file.structure;
  const stored = dataBlocks.reduce((total, { size }) => total + size - (wrapping.checksums ? 4 : 0), 0);
  const expanded = await expandedSize(file, dataBlocks, signal);
  const perRow = file.rowCount === 0 ? "" : `, ${(fileSize / file.rowCount).toFixed(2)} bytes per row`;
  const kind = `${file.array ? "[]" : ""}${file.nullable ? ", nullable" : ""}`;
  const [incompatible, compatible] = [footer.incompatibleFeatures ?? 0, footer.compatibleFeatures ?? 0];
  return factLines([
    ...(file.kind === "column" ? [] : [["kind", `${file.kind === "bloom" ? "Bloom" : file.kind} file`]]),
    ["type", `${file.type}${kind}`],
    ["encoding", footer.encoding],
    [
      "compression",
      `${file.compression}, data blocks ${countText(expanded)} to ${counted(stored, "byte")}, ratio ${ratioText(expanded, stored)}`,
    ],
    ...(file.kind === "bloom" ? [] : [["rows", countText(file.rowCount)]]),
    ["size", `${sizeText(fileSize)} (${counted(fileSize, "byte")})${perRow}`],
    ["version", String(wrapping.version)],
    ["checksums", wrapping.checksums ? "yes" : "no"],
    ["features", `incompatible 0x${incompatible.toString(16)}, compatible 0x${compatible.toString(16)}`],
  ]);
}

function metadataLines(pairs: readonly MetadataPair[], width: number): string[] {
  if (pairs.length === 0) {
    return [];
  }
  const longest = Math.max(20, width - 40);
  return tableLines(
    [left("key"), right("bytes"), left("value")],
    pairs.map(({ key, value }) => [
      clipped(printable(key), 30),
      countText(value.length),
      clipped(metadataText(value), longest),
    ]),
  );
}

/** Text if the bytes are printable UTF-8, else hexadecimal digits. */
function metadataText(value: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(value);
    return /^\P{Cc}*$/u.test(text) ? printable(text) : toHex(value);
  } catch {
    return toHex(value);
  }
}

function sizeLines(parts: readonly FilePart[], fileSize: number): string[] {
  return tableLines(
    [left("part"), right("count"), right("bytes"), right("share")],
    partTotals(parts).map(({ kind, count, bytes }) => [
      PARTS[kind].name,
      countText(count),
      countText(bytes),
      percentText(bytes, fileSize),
    ]),
  );
}

async function blockLines(
  file: CFileReader,
  blocks: readonly BlockLocation[],
  max: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const rows: string[][] = [];
  for (const [i, location] of blocks.slice(0, max).entries()) {
    const block = await file.dataBlock(location, { signal });
    rows.push([i, block.firstRow, block.rows, location.offset, location.size].map(countText));
  }
  if (rows.length === 0) {
    return moreLines(blocks.length, 0, "block");
  }
  return [
    ...tableLines(["block", "first row", "rows", "offset", "bytes"].map(right), rows),
    ...moreLines(blocks.length, rows.length, "block"),
  ];
}

/** The tree: every block below its parent, indented by its depth. */
function indexLines(index: IndexLayout | undefined, max: number): string[] {
  if (index === undefined) {
    return [];
  }
  const { levels, indexBlocks, entries } = index;
  const shown = indexBlocks.slice(0, max);
  return [
    `  ${counted(levels, "level")}, ${counted(indexBlocks.length, "block")}, ${counted(entries.length, "data block")}`,
    ...shown.map(({ depth, leaf, offset, size, entries: count }) => {
      const kind = leaf ? "leaf" : "inner";
      return `  ${"  ".repeat(depth)}${kind} at ${countText(offset)}, ${counted(size, "byte")}, ${counted(count, "entry")}`;
    }),
    ...moreLines(indexBlocks.length, shown.length, "index block"),
  ];
}

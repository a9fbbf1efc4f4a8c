/** The structure of a Parquet file as text. */
import { isDamage } from "@cfile/bytes";
import { clipped, printable } from "@cfile/cell-text";
import type { ByteSource } from "@cfile/io";
import type { ParquetKeys } from "@cfile/parquet";
import type { ChunkDescription, PageDescription, ParquetDescription } from "@cfile/parquet/inspect";
import { type FilePart, PARTS, type PartKind, partTotals } from "../files/file-parts.js";
import type { ReportOptions } from "../files/file-report.js";
import { layoutPicture } from "../files/layout-picture.js";
import { moreLines } from "../files/more-lines.js";
import { counted, countText, percentText, ratioText, sizeText, sum } from "../records/quantity.js";
import { factLines, left, right, tableLines } from "../records/table.js";
import { boundText } from "./parquet-json.js";
import { walkedReport } from "./walked-report.js";

const INDENT = 2;
const MAX_BOUND = 24;

/** Human-readable lines. */
export async function parquetReport(
  source: ByteSource,
  path: string,
  options: ReportOptions & { readonly keys: ParquetKeys },
): Promise<string[]> {
  const { describeParquet } = await import("@cfile/parquet/inspect");
  try {
    const file = await describeParquet(source, options.keys);
    return [options.style("bold", printable(path)), ...(await describedLines(source, file, options))];
  } catch (error) {
    if (!isDamage(error) || error.code === "E_UNSUPPORTED") {
      throw error;
    }
    return walkedReport(source, path, error.reason, options);
  }
}

async function describedLines(
  source: ByteSource,
  file: ParquetDescription,
  options: ReportOptions,
): Promise<string[]> {
  const { style, width, maxBlocks, signal } = options;
  const { messageTypeLines } = await import("@cfile/parquet/inspect");
  const chunks = file.rowGroups.flatMap((group, index) => group.chunks.map((chunk) => ({ index, chunk })));
  const parts = fileParts(file);
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ["", style("bold", title), ...lines];
  const indented = (lines: readonly string[]): string[] => lines.map((line) => " ".repeat(INDENT) + line);
  return [
    ...factLines(facts(file)),
    ...section("Schema", indented(messageTypeLines(file.schema).map(printable))),
    ...section(
      "Key-value metadata",
      file.keyValues.map(
        ({ key, value = "" }) => `  ${printable(key)}  ${clipped(printable(value), width - 20)}`,
      ),
    ),
    ...section("Layout", indented(layoutPicture(parts, width - INDENT, style))),
    ...section("Sizes", sizeLines(parts, file.size)),
    ...section("Row groups", groupLines(file, maxBlocks)),
    ...section("Column chunks", [
      ...chunkLines(chunks.slice(0, maxBlocks)),
      ...moreLines(chunks.length, maxBlocks, "chunk"),
    ]),
    ...section("Indexes and Bloom filters", indexLines(chunks, maxBlocks)),
    ...section("Pages", await pageLines(source, chunks, maxBlocks, signal)),
  ];
}

function facts(file: ParquetDescription): (readonly [string, string])[] {
  const { size, version, writer, rows, rowGroups, footer } = file;
  const chunks = rowGroups.flatMap((group) => group.chunks);
  const stored = sum(chunks.map((chunk) => chunk.size));
  const expanded = sum(chunks.map((chunk) => chunk.uncompressedSize));
  const codecs = [...new Set(chunks.map(({ codec }) => codec))];
  const perRow = rows === 0 ? "" : `, ${(size / rows).toFixed(2)} bytes per row`;
  const [sorted] = rowGroups.map(({ sortedBy }) => sortedBy);
  const leaves = chunks.length / Math.max(1, rowGroups.length);
  return [
    ["kind", `Parquet, version ${version}${writer === undefined ? "" : `, written by ${printable(writer)}`}`],
    ["rows", countText(rows)],
    ["row groups", countText(rowGroups.length)],
    ["columns", countText(leaves)],
    ["codec", codecs.join(", ") || "none"],
    [
      "compression",
      `chunks ${countText(expanded)} to ${counted(stored, "byte")}, ratio ${ratioText(expanded, stored)}`,
    ],
    ["size", `${sizeText(size)} (${counted(size, "byte")})${perRow}`],
    ["footer", `${counted(footer.size, "byte")} at ${footer.offset}`],
    ...(sorted === undefined || sorted.length === 0
      ? []
      : [["sorted by", printable(sorted.join(", "))] as const]),
  ];
}

/** The parts of a file by its footer, in the order of their offsets. */
function fileParts({ rowGroups, footer }: ParquetDescription): FilePart[] {
  const parts: FilePart[] = [
    { kind: "header", offset: 0, size: 4 },
    { kind: "footer", ...footer },
  ];
  const add = (
    kind: PartKind,
    part: { readonly offset: number; readonly size: number | undefined } | undefined,
  ) => {
    if (part?.size !== undefined && part.size > 0) {
      parts.push({ kind, offset: part.offset, size: part.size });
    }
  };
  for (const chunk of rowGroups.flatMap((group) => group.chunks)) {
    const { dictionary, offset, size, bloomFilter, columnIndex, offsetIndex } = chunk;
    const words = dictionary?.size ?? 0;
    add("dictionary", dictionary);
    add("data", { offset: offset + words, size: size - words });
    add("bloom", bloomFilter);
    add("columnIndex", columnIndex);
    add("offsetIndex", offsetIndex);
  }
  return parts.sort((a, b) => a.offset - b.offset);
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

function groupLines({ rowGroups }: ParquetDescription, max: number): string[] {
  return [
    ...tableLines(
      [right("row group"), right("rows"), right("offset"), right("bytes"), right("ratio")],
      rowGroups
        .slice(0, max)
        .map(({ rows, offset, size, uncompressedSize }, i) => [
          `${i}`,
          countText(rows),
          countText(offset),
          countText(size),
          ratioText(uncompressedSize, size),
        ]),
    ),
    ...moreLines(rowGroups.length, max, "row group"),
  ];
}

interface ListedChunk {
  /** Index of its row group. */
  readonly index: number;
  readonly chunk: ChunkDescription;
}

function chunkLines(chunks: readonly ListedChunk[]): string[] {
  const titles = ["type", "codec", "encodings"].map(left);
  const numbers = ["values", "nulls", "offset", "bytes", "ratio"].map(right);
  return tableLines(
    [right("row group"), left("column"), ...titles, ...numbers, left("min"), left("max")],
    chunks.map(({ index, chunk }) => [
      `${index}`,
      printable(chunk.column),
      chunk.type,
      chunk.codec,
      chunk.encodings.join(" "),
      countText(chunk.values),
      chunk.nullCount === undefined ? "" : countText(chunk.nullCount),
      countText(chunk.offset),
      countText(chunk.size),
      ratioText(chunk.uncompressedSize, chunk.size),
      ...[chunk.min, chunk.max].map((bound) =>
        bound === undefined ? "" : clipped(printable(boundText(bound)), MAX_BOUND),
      ),
    ]),
  );
}

function indexLines(chunks: readonly ListedChunk[], max: number): string[] {
  const lines = chunks.flatMap(({ index, chunk: { column, columnIndex, offsetIndex, bloomFilter } }) =>
    (
      [
        ["column index", columnIndex],
        ["offset index", offsetIndex],
        ["Bloom filter", bloomFilter],
      ] as const
    ).flatMap(([name, part]) =>
      part === undefined
        ? []
        : [
            [
              `${index}`,
              printable(column),
              name,
              countText(part.offset),
              part.size === undefined ? "" : countText(part.size),
            ],
          ],
    ),
  );
  return lines.length === 0
    ? []
    : [
        ...tableLines(
          [right("row group"), left("column"), left("part"), right("offset"), right("bytes")],
          lines.slice(0, max),
        ),
        ...moreLines(lines.length, max, "part"),
      ];
}

async function pageLines(
  source: ByteSource,
  chunks: readonly ListedChunk[],
  max: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { chunkPages } = await import("@cfile/parquet/inspect");
  const lines: string[][] = [];
  let isMore = false;
  for (const { index, chunk } of chunks) {
    if (isMore) {
      break;
    }
    for await (const page of chunkPages(source, chunk, { signal })) {
      if (lines.length >= max) {
        isMore = true;
        break;
      }
      lines.push([`${index}`, printable(chunk.column), ...pageCells(page)]);
    }
  }
  const texts = ["column", "page", "encoding"].map(left);
  const numbers = ["values", "nulls", "offset", "bytes", "ratio"].map(right);
  return [
    ...tableLines([right("row group"), ...texts, ...numbers, left("CRC")], lines),
    ...(isMore ? ["  more pages follow (use --blocks all)"] : []),
  ];
}

function pageCells({
  kind,
  encoding,
  values,
  nulls,
  offset,
  size,
  uncompressedSize,
  crc,
}: PageDescription): string[] {
  return [
    kind,
    encoding,
    countText(values),
    nulls === undefined ? "" : countText(nulls),
    countText(offset),
    countText(size),
    ratioText(uncompressedSize, size),
    crc === undefined ? "" : crc.toString(16).padStart(8, "0"),
  ];
}

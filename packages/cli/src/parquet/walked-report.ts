/** The parts of a Parquet file without a usable footer, as text. */
import { printable } from "@cfile/cell-text";
import type { ByteSource } from "@cfile/io";
import type { FilePart as WalkedPart } from "@cfile/parquet/recover";
import type { FilePart, PartKind } from "../files/file-parts.js";
import type { ReportOptions } from "../files/file-report.js";
import { layoutPicture } from "../files/layout-picture.js";
import { moreLines } from "../files/more-lines.js";
import { counted, countText, sizeText, sum } from "../records/quantity.js";
import { factLines, left, right, tableLines } from "../records/table.js";

const INDENT = "  ";

const WALKED: Readonly<Record<WalkedPart["kind"], PartKind>> = {
  page: "data",
  magic: "header",
  "bloom-filter": "bloom",
  "column-index": "columnIndex",
  "offset-index": "offsetIndex",
  "column-metadata": "footer",
  metadata: "footer",
  tail: "footer",
  "cut-page": "unknown",
  encrypted: "unknown",
  zeros: "unknown",
  unknown: "unknown",
};

/** Human-readable lines. @param reason what is wrong with the footer */
export async function walkedReport(
  source: ByteSource,
  path: string,
  reason: string,
  { style, width, maxBlocks, signal }: ReportOptions,
): Promise<string[]> {
  const { walkFile } = await import("@cfile/parquet/recover");
  const walked: WalkedPart[] = [];
  for await (const part of walkFile(source, { signal })) {
    walked.push(part);
  }
  const parts = walked.map((part): FilePart => {
    const isWords = part.kind === "page" && part.header.kind === "dictionary";
    return { kind: isWords ? "dictionary" : WALKED[part.kind], offset: part.offset, size: part.size };
  });
  const size = sum(walked.map((part) => part.size));
  const pages = walked.filter(({ kind }) => kind === "page").length;
  return [
    style("bold", printable(path)),
    ...factLines([
      ["kind", "Parquet without a usable footer (use cfile recover)"],
      ["problem", printable(reason)],
      ["pages", countText(pages)],
      ["size", `${sizeText(size)} (${counted(size, "byte")})`],
    ]),
    "",
    style("bold", "Layout"),
    ...layoutPicture(parts, width - INDENT.length, style).map((line) => INDENT + line),
    "",
    style("bold", "Parts"),
    ...tableLines(
      [right("offset"), right("bytes"), left("part"), left("encoding"), right("values"), left("CRC")],
      walked.slice(0, maxBlocks).map((part) => {
        const { offset, size: bytes, kind } = part;
        const header =
          part.kind === "page"
            ? [part.header.encoding, countText(part.header.valueCount), part.crc]
            : ["", "", ""];
        return [
          countText(offset),
          countText(bytes),
          part.kind === "page" ? `${part.header.kind} page` : kind,
          ...header,
        ];
      }),
    ),
    ...moreLines(walked.length, maxBlocks, "part"),
  ];
}

/** What a CFile is, in a line or two. */
import { printable } from "@cfile/cell-text";
import type { CFileReader, MetadataPair } from "@cfile/format";
import type { Fact } from "../../protocol.js";
import { countText, sizeText } from "../cells.js";

export function columnFacts(file: CFileReader): Fact[] {
  const { footer, wrapping, fileSize } = file.structure;
  const isBloom = file.kind === "bloom";
  return [
    { label: "Type", value: `${file.type}${file.array ? "[]" : ""}${file.nullable ? ", nullable" : ""}` },
    { label: "Encoding", value: file.encoding },
    { label: "Compression", value: file.compression },
    ...(isBloom
      ? []
      : [{ label: file.kind === "delta" ? "Entries" : "Rows", value: countText(file.rowCount) }]),
    { label: "Size", value: sizeText(fileSize) },
    ...(isBloom || file.rowCount === 0
      ? []
      : [{ label: "Bytes a row", value: (fileSize / file.rowCount).toFixed(2) }]),
    { label: "Indexes", value: indexText(footer.posidx !== undefined, footer.validx !== undefined) },
    { label: "Checksums", value: wrapping.checksums ? "CRC-32C" : "none" },
    { label: "Version", value: String(wrapping.version) },
    ...[...file.headerMetadata, ...file.footerMetadata].map(metadataFact),
  ];
}

function indexText(posidx: boolean, validx: boolean): string {
  return [...(posidx ? ["by row"] : []), ...(validx ? ["by value"] : [])].join(", ") || "none";
}

function metadataFact({ key, value }: MetadataPair): Fact {
  const text = new TextDecoder().decode(value.subarray(0, 60));
  return {
    label: printable(key),
    value: /[\p{Cc}\uFFFD]/u.test(text) ? `${value.length} bytes` : text,
  };
}

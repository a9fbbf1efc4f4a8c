/** The facts about a CFile in the header of the page. */
import { printable } from "@cfile/cell-text";
import type { CFileReader } from "@cfile/format";
import type { Fact } from "../../protocol.js";
import { fact, isPrintable, sizeText } from "../cells.js";

export function columnFacts(file: CFileReader): Fact[] {
  const { kind, type, array, nullable, encoding, compression, rowCount } = file;
  const { footer, wrapping, fileSize } = file.structure;
  const isBloom = kind === "bloom";
  const indexes = [...(footer.posidx ? ["by row"] : []), ...(footer.validx ? ["by value"] : [])];
  return [
    fact("Type", `${type}${array ? "[]" : ""}${nullable ? ", nullable" : ""}`),
    fact("Encoding", encoding),
    fact("Compression", compression),
    ...(isBloom ? [] : [fact(kind === "delta" ? "Entries" : "Rows", rowCount)]),
    fact("Size", sizeText(fileSize)),
    ...(isBloom || rowCount === 0 ? [] : [fact("Bytes per row", (fileSize / rowCount).toFixed(2))]),
    fact("Indexes", indexes.join(", ") || "none"),
    fact("Checksums", wrapping.checksums ? "CRC-32C" : "none"),
    fact("Version", String(wrapping.version)),
    ...[...file.headerMetadata, ...file.footerMetadata].map(({ key, value }) => {
      const text = new TextDecoder().decode(value.subarray(0, 60));
      return fact(printable(key), isPrintable(text) ? text : `${value.length} bytes`);
    }),
  ];
}

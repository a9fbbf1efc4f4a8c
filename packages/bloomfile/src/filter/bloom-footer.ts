/**
 * What the footer of a Bloom file says (docs/spec/bloomfile.md#2-cfile-options,
 * docs/spec/bloomfile.md#9-limits-and-hostile-input and docs/spec/bloomfile.md#10-recognising-a-bloom-file-without-metadata):
 *
 * | field | value |
 * | --- | --- |
 * | data_type, encoding | BINARY, PLAIN: nominal, no block is encoded so |
 * | num_values | 0 |
 * | compression | none, always |
 * | validx_info | there; positional index and dictionary are not |
 */
import { CFileError } from "@cfile/bytes";
import type { CFileFooter } from "@cfile/format";
import { fileKindOf } from "@cfile/format";

/** @throws CFileError `E_UNSUPPORTED` for any other file, saying what it is */
export function requireBloomFooter(footer: CFileFooter, path: string): void {
  if ((footer.compression ?? "NO_COMPRESSION") !== "NO_COMPRESSION") {
    throw notBloom("it is compressed", path, "compression", footer.compression);
  }
  if (footer.validx === undefined) {
    throw notBloom("it has no value index", path, "validx_info");
  }
  if (footer.dataType !== "BINARY") {
    throw notBloom(`it has ${footer.dataType} values`, path, "data_type", footer.dataType);
  }
  if (footer.encoding !== "PLAIN_ENCODING") {
    throw notBloom(`its encoding is ${footer.encoding}`, path, "encoding", footer.encoding);
  }
  if (footer.rowCount !== 0) {
    throw notBloom(`it has ${footer.rowCount} rows`, path, "num_values", footer.rowCount);
  }
  const isColumn = footer.nullable === true || footer.array === true || footer.dictionary !== undefined;
  if (isColumn || fileKindOf(footer) !== "bloom") {
    throw notBloom("it is a column or a delta file", path, "footer");
  }
}

function notBloom(reason: string, path: string, field: string, actual?: string | number): CFileError {
  return new CFileError("E_UNSUPPORTED", `this is no Bloom file: ${reason}`, { path, field, actual });
}

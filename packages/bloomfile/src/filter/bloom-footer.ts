/**
 * The footer of a Bloom file (docs/spec/bloomfile.md#2-cfile-options,
 * docs/spec/bloomfile.md#9-limits-and-hostile-input and docs/spec/bloomfile.md#10-recognising-a-bloom-file-without-metadata):
 *
 * | field | value |
 * | --- | --- |
 * | data_type, encoding | BINARY, PLAIN: nominal, blocks are not encoded this way |
 * | num_values | 0 |
 * | compression | always none |
 * | validx_info | present; positional index and dictionary are not |
 */
import { CFileError } from "@cfile/bytes";
import { type CFileFooter, fileKindOf } from "@cfile/format";

/** @throws {CFileError} `E_UNSUPPORTED` unless it is the footer of a Bloom file */
export function requireBloomFooter(footer: CFileFooter, path: string): void {
  const { compression = "NO_COMPRESSION", dataType, encoding, rowCount } = footer;
  const refuse = (problem: string, field: string, actual?: string | number): never => {
    throw new CFileError("E_UNSUPPORTED", `not a Bloom file: it ${problem}`, { path, field, actual });
  };
  if (compression !== "NO_COMPRESSION") {
    refuse("is compressed", "compression", compression);
  }
  if (footer.validx === undefined) {
    refuse("has no value index", "validx_info");
  }
  if (dataType !== "BINARY") {
    refuse(`has ${dataType} values`, "data_type", dataType);
  }
  if (encoding !== "PLAIN_ENCODING") {
    refuse(`has encoding ${encoding}`, "encoding", encoding);
  }
  if (rowCount !== 0) {
    refuse(`has ${rowCount} rows`, "num_values", rowCount);
  }
  const isColumn = footer.nullable === true || footer.array === true || footer.dictionary !== undefined;
  if (isColumn || fileKindOf(footer) !== "bloom") {
    refuse("is a column or a delta file", "footer");
  }
}

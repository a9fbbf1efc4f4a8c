/** Parquet files. */
import { doubleText, floatText } from "@cfile/cell-text";
import { type GoldenCase, json, MAX_ROWS } from "./golden-case.js";

interface ParquetColumn {
  readonly row_group: number;
  readonly type: string;
  readonly max_def: number;
  readonly values: readonly unknown[];
  readonly definition_levels?: readonly number[];
}

/** Flat columns only. INT96 and annotated types have other texts: `texts` has their functions by column. */
export function parquetCase(
  name: string,
  texts: Readonly<Record<number, (value: unknown) => string>>,
  path = `parquet/${name}.parquet`,
): GoldenCase {
  const { columns } = json<{ columns: ParquetColumn[] }>(`parquet/${name}.json`);
  const first = columns.filter(({ row_group: group }) => group === 0);
  const cells = first.map(({ type, max_def: defined, values, definition_levels: levels }, i) => {
    const text = texts[i] ?? ((value: unknown) => parquetText(value, type));
    let next = 0;
    return (levels ?? values.map(() => defined))
      .slice(0, MAX_ROWS)
      .map((level) => (level === defined ? text(values[next++]) : "null"));
  });
  return {
    path,
    kind: "a Parquet file",
    rows: (cells[0] ?? []).map((_, row) => cells.map((column) => column[row] ?? "")),
  };
}

/** Floating-point numbers are hexadecimal, little-endian; bytes have the format in which the page shows untyped bytes. */
function parquetText(value: unknown, type: string): string {
  const hex = Buffer.from(String(value), "hex");
  switch (type) {
    case "FLOAT":
      return floatText(hex.readFloatLE());
    case "DOUBLE":
      return doubleText(hex.readDoubleLE());
    default:
      return String(value);
  }
}

/** INT96: nanoseconds of the day, and the Julian day, little-endian. */
export function impalaTime(value: unknown): string {
  const bytes = Buffer.from(String(value), "hex");
  const milliseconds =
    (bytes.readUInt32LE(8) - 2_440_588) * 86_400_000 + Number(bytes.readBigUInt64LE() / 1_000_000n);
  return new Date(milliseconds).toISOString().replace("Z", "000Z");
}

/** Encrypted files cannot be read without their keys, and the explorer does not accept keys. */
export function encryptedParquetCase(path: string): GoldenCase {
  return {
    path,
    kind: "an encrypted Parquet file",
    shows: ["E_UNSUPPORTED"],
    reach: async () => undefined,
    rows: [],
  };
}

/** The footer and the columns `tags`, `amount` and `open` are not encrypted: see the README next to the file. */
export function partlyEncryptedParquetCase(): GoldenCase {
  return {
    path: "parquet-encrypted/java-plain-footer-ctr.parquet",
    kind: "a Parquet file with encrypted columns",
    shows: ["Not shown: id", "Not shown: name"],
    rows: Array.from({ length: MAX_ROWS }, (_, i) => [
      String(i / 8),
      i % 5 === 0 ? "null" : JSON.stringify(["t0", null, "t2"].slice(0, i % 4)),
      String(i % 10),
    ]),
  };
}

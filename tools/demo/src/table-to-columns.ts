/**
 * First chapter: converts a public table to CFiles, one per column, in every encoding that its type supports.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { runCli } from "@cfile/cli";
import { DATA_TYPES, type EncodingType, encodingsOf } from "@cfile/encodings";
import { type CFileReader, memorySink, openCFile } from "cfile";
import { rewriteCFile } from "cfile/recover";
import { captured } from "./captured.js";
import { TABLE } from "./inputs.js";
import { bytes, chapter, milliseconds, say, table } from "./report.js";

const SHORT: Readonly<Partial<Record<EncodingType, string>>> = {
  PLAIN_ENCODING: "plain",
  RLE: "rle",
  DICT_ENCODING: "dict",
  PREFIX_ENCODING: "prefix",
  BIT_SHUFFLE: "bitshuffle",
};

export async function tableToColumns(folder: string): Promise<void> {
  chapter(1, "A public table becomes columns");
  const csv = await stat(TABLE);
  say(
    `${TABLE.slice(TABLE.lastIndexOf("/") + 1)}: ${bytes(csv.size)} bytes of text, wildlife strikes of US aviation (FAA, public domain).`,
  );
  const output = join(folder, "birdstrikes");
  const start = performance.now();
  await captured((io) => runCli(["write", TABLE, "-o", output], io));
  const elapsed = performance.now() - start;
  const names = (await readdir(output)).sort();
  say(
    `cfile write inferred the types and wrote ${names.length} files in ${milliseconds(elapsed)}. Their sizes, in bytes:`,
  );
  say("");

  const rows: string[][] = [];
  const sums = { plain: 0, usual: 0, best: 0 };
  for (const name of names) {
    const file = await openCFile(join(output, name));
    const sizes = await sizesOf(file);
    const best = sizes.reduce((smallest, size) => (size.bytes < smallest.bytes ? size : smallest));
    const plain = sizes.find(({ label }) => label === "plain")?.bytes ?? 0;
    const usual = (await stat(join(output, name))).size;
    sums.plain += plain;
    sums.usual += usual;
    sums.best += best.bytes;
    rows.push([
      name.replace(/\.cfile$/, ""),
      file.type.toLowerCase() + (file.nullable ? "?" : ""),
      bytes(plain),
      bytes(usual),
      SHORT[file.encoding] ?? file.encoding,
      bytes(best.bytes),
      best.label,
    ]);
    await file.close();
  }
  rows.push(["all columns", "", bytes(sums.plain), bytes(sums.usual), "", bytes(sums.best), ""]);
  table(["column", "type", ">plain", ">as written", "in", ">smallest", "in"], rows);
  say("");
  say(
    `As written, they take ${percent(sums.usual, csv.size)} of the CSV, at their smallest ${percent(sums.best, csv.size)}; plain would be ${percent(sums.plain, csv.size)}.`,
  );
}

interface Size {
  readonly label: string;
  readonly bytes: number;
}

/** Writes the column in every encoding, with and without LZ4. */
async function sizesOf(file: CFileReader): Promise<Size[]> {
  const sizes: Size[] = [];
  for (const encoding of encodingsOf(DATA_TYPES[file.type].physical)) {
    for (const compression of ["NO_COMPRESSION", "LZ4"] as const) {
      const written = await rewriteCFile(file, memorySink(), { encoding, compression });
      const label = SHORT[encoding] ?? encoding;
      sizes.push({ label: compression === "LZ4" ? `${label} + lz4` : label, bytes: written.bytes });
    }
  }
  return sizes;
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}

/** Every golden CFile, and the digest that its column has. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { ColumnBatch } from "@cfile/encodings";
import { type CFileReader, canonicalBytes, createCFile, memorySink, openCFile } from "cfile";
import type { ArrowColumn } from "../src/index.js";

const folder = new URL("../../../fixtures/golden/", import.meta.url);

export const goldenNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(".cfile"))
  .map((file) => file.slice(0, -".cfile".length));

export function openGolden(name: string): Promise<CFileReader> {
  return openCFile(new Uint8Array(readFileSync(new URL(`${name}.cfile`, folder))));
}

export function goldenDigest(name: string): string {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8")).sha256;
}

/** Writes batches to a CFile and digests what is read from it. */
export async function digestOf(column: ArrowColumn, batches: AsyncIterable<ColumnBatch>): Promise<string> {
  const sink = memorySink();
  const { type, nullable, array } = column;
  const target = await createCFile(sink, { type, nullable, array });
  for await (const batch of batches) {
    await target.append(batch);
  }
  await target.finish();
  await using file = await openCFile(sink.bytes());
  const hash = createHash("sha256");
  for await (const piece of canonicalBytes(file)) {
    hash.update(piece);
  }
  return hash.digest("hex");
}

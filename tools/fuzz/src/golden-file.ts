/** The golden files with their parts, which mutations aim at. */
import { readdirSync, readFileSync } from "node:fs";
import type { BlockLocation } from "@cfile/bytes";
import type { CFileFooter } from "@cfile/format";
import { memorySource } from "@cfile/io";
import { openCFile } from "cfile";

export interface GoldenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly blocks: readonly BlockLocation[];
  readonly footerStart: number;
  readonly checksums: boolean;
  readonly footer: CFileFooter;
}

const folder = new URL("../../../fixtures/golden/", import.meta.url);

/** @param largest bytes of a file that is still taken */
export async function goldenFiles(largest: number): Promise<GoldenFile[]> {
  const files: GoldenFile[] = [];
  for (const file of readdirSync(folder).filter((each) => each.endsWith(".cfile"))) {
    const bytes = new Uint8Array(readFileSync(new URL(file, folder)));
    if (bytes.length <= largest) {
      files.push(await goldenFile(file.slice(0, -".cfile".length), bytes));
    }
  }
  return files;
}

async function goldenFile(name: string, bytes: Uint8Array): Promise<GoldenFile> {
  const file = await openCFile(memorySource(bytes));
  const layout = await file.layout();
  const places = [
    ...(await file.listDataBlocks()),
    ...(layout.posidx?.indexBlocks ?? []),
    ...(layout.validx?.indexBlocks ?? []),
    ...(layout.dictionary === undefined ? [] : [layout.dictionary]),
  ];
  const { footer, footerRange, wrapping } = file.structure;
  return {
    name,
    bytes,
    blocks: places.map(({ offset, size }) => ({ offset, size })),
    footerStart: footerRange.offset,
    checksums: wrapping.checksums,
    footer,
  };
}

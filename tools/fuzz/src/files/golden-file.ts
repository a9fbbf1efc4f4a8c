/** The golden files with their parts, as targets for mutations. */
import { readdirSync, readFileSync } from "node:fs";
import type { BlockLocation } from "@cfile/bytes";
import { type CFileFooter, openCFile } from "@cfile/format";
import { memorySource } from "@cfile/io";
import type { Subject } from "../harness.js";

/** A file with header, blocks and footer: a column, deltas, or Bloom filters. */
export interface GoldenFile extends Subject {
  readonly blocks: readonly BlockLocation[];
  readonly indexBlocks: readonly BlockLocation[];
  readonly footerStart: number;
  readonly checksums: boolean;
  readonly footer: CFileFooter;
}

const folder = new URL("../../../../fixtures/golden/", import.meta.url);
const loaded = new Map<number, Promise<GoldenFile[]>>();

/** @param largest maximum file size in bytes */
export function goldenFiles(largest: number): Promise<GoldenFile[]> {
  const known = loaded.get(largest) ?? readGoldenFiles(largest);
  loaded.set(largest, known);
  return known;
}

async function readGoldenFiles(largest: number): Promise<GoldenFile[]> {
  const files: GoldenFile[] = [];
  for (const file of readdirSync(folder).filter((each) => each.endsWith(".cfile"))) {
    const bytes = new Uint8Array(readFileSync(new URL(file, folder)));
    if (bytes.length <= largest) {
      files.push(await partsOf(file.slice(0, -".cfile".length), bytes));
    }
  }
  return files;
}

/** The parts of a valid file. */
export async function partsOf(name: string, bytes: Uint8Array): Promise<GoldenFile> {
  const file = await openCFile(memorySource(bytes));
  const layout = await file.layout();
  const indexBlocks = [...(layout.posidx?.indexBlocks ?? []), ...(layout.validx?.indexBlocks ?? [])];
  const places = [
    ...(await file.listDataBlocks()),
    ...indexBlocks,
    ...(layout.dictionary === undefined ? [] : [layout.dictionary]),
  ];
  const { footer, footerRange, wrapping } = file.structure;
  const place = ({ offset, size }: BlockLocation): BlockLocation => ({ offset, size });
  return {
    name,
    bytes,
    blocks: places.map(place),
    indexBlocks: indexBlocks.map(place),
    footerStart: footerRange.offset,
    checksums: wrapping.checksums,
    footer,
  };
}

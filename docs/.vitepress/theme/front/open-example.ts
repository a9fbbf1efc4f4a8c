/** The example of the front page: a file that Kudu's own writer made, and what reading it takes. */
import { CFileReader } from "@cfile/format";
import { type ByteSource, memorySource } from "@cfile/io";
import example from "../../../../fixtures/golden/idx_string_prefix_opt.cfile?url";
import { type FilePart, partsOf } from "./file-map.js";

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export interface OpenExample {
  readonly file: CFileReader;
  readonly size: number;
  readonly parts: readonly FilePart[];
  /** Does some work and tells what it read. */
  watched<T>(work: () => Promise<T>): Promise<{ result: T; reads: readonly ByteRange[] }>;
}

export async function openExample(): Promise<OpenExample> {
  const response = await fetch(example);
  const bytes = memorySource(new Uint8Array(await response.arrayBuffer()), "example.cfile");
  let reads: ByteRange[] = [];
  const source: ByteSource = {
    name: bytes.name,
    size: (options) => bytes.size(options),
    read: (offset, length, options) => {
      reads.push({ offset, length });
      return bytes.read(offset, length, options);
    },
  };
  // Nothing is kept, so that every look-up shows what it takes.
  const file = await CFileReader.open(source, { cacheBytes: 0 });
  const parts = await partsOf(file);
  return {
    file,
    size: await bytes.size(),
    parts,
    watched: async (work) => {
      reads = [];
      return { result: await work(), reads };
    },
  };
}

/** Writes and opens Bloom files in memory; sources that count reads, sinks that fail. */
import { CFileContainerWriter, type WriterOptions } from "@cfile/format/write";
import { type ByteSink, type ByteSource, memorySink, memorySource } from "@cfile/io";
import {
  type BloomFileReader as BloomFile,
  type BloomOpenOptions,
  type KeyBatch,
  openBloomFile,
} from "../src/index.js";
import { BloomFileWriter, type BloomFileWriterOptions } from "../src/write.js";

export const ascii = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));

export function batchOf(keys: readonly Uint8Array[]): KeyBatch {
  const offsets = new Int32Array(keys.length + 1);
  for (const [i, key] of keys.entries()) {
    offsets[i + 1] = (offsets[i] as number) + key.length;
  }
  return { offsets, data: new Uint8Array(Buffer.concat(keys)) };
}

/** The keys `key000`, `key001`, … */
export const numberedKeys = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => ascii(`key${String(i).padStart(3, "0")}`));

export async function writeBloom(
  keys: readonly Uint8Array[],
  options: BloomFileWriterOptions = {},
  batchKeys = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new BloomFileWriter(sink, options);
  for (let from = 0; from < keys.length; from += batchKeys) {
    await writer.appendMany(batchOf(keys.slice(from, from + batchKeys)));
  }
  await writer.finish();
  return sink.bytes();
}

export const openBloom = (bytes: Uint8Array, options?: BloomOpenOptions): Promise<BloomFile> =>
  openBloomFile(memorySource(bytes, "x.bloom"), options);

/** A file with the container of a Bloom file, except for `options`, and with any bytes as blocks. */
export async function writeBlocks(
  blocks: readonly { readonly key: Uint8Array; readonly bytes: Uint8Array }[],
  options: Partial<WriterOptions> = {},
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileContainerWriter(sink, {
    type: "BINARY",
    encoding: "PLAIN_ENCODING",
    posidx: false,
    validx: true,
    optimizeIndexKeys: false,
    ...options,
  });
  await writer.finish(() => {
    for (const { key, bytes } of blocks) {
      writer.appendRawBlock({ bytes, firstRow: 0, firstKey: key, lastKey: key });
    }
    return { rows: 0 };
  });
  return sink.bytes();
}

/** A source that records the offsets of its reads. */
export function countingSource(bytes: Uint8Array): ByteSource & { readonly reads: number[] } {
  const source = memorySource(bytes, "x.bloom");
  const reads: number[] = [];
  return {
    name: source.name,
    reads,
    size: (options) => source.size(options),
    read: (offset, length, options) => {
      reads.push(offset);
      return source.read(offset, length, options);
    },
  };
}

/** A sink that fails at its `count`-th write, or when it is closed. */
export function failingSink(count: number): ByteSink & { readonly calls: string[] } {
  const calls: string[] = [];
  let writes = 0;
  return {
    name: "x.bloom",
    calls,
    write: async () => {
      calls.push("write");
      if (++writes > count) {
        throw new TypeError("disk full");
      }
    },
    close: async () => {
      calls.push("close");
      throw new TypeError("disk full");
    },
    abort: async () => {
      calls.push("abort");
    },
  };
}

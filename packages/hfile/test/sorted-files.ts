/** Sorted entries, and files made from them, for tests with generated data. */
import { compareBytes } from "@cfile/bytes";
import { memorySink } from "@cfile/io";
import fc from "fast-check";
import { HFileWriter, type HFileWriterOptions } from "../src/write.js";

export interface Entry {
  readonly row: Uint8Array;
  readonly value: Uint8Array;
}

/** Rows with long common prefixes, repeated rows and empty ones. */
export const sortedEntries: fc.Arbitrary<Entry[]> = fc
  .array(
    fc.record({
      row: fc.oneof(
        fc.uint8Array({ maxLength: 6 }),
        fc
          .tuple(fc.constantFrom("", "a", "prefix-", "prefix-prefix-prefix-\u{1f600}"), fc.nat(200))
          .map(([prefix, n]) => new TextEncoder().encode(prefix + (n % 7 === 0 ? "" : n))),
      ),
      value: fc.uint8Array({ maxLength: 300 }),
    }),
    { maxLength: 150, size: "max" },
  )
  .map((entries) => entries.sort((a, b) => compareBytes(a.row, b.row)));

const formats = fc.oneof(
  fc.record({
    profile: fc.constant("hbase" as const),
    compression: fc.constantFrom("NONE" as const, "GZ" as const, "SNAPPY" as const, "LZ4" as const),
  }),
  fc.record({
    profile: fc.constant("hudi" as const),
    compression: fc.constantFrom("NONE" as const, "GZ" as const),
  }),
);

const sizes = fc.record({
  blockSize: fc.constantFrom(256, 1024, 4096, 65536, 1 << 20),
  indexBlockSize: fc.constantFrom(64, 256, 131072),
  bytesPerChecksum: fc.constantFrom(64, 16384),
});

export const writerOptions: fc.Arbitrary<HFileWriterOptions> = fc
  .tuple(formats, sizes)
  .map(([format, size]) => ({ ...format, ...size }));

export async function writeFile(entries: readonly Entry[], options: HFileWriterOptions): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new HFileWriter(sink, options);
  writer.addMetaBlock("note", new Uint8Array(100).fill(65));
  await writer.append(entries);
  await writer.finish();
  return sink.bytes();
}

/** A file of `count` cells `key-00000000` … */
export function numberedEntries(count: number): Entry[] {
  const encoder = new TextEncoder();
  return Array.from({ length: count }, (_, i) => ({
    row: encoder.encode(`key-${String(i).padStart(8, "0")}`),
    value: encoder.encode(`value ${i}`),
  }));
}

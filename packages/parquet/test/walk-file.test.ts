/** A walk finds the parts of a file from its bytes alone: for any bytes, the parts have no gaps and do not overlap. */
import { ByteBuilder, concatBytes } from "@cfile/bytes";
import { type ByteSource, memorySource } from "@cfile/io";
import { randomNumbers, readGolden } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageCrc } from "../src/pages/page-header.js";
import type { FilePart } from "../src/walk/file-part.js";
import { hasMetadataShape, readMetadataFields } from "../src/walk/metadata-fields.js";
import { type WalkOptions, walkFile } from "../src/walk/walk-file.js";
import { dataPageV1 } from "../src/write/page-writer.js";
import { craftedFile } from "./crafted-file.js";
import { footerSize } from "./rebuilt-rows.js";

async function partsOf(source: ByteSource, options: WalkOptions = {}): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for await (const part of walkFile(source, options)) {
    parts.push(part);
  }
  return parts;
}

/** A page of integers; with a CRC, unless its field is cut out of the header. */
function page(values: readonly number[]): Uint8Array {
  const { parts } = dataPageV1(
    {
      levels: { repetitions: undefined, definitions: undefined, valueCount: values.length, nullCount: 0 },
      ...{ rowCount: values.length, encoding: "PLAIN" },
      values: new Uint8Array(Int32Array.from(values).buffer),
    },
    undefined,
    new ByteBuilder(64),
  );
  return concatBytes(parts);
}

/** Version 1, 8 bytes, 2 values, no CRC; `stored` states another size. */
const bare = (stored = 8): Uint8Array =>
  Uint8Array.of(
    0x15,
    0,
    0x15,
    16,
    0x15,
    2 * stored,
    0x2c,
    0x15,
    4,
    0x15,
    0,
    0x15,
    6,
    0x15,
    6,
    0,
    0,
    ...Array(8).fill(9),
  );

const footer = (() => {
  const file = craftedFile(
    [
      { name: "root", num_children: 1 },
      { name: "a", type: "INT32", repetition_type: "REQUIRED" },
    ],
    2,
    [{ path: "a", pages: [{ values: [1, 2] }] }],
  );
  return file.subarray(file.length - footerSize(file));
})();
/** Two page locations: offset, size, first row. */
const offsetIndex = Uint8Array.of(
  0x19,
  0x2c,
  0x16,
  8,
  0x15,
  50,
  0x16,
  0,
  0,
  0x16,
  58,
  0x15,
  50,
  0x16,
  4,
  0,
  0,
);
const noLocations = Uint8Array.of(0x19, 0x0c, 0);

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 }).map(page) },
  { weight: 2, arbitrary: fc.constantFrom(bare(), bare(2), bare(60), bare(1000)) },
  { weight: 1, arbitrary: fc.constantFrom(page([1, 2, 3]).with(-1, 7), page([1]).subarray(0, -2)) },
  { weight: 2, arbitrary: fc.nat(40).map((size) => new Uint8Array(size)) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constantFrom(offsetIndex, noLocations, footer, footer.subarray(0, 20)) },
);

describe("the parts of a file", () => {
  it("cover any bytes, and have the CRC that they claim", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (pieces, hasMagic) => {
        const bytes = concatBytes([...(hasMagic ? [new TextEncoder().encode("PAR1")] : []), ...pieces]);
        let end = 0;
        for (const part of await partsOf(memorySource(bytes))) {
          expect([part.offset, part.size > 0]).toEqual([end, true]);
          end += part.size;
          if (part.kind === "page" && part.crc === "right") {
            const stored = bytes.subarray(part.offset + part.headerSize, end);
            expect(pageCrc(stored)).toBe(part.header.crc);
          }
        }
        expect(end).toBe(bytes.length);
      }),
      { seed: 9, numRuns: 1500 },
    );
  });

  it("include all pages with a CRC between bytes that are not parts", async () => {
    const random = randomNumbers(4);
    for (let round = 0; round < 50; round++) {
      const pieces = Array.from({ length: 8 }, (_, i) =>
        i % 2 === 0
          ? page(Array.from({ length: 1 + random(30) }, () => random(1 << 30)))
          : new Uint8Array(random(60)).fill(random(2) === 0 ? 0 : 0xee),
      );
      const starts = pieces.map((_, i) => concatBytes(pieces.slice(0, i)).length);
      const found = await partsOf(memorySource(concatBytes(pieces)));
      const pages = found.flatMap((part) => (part.kind === "page" ? [part.offset] : []));
      expect(pages).toEqual(starts.filter((_, i) => i % 2 === 0));
    }
  });

  it("are the same from a source that answers in memory of its own", async () => {
    const bytes = readGolden("parquet/rle-dict-snappy-checksum.parquet");
    const source = memorySource(bytes);
    const other: ByteSource = {
      name: source.name,
      size: source.size,
      read: (at, length) => source.read(at, length),
    };
    expect(await partsOf(other)).toEqual(await partsOf(source));
    expect(await partsOf(memorySource(new Uint8Array(0)))).toEqual([]);
  });

  it("have unchecked CRCs on request", async () => {
    const bytes = concatBytes([page([1, 2]), page([3]).with(-1, 7)]);
    const kinds = async (options: WalkOptions) =>
      (await partsOf(memorySource(bytes), options)).map((part) =>
        part.kind === "page" ? part.crc : part.kind,
      );
    expect(await kinds({ verifyChecksums: false })).toEqual(["unchecked", "unchecked"]);
    expect(await kinds({})).toEqual(["right", "wrong"]);
  });

  it("end in a header that is cut at the end of the file", async () => {
    // The statistics of the page claim 5,000 bytes.
    const head = [
      0x15, 0, 0x15, 16, 0x15, 16, 0x2c, 0x15, 4, 0x15, 0, 0x15, 6, 0x15, 6, 0x1c, 0x18, 0x88, 0x27,
    ];
    const cut = new Uint8Array(4096);
    cut.set(head);
    const [part, ...others] = await partsOf(memorySource(cut));
    expect([part?.kind, part?.size, others]).toEqual(["unknown", 4096, []]);
  });
});

describe("file metadata", () => {
  const list = (count: number): number[] =>
    count < 15 ? [(count << 4) | 12] : [0xfc, (count & 0x7f) | 0x80, count >>> 7];
  it.each<readonly [string, readonly number[], boolean]>([
    ["a version and a list of elements with names", [0x15, 2, 0x19, ...list(2), 0x48], true],
    ["version 2", [0x15, 4, 0x19, ...list(2), 0x48], true],
    ["elements with types first", [0x15, 2, 0x19, ...list(2), 0x15], true],
    ["elements with repetitions first", [0x15, 2, 0x19, ...list(2), 0x35], true],
    ["many elements", [0x15, 2, 0x19, ...list(300), 0x48], true],
    ["version 3", [0x15, 6, 0x19, ...list(2), 0x48], false],
    ["a list of numbers", [0x15, 2, 0x19, 0x25, 0x48], false],
    ["other elements", [0x15, 2, 0x19, ...list(2), 0x66], false],
    ["a list that is cut", [0x15, 2, 0x19], false],
    ["many elements that are cut", [0x15, 2, 0x19, 0xfc, 0x80], false],
  ])("may start with %s, or not", (_, bytes, expected) => {
    expect(hasMetadataShape(Uint8Array.from(bytes), 0)).toBe(expected);
  });

  it("are read as far as they are valid, if that includes the schema", () => {
    const thrift = footer.subarray(0, footer.length - 8);
    const whole = readMetadataFields(thrift);
    expect([whole?.isComplete, whole?.size, whole?.metadata.row_groups.length]).toEqual([
      true,
      thrift.length,
      1,
    ]);
    const { size = 0 } = readMetadataFields(thrift.subarray(0, -1)) ?? {};
    expect(size).toBeGreaterThan(10);
    for (let end = 0; end < thrift.length; end++) {
      const found = readMetadataFields(thrift.subarray(0, end));
      expect([found?.isComplete ?? false, found?.metadata.schema.length ?? 2]).toEqual([false, 2]);
    }
    expect(readMetadataFields(Uint8Array.of(0x29, 0x0c, 0))).toBeUndefined();
    expect(readMetadataFields(Uint8Array.of(0x15, 2, 0x35, 0, 0))).toBeUndefined();
    // Field 1 comes after the schema.
    expect(readMetadataFields(Uint8Array.of(0x29, 0x0c, 0x05, 2, 2, 0))).toBeUndefined();
  });
});

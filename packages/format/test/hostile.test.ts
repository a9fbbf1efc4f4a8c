import { crc32c, isCFileError } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCFile, parseFooter } from "../src/index.js";
import { CFileWriter, encodeFooter, type WriterOptions } from "../src/write.js";
import { goldenBytes, goldenNames } from "./golden.js";

async function readAll(bytes: Uint8Array): Promise<number> {
  const file = await openCFile(memorySource(bytes));
  let rows = 0;
  for await (const batch of file.scan()) {
    rows += batch.length;
  }
  return rows;
}

const DAMAGED = ["E_CHECKSUM", "E_CORRUPT", "E_TRUNCATED", "E_LIMIT"];

/**
 * Calls the methods of a reader, which may throw only a `CFileError`. Returns `"damaged"` if damage is found, `"ok"` if not, and
 * any other error code.
 */
async function exercise(bytes: Uint8Array): Promise<string> {
  try {
    const file = await openCFile(memorySource(bytes), {
      limits: { maxBlockRows: 1 << 20, maxBlockElements: 1 << 20 },
    });
    await file.layout();
    const report = await file.verify();
    for await (const batch of file.scan()) {
      batch.toArray();
    }
    if (file.rowCount > 0) {
      await file.get(file.rowCount - 1);
    }
    return report.ok ? "ok" : "damaged";
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return DAMAGED.includes(error.code) ? "damaged" : error.code;
  }
}

async function written(
  options: WriterOptions,
  values: readonly (number | string | null)[],
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, options);
  await writer.append(batchFromValues(options, values));
  await writer.finish();
  return sink.bytes();
}

describe("damaged files", () => {
  const small = goldenNames.filter((name) => {
    const { length } = goldenBytes(name);
    return (
      length <= 300 && !name.startsWith("nochk") && !name.startsWith("v1") && !name.includes("nochecksum")
    );
  });

  test.each(small.slice(0, 60).map((name, i) => [name, i < 8]))(
    "%s: every flipped bit is detected",
    async (name, everyBit) => {
      const bytes = goldenBytes(name);
      for (let bit = 0; bit < 8 * bytes.length; bit += everyBit ? 1 : 9) {
        const damaged = bytes.slice();
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(await exercise(damaged), `bit ${bit}`).toBe("damaged");
      }
    },
  );

  test.each(["enc_int32_plain_n9", "enc_string_dict_null_n8", "idx_string_prefix_opt", "comp_lz4_indexes"])(
    "%s is rejected when truncated at any length",
    async (name) => {
      const bytes = goldenBytes(name);
      const step = Math.max(1, Math.floor(bytes.length / 200));
      for (let length = 0; length < bytes.length; length += step) {
        expect(await exercise(bytes.subarray(0, length))).toBe("damaged");
      }
    },
  );

  test("without checksums throw only CFileErrors", async () => {
    const names = goldenNames.filter((name) => name.startsWith("nochk") || name === "comp_lz4_nochecksum");
    expect(names.length).toBeGreaterThan(20);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (name, changes) => {
          const bytes = goldenBytes(name);
          for (const [at, value] of changes) {
            bytes[at % bytes.length] = value;
          }
          await exercise(bytes);
        },
      ),
      { seed: 7, numRuns: 600 },
    );
  });

  test("of other formats are rejected", async () => {
    for (const text of ["", "PAR1", "x".repeat(5000)]) {
      await expect(readAll(new TextEncoder().encode(text))).rejects.toMatchObject({
        code: expect.stringMatching(/E_CORRUPT|E_TRUNCATED/),
      });
    }
  });
});

describe("a footer", () => {
  const base = goldenBytes("enc_int32_plain_n9");

  /** The file with a modified footer, and with matching checksum and length. */
  function withFooter(bytes: Uint8Array, change: (protobuf: Uint8Array) => Uint8Array): Uint8Array {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const length = view.getUint32(bytes.length - 4, true);
    const start = bytes.length - 12 - length;
    const protobuf = change(bytes.slice(start, start + length));
    const out = new Uint8Array(start + protobuf.length + 12);
    out.set(bytes.subarray(0, start));
    out.set(protobuf, start);
    out.set(bytes.subarray(bytes.length - 12), start + protobuf.length);
    const outView = new DataView(out.buffer);
    outView.setUint32(out.length - 4, protobuf.length, true);
    outView.setUint32(start - 4, crc32c(out, start), true);
    return out;
  }

  const edited = (fields: Partial<ReturnType<typeof parseFooter>>): Uint8Array =>
    withFooter(base, (protobuf) => encodeFooter({ ...parseFooter(protobuf), ...fields }));

  test("with a changed field and a valid checksum is read", async () => {
    expect(await readAll(edited({ compatibleFeatures: 4 }))).toBe(9);
  });

  test.each([
    [
      "with an unknown feature bit",
      edited({ incompatibleFeatures: 1 | 4 }),
      "E_UNSUPPORTED",
      "incompatible_features",
    ],
    ["with an array flag without the feature", edited({ array: true }), "E_CORRUPT", "is_type_array"],
    [
      "with an array feature without the flag",
      edited({ incompatibleFeatures: 3 }),
      "E_CORRUPT",
      "is_type_array",
    ],
    [
      "with dictionary encoding but no dictionary",
      edited({ dataType: "STRING", encoding: "DICT_ENCODING" }),
      "E_CORRUPT",
      "dict_block_ptr",
    ],
    [
      "with a dictionary but another encoding",
      edited({ dictionary: { offset: 16, size: 20 } }),
      "E_CORRUPT",
      "dict_block_ptr",
    ],
    [
      "with an encoding that the type does not support",
      edited({ encoding: "PREFIX_ENCODING" }),
      "E_UNSUPPORTED",
      "encoding",
    ],
    ["with an obsolete encoding", edited({ encoding: "GROUP_VARINT" }), "E_UNSUPPORTED", "encoding"],
    ["with more rows than the blocks", edited({ rowCount: 10 }), "E_CORRUPT", "num_values"],
    [
      "with an index root inside the header",
      edited({ posidx: { offset: 0, size: 30 } }),
      "E_CORRUPT",
      "block pointer",
    ],
    [
      "with an index root that reaches into the footer",
      edited({ posidx: { offset: 100, size: 1 << 20 } }),
      "E_CORRUPT",
      "block pointer",
    ],
    [
      "with an index root far outside the file",
      edited({ posidx: { offset: Number.MAX_SAFE_INTEGER, size: 1 } }),
      "E_CORRUPT",
      "block pointer",
    ],
    [
      "with an index root too small for a checksum",
      edited({ posidx: { offset: 16, size: 3 } }),
      "E_CORRUPT",
      "block pointer",
    ],
    ["with type ID 21", withFooter(base, (pb) => pb.with(1, 21)), "E_UNSUPPORTED", "data_type"],
    ["with type ID 99", withFooter(base, (pb) => pb.with(1, 99)), "E_CORRUPT", "data_type"],
    ["with encoding ID 9", withFooter(base, (pb) => pb.with(3, 9)), "E_CORRUPT", "encoding"],
    ["without fields", withFooter(base, () => new Uint8Array(0)), "E_CORRUPT", "footer"],
    ["that is not a protobuf message", withFooter(base, (pb) => pb.fill(0xff)), "E_CORRUPT", "footer"],
    [
      "with compression ID 0",
      withFooter(base, (pb) => Uint8Array.of(...pb, 0x30, 0)),
      "E_CORRUPT",
      "compression",
    ],
    [
      "with compression ID 7",
      withFooter(base, (pb) => Uint8Array.of(...pb, 0x30, 7)),
      "E_CORRUPT",
      "compression",
    ],
    [
      "with a negative row count",
      withFooter(base, (pb) => Uint8Array.of(...pb, 0x18, ...Array(9).fill(0xff), 1)),
      "E_CORRUPT",
      "num_values",
    ],
    [
      "with 2^32 rows",
      withFooter(base, (pb) => Uint8Array.of(...pb, 0x18, 0x80, 0x80, 0x80, 0x80, 0x10)),
      "E_CORRUPT",
      "num_values",
    ],
  ])("%s is rejected", async (_, bytes, code, field) => {
    await expect(readAll(bytes)).rejects.toMatchObject({ code, field });
  });

  test("longer than the limit or the file is rejected before it is read", async () => {
    for (const [length, code] of [
      [65537, "E_LIMIT"],
      [0xffffffff, "E_LIMIT"],
      [60000, "E_TRUNCATED"],
    ] as const) {
      const bytes = base.slice();
      new DataView(bytes.buffer).setUint32(bytes.length - 4, length, true);
      await expect(readAll(bytes)).rejects.toMatchObject({ code, field: "footer length" });
    }
  });

  test("that contradicts the version of the header is rejected, and so is a header that is too long", async () => {
    const other = base.slice();
    other.set(new TextEncoder().encode("kuducfil"));
    await expect(readAll(other)).rejects.toMatchObject({ code: "E_CORRUPT", field: "header magic" });
    const long = base.slice();
    new DataView(long.buffer).setUint32(8, 65537, true);
    await expect(readAll(long)).rejects.toMatchObject({ code: "E_LIMIT", field: "header length" });
    new DataView(long.buffer).setUint32(8, 60000, true);
    await expect(readAll(long)).rejects.toMatchObject({ code: "E_TRUNCATED", field: "header length" });
  });
});

describe("sources", () => {
  const bytes = goldenBytes("enc_int32_plain_n1000");
  const source = (read: ByteSource["read"]): ByteSource => ({
    name: "odd",
    size: async () => bytes.length,
    read,
  });

  test("that return fewer or more bytes than requested are rejected", async () => {
    for (const extra of [-1, 1]) {
      const odd = source(async (offset, length) => bytes.slice(offset, offset + length + extra));
      await expect(openCFile(odd)).rejects.toMatchObject({
        code: expect.stringMatching(/E_TRUNCATED|E_IO/),
      });
    }
  });

  test("are not read after an abort; the scan rejects with its reason", async () => {
    const controller = new AbortController();
    const file = await openCFile(memorySource(goldenBytes("idx_int32_plain_opt")));
    const scan = file.scan({ signal: controller.signal });
    await scan.next();
    controller.abort(new Error("enough"));
    await expect(scan.next()).rejects.toThrow("enough");
  });
});

describe("limits", () => {
  test("are named in the error", async () => {
    const bytes = await written({ type: "STRING", compression: "LZ4", encoding: "PLAIN_ENCODING" }, [
      "x".repeat(5000),
    ]);
    const file = await openCFile(memorySource(bytes), { limits: { maxBlockSize: 1000 } });
    await expect(file.toArray()).rejects.toMatchObject({
      code: "E_LIMIT",
      message: expect.stringContaining("maxBlockSize"),
    });
    const nulls = await written({ type: "INT32", nullable: true }, Array(1000).fill(null));
    const capped = await openCFile(memorySource(nulls), { limits: { maxBlockRows: 999 } });
    await expect(capped.toArray()).rejects.toMatchObject({ code: "E_LIMIT" });
  });
});

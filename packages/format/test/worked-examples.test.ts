/**
 * Compares written files byte for byte with the worked examples of the specification:
 *
 * - docs/spec/cfile.md#35-worked-file-zero-rows
 * - docs/spec/cfile.md#36-worked-file-plain-numbers
 * - docs/spec/cfile.md#37-worked-file-dictionary
 * - docs/spec/cfile.md#74-building-and-order-in-the-file
 */
import type { InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink } from "@cfile/io";
import { expect, test } from "vitest";
import { CFileWriter, type WriterOptions } from "../src/write.js";

async function write(options: WriterOptions, units: readonly InputCell[][]): Promise<string> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, options);
  for (const values of units) {
    await writer.append(batchFromValues(options, values));
  }
  await writer.finish();
  return Buffer.from(sink.bytes()).toString("hex");
}

const joined = (...parts: string[]): string => parts.join("").replace(/\s+/g, "");
const HEADER = "6b 75 64 75 63 66 6c 32 00 00 00 00 02 94 3a d3";
const MAGIC = "6b 75 64 75 63 66 6c 32";

test("zero rows (3.5)", async () => {
  expect(await write({ type: "INT32", encoding: "PLAIN_ENCODING" }, [])).toBe(
    joined(
      HEADER,
      "08 00 10 00  04 00 00 00  9d b7 3d 75  28 ad 75 01",
      "08 05 10 01 18 00 22 06 0a 04 08 10 10 0c 30 01 40 00 50 01",
      MAGIC,
      "14 00 00 00",
    ),
  );
});

test("three sorted values with both indexes (3.6)", async () => {
  expect(await write({ type: "INT32", encoding: "PLAIN_ENCODING", validx: true }, [[-3, 1, 2]])).toBe(
    joined(
      HEADER,
      "03 00 00 00 00 00 00 00 fd ff ff ff 01 00 00 00 02 00 00 00 9d f2 26 a5",
      "04 00 00 00 00 10 18 00 00 00 00 08 01 10 00 04 00 00 00 33 c9 f2 19",
      "01 7f 10 18 00 00 00 00 08 01 10 00 04 00 00 00 9a dd 53 c8",
      "5c 7f 10 16",
      "08 05 10 01 18 03 22 06 0a 04 08 28 10 17 2a 06 0a 04 08 3f 10 14 30 01 40 00 50 01",
      MAGIC,
      "1c 00 00 00",
    ),
  );
});

test("a nullable dictionary column with LZ4 (3.7)", async () => {
  const options = { type: "STRING", nullable: true, compression: "LZ4" } as const;
  expect(await write(options, [["x", null, "yy", "x"]])).toBe(
    joined(
      HEADER,
      "29 00 00 00 62 04 02 03 0d 01 00 01 00 c3 03 00 00 00 21 00 00 00 08 00 00 00 14 00 a0 09 80 02 00 00 00 00 00 00 00 ae 6c 84 57",
      "13 00 00 00 04 00 00 00 00 10 2b 00 00 00 00 08 01 10 00 04 00 00 00 fe 23 e3 65",
      "14 00 00 00 00 00 00 00 02 00 00 00 0f 00 00 00 78 79 79 00 0c 0d 00 00 76 c1 c2 7c",
      "3c 56 41 84 08 08 10 05 18 04 22 06 0a 04 08 3b 10 1b 30 03 40 01 4a 04 08 56 10 1c 50 01",
      MAGIC,
      "1a 00 00 00",
    ),
  );
});

/** Which options a damaged file requires, and which properties its remains show. */
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { openCFile } from "../src/index.js";
import { type DamagedCFileOptions, scanDamagedCFile } from "../src/recover.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";

async function written(options: WriterOptions, values: readonly unknown[]): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { blockSize: 1024, ...options });
  const { type, nullable = false, array = false } = options;
  await writer.append(batchFromValues({ type, nullable, array }, values as never));
  await writer.finish();
  return sink.bytes();
}

const numbers = Array.from({ length: 2000 }, (_, i) => (i * 7919) % 100_003);
const plain = await written({ type: "INT32", encoding: "PLAIN_ENCODING" }, numbers);

async function withoutFooter(bytes: Uint8Array): Promise<Uint8Array> {
  const { footerRange } = (await openCFile(memorySource(bytes))).structure;
  return bytes.slice(0, footerRange.offset);
}

/** With a flipped bit in the checksum of the footer, which can still be parsed. */
async function withDoubtfulFooter(bytes: Uint8Array): Promise<Uint8Array> {
  const { footerRange } = (await openCFile(memorySource(bytes))).structure;
  const damaged = bytes.slice();
  damaged[footerRange.offset] = (damaged[footerRange.offset] as number) ^ 1;
  return damaged;
}

const scan = (bytes: Uint8Array, options: DamagedCFileOptions) =>
  scanDamagedCFile(memorySource(bytes), options);

describe("a damaged file", () => {
  test.each<[string, DamagedCFileOptions, string, string]>([
    ["without its type", {}, "E_INVALID_ARGUMENT", "type"],
    ["with an unknown type", { type: "INT33" as never }, "E_INVALID_ARGUMENT", "type"],
    ["with another encoding", { type: "INT32", encoding: "PREFIX_ENCODING" }, "E_UNSUPPORTED", "encoding"],
    [
      "without a codec",
      { type: "INT32", compression: "LZ4", codecs: {} as never, encoding: "RLE" },
      "E_UNSUPPORTED",
      "compression",
    ],
    ["as a file of text", { type: "STRING" }, "E_INVALID_ARGUMENT", "encoding"],
  ])("whose footer is lost is refused %s", async (_, options, code, field) => {
    await expect(scan(await withoutFooter(plain), options)).rejects.toMatchObject({ code, field });
  });

  test("whose header and footer are lost is read with all properties stated", async () => {
    const bytes = await withoutFooter(plain);
    bytes.fill(0, 0, 8);
    const known: DamagedCFileOptions = {
      type: "INT32",
      encoding: "PLAIN_ENCODING",
      compression: "NO_COMPRESSION",
      nullable: false,
      array: false,
      checksums: true,
    };
    const { ledger } = await scan(bytes, known);
    expect(ledger).toMatchObject({
      rowsKept: 2000,
      column: { version: 2, knownFrom: { version: "guessed" } },
    });
  });
});

describe("a doubtful footer", () => {
  const nulls = numbers.map((value) => (value % 7 === 0 ? null : value));
  const lists = numbers.map((value) => (value % 7 === 0 ? null : [value]));
  test.each([
    ["INT32, PLAIN_ENCODING, NO_COMPRESSION", { type: "INT32", encoding: "PLAIN_ENCODING" }, numbers],
    [
      "INT32, PLAIN_ENCODING, LZ4",
      { type: "INT32", encoding: "PLAIN_ENCODING", compression: "LZ4" },
      numbers,
    ],
    ["INT32, RLE, NO_COMPRESSION, nullable", { type: "INT32", encoding: "RLE", nullable: true }, nulls],
    [
      "INT32, PLAIN_ENCODING, NO_COMPRESSION, nullable, array",
      { type: "INT32", encoding: "PLAIN_ENCODING", nullable: true, array: true },
      lists,
    ],
  ] as const)("is quoted when the type must be stated: %s", async (said, options, values) => {
    const bytes = await withDoubtfulFooter(await written(options, values));
    await expect(scan(bytes, {})).rejects.toMatchObject({
      field: "type",
      reason: expect.stringContaining(`a damaged footer says ${said}`),
    });
    const { ledger } = await scan(bytes, { type: "INT32" });
    expect(ledger).toMatchObject({ rowsKept: 2000, column: { encoding: options.encoding } });
  });
});

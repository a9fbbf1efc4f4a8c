/** Files with neither a positional nor a value index: their blocks are found by walking from the header. */
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { openCFile } from "../src/index.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";

const ROWS = 3000;

interface Column {
  readonly options: WriterOptions;
  readonly values: readonly unknown[];
}

async function written({ options, values }: Column): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { posidx: false, blockSize: 1024, ...options });
  const { type, nullable = false, array = false } = options;
  await writer.append(batchFromValues({ type, nullable, array }, values as never));
  await writer.finish();
  return sink.bytes();
}

const numbers = Array.from({ length: ROWS }, (_, i) => (i * 7919) % 100_003);
const columns: Readonly<Record<string, Column>> = {
  "bitshuffle integers": { options: { type: "INT32", encoding: "BIT_SHUFFLE" }, values: numbers },
  "plain integers": { options: { type: "INT32", encoding: "PLAIN_ENCODING" }, values: numbers },
  booleans: {
    options: { type: "BOOL", encoding: "PLAIN_ENCODING" },
    values: numbers.map((value) => value % 3 === 0),
  },
};
const others: Readonly<Record<string, Column>> = {
  "nullable integers": {
    options: { type: "INT32", encoding: "PLAIN_ENCODING", nullable: true },
    values: numbers.map((value) => (value % 5 === 0 ? null : value)),
  },
  "compressed integers": {
    options: { type: "INT32", encoding: "PLAIN_ENCODING", compression: "LZ4" },
    values: numbers,
  },
  strings: {
    options: { type: "STRING", encoding: "PLAIN_ENCODING" },
    values: numbers.map((value) => `word ${value}`),
  },
  arrays: {
    options: { type: "INT32", encoding: "PLAIN_ENCODING", array: true, nullable: true },
    values: numbers.map((value) => [value, 1]),
  },
};

async function cells(bytes: Uint8Array): Promise<unknown[]> {
  const file = await openCFile(memorySource(bytes));
  const parts: unknown[][] = [];
  for await (const batch of file.scan()) {
    parts.push(batch.toArray());
  }
  return parts.flat(1);
}

describe("a file without indexes", () => {
  test.each(Object.entries({ ...columns, ...others }))("is read by its checksums: %s", async (_, column) => {
    expect(await cells(await written(column))).toEqual(column.values);
  });

  test.each(Object.entries(columns))(
    "is read by the stated lengths of its blocks, without checksums: %s",
    async (_, { options, values }) => {
      expect(await cells(await written({ options: { ...options, checksums: false }, values }))).toEqual(
        values,
      );
    },
  );

  test.each(Object.entries(others))(
    "cannot be read if its blocks state no length and have no checksums: %s",
    async (_, { options, values }) => {
      const bytes = await written({ options: { ...options, checksums: false }, values });
      await expect(cells(bytes)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "posidx_info" });
    },
  );

  test("is read although its blocks are longer than one read", async () => {
    const options = { type: "INT32", encoding: "PLAIN_ENCODING", blockSize: 1 << 20 } as const;
    const values = Array.from({ length: 200_000 }, (_, i) => i);
    expect(await cells(await written({ options, values }))).toEqual(values);
  });

  test("cannot be read if a block is damaged", async () => {
    const bytes = await written(columns["plain integers"] as Column);
    bytes[500] = (bytes[500] as number) ^ 1;
    await expect(cells(bytes)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "posidx_info" });
  });

  test("cannot be read if a block states a length that exceeds the file", async () => {
    const { options, values } = columns["bitshuffle integers"] as Column;
    const bytes = await written({ options: { ...options, checksums: false }, values });
    const file = await openCFile(memorySource(bytes));
    const start = file.structure.headerRange.size;
    new DataView(bytes.buffer, bytes.byteOffset).setUint32(start + 8, 1 << 24, true);
    await expect(cells(bytes)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "posidx_info" });
  });
});

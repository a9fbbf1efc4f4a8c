import { fromHex, toHex } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { DELTA_INDEX_KEYS, type IndexKeys, openCFile } from "../src/index.js";
import { CFileWriter } from "../src/write.js";

/** Values of an UNDO file: rows ascend, timestamps descend within a row. */
const VALUES = Array.from({ length: 200 }, (_, i) => {
  const row = Math.floor(i / 100)
    .toString(16)
    .padStart(2, "0");
  const timestamp = (200 - (i % 100)).toString(16);
  return fromHex(`${row}${timestamp}02${"00".repeat(20)}`);
});

async function write(indexKeys: IndexKeys | undefined): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, {
    type: "BINARY",
    encoding: "PLAIN_ENCODING",
    blockSize: 512,
    posidx: false,
    validx: true,
    optimizeIndexKeys: false,
    footerMetadata: [{ key: "deltafilestats", value: new Uint8Array(0) }],
    indexKeys,
  });
  await writer.append(batchFromValues({ type: "BINARY" }, VALUES));
  await writer.finish();
  return sink.bytes();
}

describe("a value index with the keys of delta files", () => {
  it("stores whole keys, although they descend within a row", async () => {
    const reader = await openCFile(memorySource(await write(DELTA_INDEX_KEYS)));
    const keys = (await reader.layout()).validx?.entries.map(({ key }) => toHex(key)) ?? [];
    expect(keys.length).toBeGreaterThan(4);
    expect(keys[0]).toBe("00c8");
    expect(keys).not.toEqual([...keys].sort());
    expect(await reader.verify()).toMatchObject({ ok: true, kind: "delta", rows: 200 });
    expect(await reader.toArray()).toEqual(VALUES);
  });

  it("is required for values that descend", async () => {
    await expect(write(undefined)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "validx" });
  });

  it("accepts only binary values", () => {
    const words = batchFromValues({ type: "INT32" }, [1]);
    if (words.kind !== "array") {
      expect(() => DELTA_INDEX_KEYS.keyOf(words, 0)).toThrow(
        expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
      );
    }
  });
});

import { type EncodingTable, encodingsOf } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { ENCODINGS } from "@cfile/encodings/write";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { openCFile } from "../src/index.js";
import { CFileWriter } from "../src/write.js";
import { groupVarint } from "./own-encoding/group-varint.js";

const encodings: EncodingTable = [...ENCODINGS, groupVarint];

const VALUES = Uint32Array.from({ length: 5000 }, (_, i) => i * i);

async function written(nullable: boolean): Promise<Uint8Array> {
  const sink = memorySink();
  const options = { type: "UINT32", encoding: "GROUP_VARINT", blockSize: 4096, nullable, encodings } as const;
  const writer = new CFileWriter(sink, { ...options, validx: !nullable });
  await writer.append(batchFromValues({ type: "UINT32" }, VALUES));
  await writer.finish();
  return sink.bytes();
}

describe("a custom encoding", () => {
  it.each([false, true])("is written, read, searched and verified (nullable: %s)", async (nullable) => {
    const reader = await openCFile(memorySource(await written(nullable)), { encodings });
    expect(reader.encoding).toBe("GROUP_VARINT");
    const read: unknown[] = [];
    for await (const batch of reader.scan()) {
      read.push(...batch.toArray());
    }
    expect(read).toEqual([...VALUES]);
    expect(await reader.get(4321)).toBe(4321 * 4321);
    expect((await reader.verify()).problems).toEqual([]);
    if (!nullable) {
      expect(await reader.find(70 * 70)).toEqual({ row: 70, exact: true });
    }
  });

  it("is unsupported without the custom table", async () => {
    const source = memorySource(await written(false));
    await expect(openCFile(source)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "encoding",
    });
    expect(() => new CFileWriter(memorySink(), { type: "UINT32", encoding: "GROUP_VARINT" })).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field: "encoding" }),
    );
  });

  it("is listed after the others and does not change the default", () => {
    expect(encodingsOf("UINT32", encodings)).toEqual([
      "BIT_SHUFFLE",
      "PLAIN_ENCODING",
      "RLE",
      "GROUP_VARINT",
    ]);
    expect(encodingsOf("UINT32")).toEqual(["BIT_SHUFFLE", "PLAIN_ENCODING", "RLE"]);
  });
});

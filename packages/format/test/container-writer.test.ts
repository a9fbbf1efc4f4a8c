import { type ByteSink, memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { type CFileReader, openCFile } from "../src/index.js";
import { CFileContainerWriter, type RawBlock, type WriterOptions } from "../src/write.js";

const key = (text: string): Uint8Array => new TextEncoder().encode(text);
const options: WriterOptions = { type: "BINARY", encoding: "PLAIN_ENCODING", posidx: false, validx: true };
const block = (first: string, last: string): RawBlock => ({
  bytes: key(`block of ${first}`),
  firstRow: 0,
  firstKey: key(first),
  lastKey: key(last),
});

async function write(changes: Partial<WriterOptions>): Promise<CFileReader> {
  const sink = memorySink();
  const writer = new CFileContainerWriter(sink, { ...options, ...changes });
  await writer.run(() => {
    expect(writer.appendRawBlock(block("alpha", "beta"))).toMatchObject({ offset: 16 });
    writer.appendRawBlock(block("bezel", "gamma"));
  });
  const written = await writer.finish(() => {
    writer.appendRawBlock(block("gamut", "omega"));
    return { rows: 0 };
  });
  expect(written).toMatchObject({ rows: 0, dataBlocks: 3, bytes: sink.bytes().length });
  return openCFile(memorySource(sink.bytes()));
}

const indexKeys = async (file: CFileReader): Promise<string[] | undefined> =>
  (await file.layout()).validx?.entries.map((entry) => new TextDecoder().decode(entry.key));

describe("raw blocks", () => {
  test("are indexed with separating keys", async () => {
    expect(await indexKeys(await write({}))).toEqual(["a", "bez", "gamu"]);
  });

  test("are indexed with their first keys if optimizeIndexKeys is false", async () => {
    expect(await indexKeys(await write({ optimizeIndexKeys: false }))).toEqual(["alpha", "bezel", "gamut"]);
  });

  test("must have ascending keys", async () => {
    const writer = new CFileContainerWriter(memorySink("x.cfile"), options);
    const append = writer.run(() => {
      writer.appendRawBlock(block("gamma", "omega"));
      writer.appendRawBlock(block("alpha", "beta"));
    });
    await expect(append).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", path: "x.cfile" });
    await expect(writer.run(() => undefined)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(() => writer.addMetadata("a", key("b"))).toThrow("aborted");
  });
});

test("an error of a step or of the sink aborts the write", async () => {
  const aborts: unknown[] = [];
  const sink: ByteSink = {
    name: "x.cfile",
    write: async () => {
      throw new TypeError("disk full");
    },
    close: async () => undefined,
    abort: async (reason) => {
      aborts.push(reason);
    },
  };
  const failure = new RangeError("no block");
  const first = new CFileContainerWriter(sink, options);
  await expect(
    first.run(() => {
      throw failure;
    }),
  ).rejects.toBe(failure);
  const second = new CFileContainerWriter(sink, options);
  await expect(second.finish(() => ({ rows: 0 }))).rejects.toThrow("disk full");
  expect(aborts).toEqual([failure, new TypeError("disk full")]);
});

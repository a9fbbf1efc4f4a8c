import { type CFileErrorCode, isCFileError } from "@cfile/bytes";
import { memorySink } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { type HFileCellInput, openHFile } from "../src/index.js";
import { HFileWriter, type HFileWriterOptions } from "../src/write.js";

const withCode = (code: CFileErrorCode, part: string) => (error: unknown) =>
  isCFileError(error, code) && error.message.includes(part);

const badCells: readonly [string, HFileWriterOptions, readonly HFileCellInput[], string][] = [
  [
    "a row before the last",
    {},
    [
      { row: "b", value: "" },
      { row: "a", value: "" },
    ],
    '"a"',
  ],
  [
    "a newer version after an older",
    {},
    [1n, 2n].map((timestamp) => ({ row: "v", value: "", timestamp })),
    '"v"',
  ],
  ["a row that is too long", {}, [{ row: "x".repeat(32768), value: "" }], "xxx"],
  ["a family that is too long", {}, [{ row: "f", value: "", family: new Uint8Array(256) }], '"f"'],
  ["tags in a file without", {}, [{ row: "t", value: "", tags: new Uint8Array(1) }], '"t"'],
  ["a column in a file of Hudi", { profile: "hudi" }, [{ row: "c", value: "", type: 8 }], '"c"'],
  ["an invalid type", {}, [{ row: "n", value: "", type: 256 }], '"n"'],
  [
    "a value that is too long",
    { limits: { maxBlockSize: 4096 }, blockSize: 256, indexBlockSize: 256, compression: "GZ" },
    [{ row: "long", value: "v".repeat(4096) }],
    '"long"',
  ],
];

describe("cells that cannot be written", () => {
  it.each(badCells)("%s", async (_, options, cells, named) => {
    const sink = memorySink();
    const writer = new HFileWriter(sink, options);
    await expect(writer.append(cells)).rejects.toSatisfy(withCode("E_INVALID_ARGUMENT", named));
    // The file is aborted: no more cells are accepted, and nothing remains.
    await expect(writer.finish()).rejects.toSatisfy(withCode("E_INVALID_ARGUMENT", "aborted"));
    expect(() => sink.bytes()).toThrow();
  });
});

describe("invalid options", () => {
  it.each<[HFileWriterOptions]>([
    [{ blockSize: 0 }],
    [{ bytesPerChecksum: 0 }],
    [{ profile: "hudi", checksums: "CRC32C" }],
    [{ profile: "hudi", tags: true }],
    [{ createTime: -1 }],
    [{ comparator: "x".repeat(2000) }],
  ])("%o", (options) => {
    expect(() => new HFileWriter(memorySink(), options)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it.each(['{"compression":"ZSTD"}', '{"profile":"hudi","compression":"LZ4"}'])(
    "include codecs that cannot be written: %s",
    (json) => {
      const options: HFileWriterOptions = Object.assign({}, JSON.parse(json));
      expect(() => new HFileWriter(memorySink(), options)).toThrow(
        expect.objectContaining({ code: "E_UNSUPPORTED" }),
      );
    },
  );
});

describe("HFileWriter", () => {
  it("streams to the sink in bounded chunks", async () => {
    let written = 0;
    const inner = memorySink();
    const write = (bytes: Uint8Array): Promise<void> => {
      written += bytes.length;
      return inner.write(bytes);
    };
    const sink = { ...inner, write };
    const writer = new HFileWriter(sink, { blockSize: 4096 });
    for (let i = 0; i < 300; i++) {
      await writer.append({ row: `row-${String(i).padStart(5, "0")}`, value: new Uint8Array(10_000) });
    }
    expect(written).toBeGreaterThan(1_500_000);
    await writer.finish();
    expect(written).toBe(inner.bytes().length);
  });

  it("leaves no file when disposed before finish", async () => {
    const sink = memorySink();
    {
      await using writer = new HFileWriter(sink);
      await writer.append({ row: "a", value: "b" });
    }
    expect(() => sink.bytes()).toThrow();
  });

  it("preserves columns, versions, tags and MVCC numbers", async () => {
    const family = Uint8Array.of(102);
    const cells: HFileCellInput[] = [
      { row: "r", value: "1", family, qualifier: Uint8Array.of(1), timestamp: 9n, type: 4, mvcc: 300n },
      { row: "r", value: "2", family, qualifier: Uint8Array.of(1), timestamp: 8n, type: 8, mvcc: 2n ** 62n },
      {
        row: "r",
        value: "3",
        family,
        qualifier: Uint8Array.of(2),
        timestamp: -1n,
        tags: Uint8Array.of(7, 7),
      },
    ];
    const sink = memorySink();
    const writer = new HFileWriter(sink, { tags: true, checksums: "CRC32", blockSize: 1 });
    await writer.append(cells);
    await writer.finish();
    const reader = await openHFile(sink.bytes());
    const read = [];
    for await (const cell of reader.entries()) {
      const { family, qualifier, timestamp, type, mvcc, tags, rowText: row, valueText: value } = cell;
      read.push({ row, value, family, qualifier, timestamp, type, mvcc, tags });
    }
    const whole = { type: 4, mvcc: 0n, tags: new Uint8Array(0) };
    expect(read).toEqual(cells.map((cell) => ({ ...whole, ...cell })));
    expect((await reader.getAll("r")).length).toBe(3);
    expect(new TextDecoder().decode(await reader.get("r"))).toBe("1");
  });
});

import { avroDecoder, decodeAvro, parseAvroSchema, readAvroContainer } from "@cfile/avro";
import { isCFileError } from "@cfile/bytes";
import { type FileTree, memorySource, memoryTree, treeOfPaths } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openHudiTable, scanRows } from "../src/index.js";
import { deletedRecords } from "../src/log/delete-block.js";
import { parseLogFile } from "../src/log/log-block.js";
import { commitContent, compactionGroups } from "../src/timeline/instant-content.js";
import { unpack } from "./golden-table.js";

const code = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (isCFileError(error)) {
      return error.code;
    }
    throw error;
  }
  return "no error";
};

describe("paths in commits and plans", () => {
  test.each(["../out.parquet", "/etc/passwd", "a/../../b", "file:/tmp/x", "a//b", "a\\b", "./a"])(
    "%s is refused",
    (path) => {
      const content = { partitionToWriteStats: { p: [{ path, fileId: "f", fileSizeInBytes: 1 }] } };
      expect(code(() => commitContent(content as never))).toBe("E_CORRUPT");
    },
  );

  test("partitions that lead out of the table are refused", () => {
    const content = { partitionToWriteStats: { "../p": [] } };
    expect(code(() => commitContent(content as never))).toBe("E_CORRUPT");
  });

  test("plans name file groups only by partition and id", () => {
    const operations = [{ fileId: "f", partitionPath: "p", dataFilePath: "/etc/passwd" }];
    expect(compactionGroups({ operations } as never)).toEqual([{ partition: "p", fileId: "f" }]);
  });
});

describe("Avro", () => {
  const nested = (depth: number): string =>
    depth === 0 ? '"null"' : `{"type":"array","items":${nested(depth - 1)}}`;

  test("schemas that are too deep or too large are refused", () => {
    expect(code(() => parseAvroSchema(nested(100)))).toBe("E_LIMIT");
    const fields = Array.from({ length: 30_000 }, (_, i) => `{"name":"f${i}","type":"int"}`).join(",");
    expect(code(() => parseAvroSchema(`{"type":"record","name":"r","fields":[${fields}]}`))).toBe("E_LIMIT");
  });

  test("a record that doubles at each level without a byte of data is refused", () => {
    const level = (i: number): unknown =>
      i === 0
        ? { type: "record", name: "r0", fields: [] }
        : {
            type: "record",
            name: `r${i}`,
            fields: [
              { name: "a", type: level(i - 1) },
              { name: "b", type: `r${i - 1}` },
            ],
          };
    const decode = avroDecoder(parseAvroSchema(JSON.stringify(level(25))));
    expect(code(() => decodeAvro(decode, new Uint8Array(0)))).toBe("E_LIMIT");
  });

  test("an array of 2^40 nulls is refused", () => {
    const decode = avroDecoder(parseAvroSchema('{"type":"array","items":"null"}'));
    const bytes = Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0);
    expect(code(() => decodeAvro(decode, bytes))).toBe("E_LIMIT");
  });

  test("a recursive schema ends at its maximum depth", () => {
    const type = { type: "record", name: "r", fields: [{ name: "next", type: ["null", "r"] }] };
    const decode = avroDecoder(parseAvroSchema(JSON.stringify(type)));
    expect(code(() => decodeAvro(decode, new Uint8Array(1000).fill(2)))).toBe("E_LIMIT");
  });

  test("any bytes decode or are refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const magic = Uint8Array.of(0x4f, 0x62, 0x6a, 1, ...bytes);
        const result = await readAvroContainer(magic).catch((error) => error);
        expect(Array.isArray(result) || isCFileError(result)).toBe(true);
      }),
    );
  });
});

describe("log files", () => {
  const { files } = unpack("mor_v9");
  const [log] = [...files]
    .filter(([path]) => /\.log\./.test(path) && !path.startsWith(".hoodie"))
    .map(([, bytes]) => bytes);

  test("every truncation is found", () => {
    const bytes = log ?? new Uint8Array(0);
    for (let length = 1; length < bytes.length; length += 7) {
      expect(parseLogFile(bytes.subarray(0, length)).at(-1)?.kind, String(length)).toBe("damage");
    }
  });

  test("blocks with flipped bits are found or decode", () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Uint8Array.from(log ?? []);
        const position = at % bytes.length;
        bytes[position] = (bytes[position] ?? 0) ^ flip;
        const found = parseLogFile(bytes);
        expect(found.length).toBeGreaterThan(0);
      }),
    );
  });

  test("delete blocks of other bytes are refused", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const result = code(() => deletedRecords(bytes));
        expect(result === "no error" || result.startsWith("E_")).toBe(true);
      }),
    );
  });
});

describe("tables whose metadata table states the sizes of log files", () => {
  const rowsOf = async (files: ReadonlyMap<string, Uint8Array>): Promise<string> => {
    const rows: unknown[] = [];
    for await (const { columns } of scanRows(await openHudiTable(memoryTree(new Map(files))))) {
      rows.push(columns.map((column) => column.toArray({ int64: "bigint" })));
    }
    return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
  };

  test.each(["mor_v6_h015", "mor_v8_flat", "mor_v9"])(
    "are not read with a log file cut anywhere: %s",
    async (name) => {
      const { files } = unpack(name);
      const whole = await rowsOf(files);
      const logs = [...files.keys()]
        .filter((path) => /\.log\./.test(path) && !path.startsWith(".hoodie"))
        .filter((_, i) => i % 3 === 0);
      let refused = 0;
      for (const path of logs) {
        const bytes = files.get(path) ?? new Uint8Array(0);
        for (const part of [0, 0.6, 0.97]) {
          const cut = new Map(files).set(path, bytes.slice(0, Math.floor(part * bytes.length)));
          const found = await rowsOf(cut).catch((error: unknown) => error);
          // Files of older slices are not read.
          expect(found === whole || isCFileError(found, "E_TRUNCATED"), `${path}, ${part}`).toBe(true);
          refused += Number(found !== whole);
        }
      }
      expect(refused).toBeGreaterThan(0);
    },
  );
});

describe("timelines", () => {
  const tableWith = (extra: Readonly<Record<string, string>>): FileTree => {
    const { files } = unpack("mor_v8_flat");
    for (const [path, text] of Object.entries(extra)) {
      files.set(path, new TextEncoder().encode(text));
    }
    return memoryTree(files);
  };
  const openCode = async (tree: FileTree): Promise<string> => {
    try {
      const table = await openHudiTable(tree);
      for await (const _ of scanRows(table, { limit: 1 })) {
        break;
      }
      return "no error";
    } catch (error) {
      return isCFileError(error) ? error.code : String(error);
    }
  };

  test.each([
    ["an impossible version", ".hoodie/hoodie.properties", "hoodie.table.version=7\n", "E_UNSUPPORTED"],
    [
      "a folder out of the table",
      ".hoodie/hoodie.properties",
      "hoodie.table.version=9\nhoodie.timeline.path=../x\n",
      "E_CORRUPT",
    ],
    [
      "a type that does not exist",
      ".hoodie/hoodie.properties",
      "hoodie.table.version=9\nhoodie.table.type=X\n",
      "E_CORRUPT",
    ],
    [
      "an empty completed write",
      ".hoodie/timeline/20261122072626999_20261122072627000.replacecommit",
      "",
      "E_CORRUPT",
    ],
    [
      "a write that is not Avro",
      ".hoodie/timeline/20261122072626999_20261122072627000.deltacommit",
      "xx",
      "E_CORRUPT",
    ],
    [
      "a plan that is not Avro",
      ".hoodie/timeline/20261122072625710.compaction.requested",
      "[1]",
      "E_CORRUPT",
    ],
    ["names of no instants", ".hoodie/timeline/1.commit", "x", "no error"],
    [
      "a completed write without completion time",
      ".hoodie/timeline/20261122072626999.commit",
      "x",
      "no error",
    ],
  ])("with %s", async (_, path, text, expected) => {
    expect(await openCode(tableWith({ [path]: text }))).toBe(expected);
  });
});

describe("a table with damaged files", () => {
  test.each([/^(?!\.hoodie).*\.parquet$/, /^\.hoodie\/metadata\/files\/.*\.hfile$/])(
    "like %s closes all that it opened",
    async (damaged) => {
      const files = new Map(
        [...unpack("mor_v9").files].map(([path, bytes]) => [
          path,
          damaged.test(path) ? bytes.slice(0, -9) : bytes,
        ]),
      );
      let open = 0;
      const tree = treeOfPaths(files, "t", (bytes, path) => {
        open++;
        return {
          ...memorySource(bytes, path),
          close: async () => {
            open--;
          },
        };
      });
      await expect(
        (async () => {
          await using table = await openHudiTable(tree);
          for await (const _ of scanRows(table)) {
            // Reading is the test.
          }
        })(),
      ).rejects.toMatchObject({ name: "CFileError" });
      expect(open).toBe(0);
    },
  );
});

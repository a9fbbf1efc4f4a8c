/** What a power cut leaves of a file that is being written: all of it under its name, or what was there before. */
import { CFileError } from "@cfile/bytes";
import { fileSink } from "@cfile/io";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createCFile, openCFile, type WriterOptions } from "../src/index.js";

/** How many more points are tried. */
const FACTOR = Number(process.env["POWER_CUT_RUNS"] ?? 1);
const TARGET = "/disk/column.cfile";
const OLD = Uint8Array.of(111, 108, 100);

type Operation =
  | { readonly kind: "create"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "sync directory" };

/** Stands in for Node's files: remembers what is done to them, and does nothing. */
function recordFiles(operations: Operation[], exists: boolean): void {
  const missing = (): never => {
    throw Object.assign(new Error("ENOENT"), { code: "ENOENT", syscall: "open" });
  };
  const files = {
    stat: async () => (exists ? { isFile: () => true, isDirectory: () => false, mode: 0o644 } : missing()),
    realpath: async (path: string) => path,
    open: async (path: string, flags: string) => {
      if (flags === "r") {
        return {
          sync: async () => operations.push({ kind: "sync directory" }),
          close: async () => undefined,
        };
      }
      operations.push({ kind: "create", path });
      return {
        chmod: async () => undefined,
        write: async (bytes: Uint8Array, offset: number, length: number) => {
          operations.push({ kind: "write", path, bytes: bytes.slice(offset, offset + length) });
          return { bytesWritten: length };
        },
        sync: async () => operations.push({ kind: "sync", path }),
        close: async () => undefined,
      };
    },
    rename: async (path: string, to: string) => operations.push({ kind: "rename", path, to }),
    rm: async (path: string) => operations.push({ kind: "remove", path }),
  };
  const real = process.getBuiltinModule.bind(process);
  vi.spyOn(process, "getBuiltinModule").mockImplementation((id: string) =>
    id === "node:fs/promises" ? (files as never) : real(id),
  );
}

/** How kind the disk is to what was not synced. */
const disks = {
  "keeps only what was synced": { names: false, bytes: 0 },
  "keeps names, but no bytes": { names: true, bytes: 0 },
  "keeps names and half of the bytes": { names: true, bytes: 0.5 },
  "keeps everything": { names: true, bytes: 1 },
} as const;

/** The files after a power cut behind the operations. */
function afterPowerCut(
  operations: readonly Operation[],
  before: ReadonlyMap<string, Uint8Array>,
  disk: (typeof disks)[keyof typeof disks],
): Map<string, Uint8Array> {
  interface File {
    pieces: Uint8Array[];
    synced: number;
  }
  let names = new Map<string, File>(
    [...before].map(([name, bytes]) => [name, { pieces: [bytes], synced: 1 }]),
  );
  let synced = new Map(names);
  for (const operation of operations) {
    const file = "path" in operation ? names.get(operation.path) : undefined;
    if (operation.kind === "create") {
      names.set(operation.path, { pieces: [], synced: 0 });
    } else if (operation.kind === "write") {
      file?.pieces.push(operation.bytes);
    } else if (operation.kind === "sync" && file !== undefined) {
      file.synced = file.pieces.length;
    } else if (operation.kind === "rename" && file !== undefined) {
      names = new Map([...names].filter(([name]) => name !== operation.path).concat([[operation.to, file]]));
    } else if (operation.kind === "remove") {
      names.delete(operation.path);
    } else if (operation.kind === "sync directory") {
      synced = new Map(names);
    }
  }
  const left = disk.names ? names : synced;
  return new Map(
    [...left].map(([name, { pieces, synced: whole }]) => {
      const kept = Buffer.concat(pieces.slice(0, whole));
      const rest = Buffer.concat(pieces.slice(whole));
      return [name, Buffer.concat([kept, rest.subarray(0, Math.floor(disk.bytes * rest.length))])];
    }),
  );
}

const columns: readonly WriterOptions[] = [
  { type: "INT32", encoding: "PLAIN_ENCODING" },
  { type: "INT64", encoding: "BIT_SHUFFLE", validx: true },
  { type: "INT16", encoding: "RLE", nullable: true },
  { type: "STRING", encoding: "DICT_ENCODING", compression: "LZ4" },
  { type: "STRING", encoding: "PREFIX_ENCODING", compression: "SNAPPY" },
  { type: "VARCHAR", encoding: "PLAIN_ENCODING", compression: "ZLIB" },
  { type: "BOOL", encoding: "PLAIN_ENCODING", checksums: false },
  { type: "DOUBLE", encoding: "BIT_SHUFFLE", compression: "LZ4" },
  { type: "INT32", encoding: "BIT_SHUFFLE", array: true, nullable: true },
  { type: "UINT8", encoding: "PLAIN_ENCODING", posidx: false, checksums: false },
];
const ROWS = 9000 * FACTOR;

function cells({ type, array }: WriterOptions): (number | bigint | string | boolean | number[] | null)[] {
  return Array.from({ length: ROWS }, (_, i) => {
    if (array === true) {
      return i % 5 === 0 ? null : [i, i + 1];
    }
    switch (type) {
      case "STRING":
      case "VARCHAR":
        return `row ${String(i).padStart(7, "0")} ${(i * 7919) % 1000}`;
      case "BOOL":
        return i % 3 === 0;
      case "INT64":
        return BigInt(i);
      case "INT16":
        return i % 7 === 0 ? null : (i >> 2) % 1000;
      default:
        return type === "UINT8" ? i % 251 : i;
    }
  });
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a power cut", () => {
  let points = 0;

  test.each(
    columns.map((options, i) => [`${options.type} ${options.encoding}`, options, i % 2 === 1] as const),
  )("%s: leaves a complete file or what was there", async (_name, options, exists) => {
    const operations: Operation[] = [];
    recordFiles(operations, exists);
    const writer = await createCFile(TARGET, { ...options, blockSize: 512, indexBlockSize: 512 });
    const rows = cells(options);
    for (let from = 0; from < rows.length; from += 500) {
      await writer.append(rows.slice(from, from + 500));
    }
    await writer.finish();
    vi.restoreAllMocks();
    const before = new Map(exists ? [[TARGET, OLD]] : []);
    const whole = afterPowerCut(operations, before, disks["keeps only what was synced"]).get(TARGET);
    expect(whole).toBeDefined();
    const file = await openCFile(whole ?? OLD);
    expect(await file.verify()).toMatchObject({ ok: true, rows: ROWS });
    expect((await file.toArray()).length).toBe(ROWS);
    const step = Math.max(1, Math.floor(operations.length / (200 * FACTOR)));
    for (let cut = 0; cut <= operations.length; cut += cut < operations.length - 40 ? step : 1) {
      points++;
      for (const disk of Object.values(disks)) {
        const left = afterPowerCut(operations.slice(0, cut), before, disk).get(TARGET);
        const isWhole = left !== undefined && whole !== undefined && Buffer.compare(left, whole) === 0;
        const isOld = exists ? left !== undefined && Buffer.compare(left, OLD) === 0 : left === undefined;
        if (!isWhole && !isOld) {
          throw new CFileError(
            "E_CORRUPT",
            `after ${cut} of ${operations.length} operations half a file is left`,
          );
        }
      }
    }
  });

  test("without syncing would leave half a file: this test would see it", async () => {
    const operations: Operation[] = [];
    recordFiles(operations, false);
    const sink = await fileSink(TARGET, { sync: false });
    await sink.write(OLD);
    await sink.write(OLD);
    await sink.close();
    const left = afterPowerCut(operations, new Map(), disks["keeps names and half of the bytes"]).get(TARGET);
    expect(left?.length).toBe(OLD.length);
  });

  test("was tried at a thousand points", () => {
    expect(points).toBeGreaterThanOrEqual(1000);
  });
});

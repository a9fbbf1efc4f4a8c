/** Compares every file of the golden root with HBase's own classes: store files, Bloom filters, references, links, regions, logs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CacheBudget, fromHex, toHex } from "@cfile/bytes";
import { openSource } from "@cfile/io";
import { diskTree } from "@cfile/io/file";
import { countBlockingReads, readGoldenJson } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { fileFacts } from "../src/files/file-facts.js";
import { parseStoreFileName } from "../src/files/file-name.js";
import { candidatePaths } from "../src/files/file-places.js";
import { parseReference } from "../src/files/reference.js";
import { bloomsOf, openTreeHFile } from "../src/files/store-file.js";
import { openHBaseRoot } from "../src/index.js";
import { LogFile } from "../src/log/log-file.js";
import { visitLoggedCells } from "../src/log/unflushed-cells.js";
import { parseRegionInfo, type RegionInfo } from "../src/root/region-info.js";
import { readManifest, readSnapshotInfo } from "../src/root/snapshot-manifest.js";
import { tableNameText } from "../src/root/table-name.js";
import { openRoot, ROOT_PATH } from "./golden.js";

interface BloomFact {
  readonly chunks: number;
  readonly keys: number;
  readonly maxKeys: number;
  readonly bytes: number;
  readonly prefixLength?: number;
  readonly ask: readonly (string | readonly [string, string])[];
  readonly answers: string;
}

interface RegionFact {
  readonly table: string;
  readonly encodedName: string;
  readonly regionId: number;
  readonly startKey: string;
  readonly endKey: string;
  readonly replicaId: number;
  readonly offline: boolean;
  readonly split: boolean;
}

interface FilesFacts {
  readonly storeFiles: readonly {
    readonly path: string;
    readonly size: number;
    readonly entries: number;
    readonly maxSequenceId: number;
    readonly bloomType: string;
    readonly bulkLoaded: boolean;
    readonly deleteFamilyCount: number;
    readonly fileInfo: Readonly<Record<string, string>>;
    readonly bloom?: BloomFact;
    readonly deleteFamilyBloom?: BloomFact;
  }[];
  readonly references: readonly {
    path: string;
    bytes: string;
    range: string;
    splitKey: string;
    refersTo: string;
  }[];
  readonly links: readonly { path: string; backReference?: boolean; locations?: string[]; found?: string }[];
  readonly regionInfos: readonly { readonly path: string; readonly region: RegionFact }[];
  readonly snapshots: readonly {
    readonly name: string;
    readonly table: string;
    readonly type: string;
    readonly version: number;
    readonly creationTime: number;
    readonly ttl: number;
    readonly regions: readonly {
      readonly region: RegionFact;
      readonly families: Readonly<
        Record<string, { name: string; size: number; reference?: { range: string; splitKey: string } }[]>
      >;
    }[];
  }[];
  readonly logs: readonly {
    readonly path: string;
    readonly end?: string;
    readonly entries: readonly {
      readonly table: string;
      readonly region: string;
      readonly sequenceId: number;
      readonly writeTime: number;
      readonly cells: readonly (readonly [string, string, string, number, number, string])[];
    }[];
  }[];
}

const facts = readGoldenJson<FilesFacts>("hbase-table/facts/files.json");
const memory = { blocks: new CacheBudget(1 << 20), indexes: new CacheBudget(1 << 20) };

describe("store files", () => {
  it.each(facts.storeFiles.map((file) => [file.path, file] as const))("%s", async (path, file) => {
    const hfile = await openTreeHFile(await diskTree(ROOT_PATH), path, memory);
    const found = fileFacts(hfile.fileInfo);
    expect(hfile.entryCount).toBe(file.entries);
    expect(hfile.structure.fileSize).toBe(file.size);
    expect(found.bloomType).toBe(file.bloomType);
    expect(found.deleteFamilyCount ?? 0).toBe(Math.max(0, file.deleteFamilyCount));
    const info = Object.fromEntries(
      hfile.fileInfo.entries.map(({ key, value }) => [new TextDecoder().decode(key), toHex(value)]),
    );
    expect(info).toEqual(file.fileInfo);
    const { general, deleteFamily } = bloomsOf(hfile, found, memory);
    for (const [filter, fact] of [
      [general, file.bloom],
      [deleteFamily, file.deleteFamilyBloom],
    ] as const) {
      const { chunks, keys, maxKeys, bytes } = filter?.meta ?? {};
      const known = Object.entries(fact ?? {}).filter(([name]) =>
        ["chunks", "keys", "maxKeys", "bytes"].includes(name),
      );
      expect({ chunks: chunks?.length, keys, maxKeys, bytes }).toMatchObject(Object.fromEntries(known));
    }
    await hfile.close();
  });
});

describe("Bloom filters answer as HBase", () => {
  const asked = facts.storeFiles.filter(({ bloom, deleteFamilyBloom }) => bloom ?? deleteFamilyBloom);
  it.each(asked.map((file) => [file.path, file] as const))(
    "%s",
    async (path, { bloom, deleteFamilyBloom }) => {
      const filters = await (await openRoot()).bloomFilters(path);
      let answers = "";
      for (const question of bloom?.ask ?? []) {
        const [row, qualifier] = typeof question === "string" ? [question, undefined] : question;
        const answer = await filters.mayContain(
          fromHex(row),
          qualifier === undefined ? undefined : fromHex(qualifier),
        );
        answers += answer ? "1" : "0";
      }
      expect(answers).toBe(bloom?.answers ?? "");
      let deleted = "";
      for (const question of deleteFamilyBloom?.ask ?? []) {
        deleted += (await filters.mayDeleteFamily(fromHex(String(question)))) ? "1" : "0";
      }
      expect(deleted).toBe(deleteFamilyBloom?.answers ?? "");
      await filters.close();
    },
  );
});

describe("references and links", () => {
  it("have the row, side and HFile that HBase found", async () => {
    for (const { path, bytes, range, splitKey, refersTo } of facts.references) {
      const parsed = parseReference(fromHex(bytes));
      expect({ path, side: parsed.side, row: toHex(parsed.row) }).toEqual({
        path,
        side: range,
        row: rowOfKey(splitKey),
      });
      const { place } = nameAt(path);
      expect([place.region, place.hfile]).toEqual(
        refersTo.includes("=")
          ? [nameAt(refersTo).place.region, nameAt(refersTo).place.hfile]
          : refersTo.split("/").filter((_, i) => i === 3 || i === 5),
      );
    }
  });

  it("of links name the paths where HBase looks", () => {
    const links = facts.links.filter(({ backReference }) => backReference !== true);
    for (const { path, locations = [], found = "" } of links) {
      const { kind, place } = nameAt(path);
      expect(kind).toBe("link");
      const candidates = candidatePaths(place, path.split("/").at(-2) ?? "");
      expect([...candidates].sort()).toEqual([...locations].sort());
      expect(candidates).toContain(found);
    }
    expect(links.length).toBeGreaterThan(0);
  });
});

/** The row of a whole key, whose first two bytes are the length of the row. */
function rowOfKey(key: string): string {
  return key.slice(4, 4 + 2 * Number.parseInt(key.slice(0, 4), 16));
}

/** The name of a file in `data/NAMESPACE/TABLE/REGION/FAMILY/NAME`. */
function nameAt(path: string) {
  const [, namespace = "", table = "", region = "", , name = ""] = path.split("/");
  return parseStoreFileName(name, { namespace, table }, region);
}

function regionFact({
  table,
  encodedName,
  regionId,
  startKey,
  endKey,
  replicaId,
  offline,
  split,
}: RegionInfo) {
  const keys = { startKey: toHex(startKey), endKey: toHex(endKey) };
  return { table: tableNameText(table), encodedName, regionId, ...keys, replicaId, offline, split };
}

it.each(facts.regionInfos.map((info) => [info.path, info.region] as const))("%s", async (path, region) => {
  const info = parseRegionInfo(await readFile(join(ROOT_PATH, path)));
  expect(region).toMatchObject(regionFact(info));
});

describe("snapshots", () => {
  it.each(facts.snapshots.map((snapshot) => [snapshot.name, snapshot] as const))("%s", async (name, fact) => {
    const tree = await diskTree(ROOT_PATH);
    const info = await readSnapshotInfo(tree, name, {});
    const { type, version, creationTime, ttlSeconds: ttl } = info;
    const table = tableNameText(info.table);
    expect(fact).toMatchObject({ name: info.name, table, type, version, creationTime, ttl });
    const { regions } = await readManifest(tree, info, {});
    const byName = new Map(fact.regions.map((one) => [one.region.encodedName, one]));
    expect(regions).toHaveLength(byName.size);
    for (const { info: region, families } of regions) {
      const known = byName.get(region.encodedName);
      expect(known?.region).toMatchObject(regionFact(region));
      const found = [...families].flatMap(([family, files]) =>
        files.map(({ name: file, size, reference }) =>
          [family, file, size, reference?.side.toUpperCase(), reference && toHex(reference.row)].join(" "),
        ),
      );
      const expected = Object.entries(known?.families ?? {}).flatMap(([family, files]) =>
        files.map(({ name: file, size, reference }) =>
          [family, file, size, reference?.range, reference && rowOfKey(reference.splitKey)].join(" "),
        ),
      );
      expect(found.sort()).toEqual(expected.sort());
    }
  });
});

describe("write-ahead logs", () => {
  it.each(facts.logs.map((log) => [log.path, log] as const))("%s", async (path, fact) => {
    const source = await openSource(join(ROOT_PATH, path));
    const log = new LogFile(source);
    const entries = [];
    for await (const { region, table, sequenceId, writeTime, bytes } of log.entries()) {
      const cells: unknown[] = [];
      visitLoggedCells(bytes, path, 0, (family, key, value) => {
        const view = new DataView(key.buffer, key.byteOffset, key.length);
        const rowEnd = 2 + view.getUint16(0);
        cells.push([
          toHex(key.subarray(2, rowEnd)),
          new TextDecoder().decode(family),
          toHex(key.subarray(rowEnd + 1 + family.length, key.length - 9)),
          Number(view.getBigInt64(key.length - 9)),
          key.at(-1),
          toHex(value),
        ]);
      });
      entries.push({ table, region, sequenceId, writeTime, cells });
    }
    await source.close?.();
    expect(entries).toEqual(fact.entries);
    expect(log.cutAt).toBe(undefined);
  });
});

it("files of a root are read as the options for files say", async () => {
  const blockingReads = countBlockingReads();
  const root = await openHBaseRoot(ROOT_PATH, { file: { blocking: true } });
  await using table = await root.openTable("tracked");
  expect((await table.get("f00000")).length).toBe(6);
  expect(blockingReads()).toBeGreaterThan(0);
});

import { ByteBuilder, crc32c, isCFileError } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { parseContainerFile, parseSuperblock } from "../src/catalog.js";
import type { DirProblem } from "../src/check.js";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { collectRows } from "./json-rows.js";
import { serverFiles, treeOf } from "./servers.js";

const pristine = serverFiles("log");
const whole = await openKuduDir(treeOf(pristine));
const blocksOfAll = await whole.blocks.list();

function changed(
  path: string,
  change: (bytes: Uint8Array) => Uint8Array | undefined,
): Map<string, Uint8Array> {
  const files = new Map(pristine);
  const bytes = change(files.get(path) ?? new Uint8Array(0));
  if (bytes === undefined) {
    files.delete(path);
  } else {
    files.set(path, bytes);
  }
  return files;
}

/** The container with the most blocks: paths of both files, and its block IDs. */
const container = (() => {
  const counts = new Map<string, bigint[]>();
  for (const { id, path } of blocksOfAll) {
    counts.set(path, [...(counts.get(path) ?? []), id]);
  }
  const [[path = "", ids = []] = []] = [...counts].sort((left, right) => right[1].length - left[1].length);
  const data = path.slice("server/".length);
  return { data, metadata: data.replace(/\.data$/, ".metadata"), ids };
})();

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

describe("a container", () => {
  it("with a cut journal has the blocks before the cut; other containers are complete", async () => {
    const { length } = pristine.get(container.metadata) ?? [];
    let last = 0;
    for (let cut = 0; cut <= length; cut += Math.max(1, Math.floor(length / 12))) {
      await using dir = await openKuduDir(
        treeOf(changed(container.metadata, (bytes) => bytes.slice(0, cut))),
      );
      const blocks = await dir.blocks.list();
      const here = blocks.filter(({ path }) => path.endsWith(container.data));
      expect(blocks.length - here.length).toBe(blocksOfAll.length - container.ids.length);
      expect(here.length).toBeGreaterThanOrEqual(last - 1);
      last = here.length;
      // Reading a missing block reports it.
      const named = new Set<bigint>();
      for (const tablet of await dir.tablets()) {
        for (const id of (await tablet.size()).missing) {
          named.add(id);
        }
      }
      const lost = container.ids.filter((id) => !here.some((block) => block.id === id));
      expect(lost).toEqual(expect.arrayContaining([...named]));
    }
  });

  it("without data or journal is reported", async () => {
    for (const path of [container.data, container.metadata]) {
      await using dir = await openKuduDir(treeOf(changed(path, () => undefined)));
      const problems = await dir.problems();
      const other = path === container.data ? container.metadata : container.data;
      expect(problems).toEqual([
        expect.objectContaining({ code: "E_BLOCK_MISSING", path: `server/${other}` }),
      ]);
      expect((await dir.blocks.list()).length).toBe(blocksOfAll.length - container.ids.length);
      const tablets = await dir.tablets();
      expect(tablets.length).toBe(23);
      let missing = 0;
      for (const tablet of tablets) {
        missing += (await tablet.size()).missing.length;
      }
      expect(missing).toBeGreaterThan(0);
      expect((await checkKuduDir(dir)).missing.length).toBe(missing);
    }
  });

  it("with cut data has the blocks before the cut", async () => {
    const cut = blocksOfAll.find(({ path, offset }) => path.endsWith(container.data) && offset > 0);
    const files = changed(container.data, (bytes) => bytes.slice(0, (cut?.offset ?? 0) + 10));
    await using dir = await openKuduDir(treeOf(files));
    const problems: DirProblem[] = [];
    expect((await checkKuduDir(dir, { onProblem: (problem) => problems.push(problem) })).ok).toBe(false);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every(({ code }) => code === "E_TRUNCATED")).toBe(true);
    expect(problems.map(({ path }) => path)).toContain(`server/${container.data} block ${cut?.id}`);
  });

  it("with overlapping blocks reads and reports them", async () => {
    const [first = 0n] = container.ids;
    const place = blocksOfAll.find(({ id }) => id === first);
    const files = changed(container.metadata, (bytes) => {
      const out = new ByteBuilder();
      out.append(bytes.subarray(0, parseContainerFile(bytes, "journal").end));
      const record = createRecord(0x7777n, (place?.offset ?? 0) + 8, 16);
      const length = Uint8Array.of(record.length, 0, 0, 0);
      out.append(length);
      out.u32le(crc32c(length));
      out.append(record);
      out.u32le(crc32c(record));
      return out.finish();
    });
    await using dir = await openKuduDir(treeOf(files));
    expect((await dir.block(0x7777n)).source).toBeDefined();
    expect(await dir.problems()).toEqual([
      expect.objectContaining({
        code: "E_CORRUPT",
        reason: expect.stringContaining(`blocks ${first} and ${0x7777} overlap`),
      }),
    ]);
    expect((await dir.blocks.list()).length).toBe(blocksOfAll.length + 1);
  });
});

/** `BlockRecordPB` of a new block. */
function createRecord(id: bigint, offset: number, length: number): Uint8Array {
  const out = new ByteBuilder();
  const block = new Uint8Array(9);
  block[0] = 9;
  new DataView(block.buffer).setBigUint64(1, id, true);
  out.append(Uint8Array.of(10, 9));
  out.append(block);
  out.append(Uint8Array.of(16, 1, 24, 1, 32));
  appendVarint(out, offset);
  out.append(Uint8Array.of(40));
  appendVarint(out, length);
  return out.finish();
}

function appendVarint(out: ByteBuilder, value: number): void {
  let rest = value;
  while (rest > 127) {
    out.u8((rest & 127) | 128);
    rest >>>= 7;
  }
  out.u8(rest);
}

describe("every flipped bit", () => {
  it("of a superblock is a CFileError", () => {
    const metadata = [...pristine].filter(([path]) => path.includes("/tablet-meta/"));
    const [, bytes] = metadata.reduce((least, entry) => (entry[1].length < least[1].length ? entry : least));
    for (let bit = 0; bit < 8 * bytes.length; bit += 61) {
      const { records, damage, torn } = parseContainerFileOrNothing(flip(bytes, bit));
      expect(damage !== undefined || torn || records === undefined || records.length !== 1).toBe(true);
    }
  });

  it("of a superblock message without a checksum is a CFileError or another superblock", () => {
    const [, bytes] = [...pristine].find(([path]) => path.includes("/tablet-meta/")) ?? [
      "",
      new Uint8Array(0),
    ];
    const [record = new Uint8Array(0)] = parseContainerFile(bytes, "superblock").records;
    for (let bit = 0; bit < 8 * record.length; bit += 3) {
      try {
        parseSuperblock(flip(record, bit));
      } catch (error) {
        expect(isCFileError(error)).toBe(true);
      }
    }
  });

  it("of an instance file is a CFileError or a reported problem", async () => {
    const small = [...pristine.keys()].filter((path) =>
      /(?:^|\/)(?:instance|block_manager_instance)$/.test(path),
    );
    for (const path of small) {
      const { length } = pristine.get(path) ?? [];
      for (let bit = 0; bit < 8 * length; bit += 2003) {
        try {
          await using dir = await openKuduDir(treeOf(changed(path, (bytes) => flip(bytes, bit))));
          expect((await dir.problems()).map((problem) => problem.path)).toContain(`server/${path}`);
        } catch (error) {
          expect(isCFileError(error)).toBe(true);
        }
      }
    }
  });
});

function parseContainerFileOrNothing(bytes: Uint8Array) {
  try {
    return parseContainerFile(bytes, "superblock");
  } catch (error) {
    expect(isCFileError(error)).toBe(true);
    return { records: undefined, damage: undefined, torn: false };
  }
}

describe("the last segment of a log", () => {
  it("is read up to its torn entry; files do not change", async () => {
    const { id } = await whole.tablet("unflushed");
    const [path = ""] = [...pristine.keys()]
      .filter((name) => name.includes(`/wals/${id}/wal-`))
      .sort()
      .slice(-1);
    const { length } = pristine.get(path) ?? [];
    const flushed = await collectRows((await whole.tablet("unflushed")).scan());
    const all = (await (await whole.tablet("unflushed")).unflushed())?.operations.length;
    let last = 0;
    for (let cut = 200; cut < length; cut += Math.floor(length / 8)) {
      await using dir = await openKuduDir(treeOf(changed(path, (bytes) => bytes.slice(0, cut))));
      const tablet = await dir.tablet("unflushed");
      const log = await tablet.unflushed();
      expect(log?.problems).toEqual([]);
      expect(log?.operations.length).toBeGreaterThanOrEqual(last);
      last = log?.operations.length ?? 0;
      expect(await collectRows(tablet.scan())).toEqual(flushed);
      await collectRows(tablet.scan({ withLog: true }));
    }
    expect(last).toBeLessThanOrEqual(all ?? 0);
  });
});

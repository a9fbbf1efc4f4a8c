/** Hudi tables: files of all partitions from the metadata table, compared with listing the folders. */
import { setTimeout as sleep } from "node:timers/promises";
import { openHudiTable } from "@cfile/hudi";
import { type ByteSource, type FileTree, memoryTree } from "@cfile/io";
import { fileOf, partitionOf, syntheticTable } from "@cfile-tools/hudi-synthetic";
import { atLeast, type BenchCase } from "../../bench-case.js";
import { contender, measure } from "../../measure.js";

const PARTITIONS = 10_000;
const LATENCY = 50;
/** Maximum number of folders listed at the same time. */
const AT_ONCE = 64;
const LISTING_GOAL = 5;

/** A tree that answers after a delay. */
function distant(tree: FileTree): FileTree {
  const later = async <T>(work: () => Promise<T>): Promise<T> => {
    await sleep(LATENCY);
    return work();
  };
  return {
    name: tree.name,
    list: (folder) => later(() => tree.list(folder)),
    openSource: async (path) => {
      const source = await tree.openSource(path);
      const read: ByteSource["read"] = (...range) => later(() => source.read(...range));
      return { name: source.name, size: () => source.size(), read };
    },
  };
}

const same = (found: number): number => found;

async function listedFiles(tree: FileTree): Promise<number> {
  const folders = (await tree.list("")).filter(({ name }) => !name.startsWith("."));
  let files = 0;
  for (let first = 0; first < folders.length; first += AT_ONCE) {
    const lists = await Promise.all(folders.slice(first, first + AT_ONCE).map(({ name }) => tree.list(name)));
    files += lists.flat().length;
  }
  return files;
}

async function filesOfAll(tree: FileTree): Promise<number> {
  await using table = await openHudiTable(tree);
  const lists = await table.metadata?.filesOfAll(await table.partitions());
  return [...(lists?.values() ?? [])].reduce((sum, names) => sum + names.size, 0);
}

export const hudi: BenchCase = {
  name: "hudi",
  title: "Hudi tables: files of 10,000 partitions at 50 ms latency",
  run: async (scale) => {
    const count = Math.max(100, Math.floor(PARTITIONS * scale));
    const files = await syntheticTable(count, 0);
    const numbers = Array.from({ length: count }, (_, i) => i);
    const stored = numbers.map((i) => [`${partitionOf(i)}/${fileOf(i)}`, new Uint8Array(0)] as const);
    const tree = distant(memoryTree(new Map([...files, ...stored]), "table"));
    const peer = `listing of ${count} folders, ${AT_ONCE} at a time`;
    const timings = await measure(
      [
        contender(peer, () => listedFiles(tree), same),
        contender("cfile: files of all partitions", () => filesOfAll(tree), same),
      ],
      count,
      scale,
    );
    const time = timings[0]?.milliseconds ?? Number.NaN;
    const rows = timings.map(({ contender: name, milliseconds, fastest }) => ({
      contender: name,
      milliseconds,
      fastest,
      rate: count / milliseconds,
      ratio: time / milliseconds,
    }));
    return {
      unit: "k partitions/s",
      peer,
      rows,
      goals: [atLeast("files of all partitions, times a listing", LISTING_GOAL, rows[1]?.ratio ?? 0)],
      notes: [`each listing of a folder and each read of a file takes ${LATENCY} ms`],
    };
  },
};

/**
 * Signs that a superblock is older than the blocks (docs/spec/kudu-data-dir.md#71-an-older-superblock): delta files that no tablet
 * references, with changes that neither a row set nor a log still has. A flush or compaction that a crash has interrupted leaves such
 * files too, but their changes are in the log or in the row sets that were compacted.
 */
import { corrupt, toHex } from "@cfile/bytes";
import { openDeltaFile } from "@cfile/deltafile/read";
import type { ByteSource } from "@cfile/io";
import { unlessDamaged } from "../blocks/problems.js";
import { keyOf } from "../log/apply-operations.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { type LoggedWrites, readLoggedWrites } from "../rebuild/logs/logged-writes.js";
import { type DirProblem, problemOf } from "./check-row-set.js";

/** Maximum number of changes per block that are searched for elsewhere. */
const MAX_CHANGES = 65_536;

/**
 * @param orphaned blocks that no tablet references
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails
 */
export async function checkNewerBlocks(
  dir: KuduDir,
  orphaned: readonly bigint[],
  report: (problem: DirProblem) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const tablets = await dir.tablets();
  const deleted = new Set(tablets.flatMap(({ superblock }) => superblock.orphanedBlocks));
  const blocks = new Map<bigint, ReadonlySet<bigint>>();
  for (const id of orphaned.filter((each) => !deleted.has(each))) {
    signal?.throwIfAborted();
    const times = new Set<bigint>();
    const block = await unlessDamaged(() => dir.block(id));
    if (block !== undefined) {
      await eachChange(block.source, (time) => void (times.size < MAX_CHANGES && times.add(time)));
    }
    if (times.size > 0) {
      blocks.set(id, times);
    }
  }
  // The blocks of a replica that is being copied have no superblock yet.
  if (blocks.size === 0 || tablets.some(({ state }) => state === "copying")) {
    return;
  }
  const wanted = new Set([...blocks.values()].flatMap((times) => [...times]));
  const logs = await readLoggedWrites(dir, wanted);
  /** Times of changes that a tablet still has; for logged changes, only if it has all of their rows. */
  const kept = new Set<bigint>();
  const owners = new Map<bigint, KuduTablet>();
  for (const tablet of tablets) {
    signal?.throwIfAborted();
    const log = logs.get(tablet.id);
    const found = await keptChanges(tablet, wanted);
    for (const time of wanted) {
      const rows = found.get(time)?.size ?? 0;
      if (isKept(log, time, rows)) {
        kept.add(time);
      } else if (log?.has(time) === true) {
        owners.set(time, tablet);
      }
    }
  }
  const known = new Set(tablets.map(({ id }) => id));
  // The blocks may belong to a tablet without a readable superblock, which is reported separately.
  const lacksSuperblock =
    (await dir.damagedTablets()).length > 0 || [...logs.keys()].some((id) => !known.has(id));
  for (const [id, times] of blocks) {
    const newer = [...times].filter((time) => owners.has(time) || !(kept.has(time) || lacksSuperblock));
    if (newer.length > 0) {
      report(problemOfBlock(id, newer, owners));
    }
  }
}

/** @param rows number of the tablet's rows with changes at this time */
function isKept(log: LoggedWrites | undefined, time: bigint, rows: number): boolean {
  // An operation without a commit may have been applied, and is then in memory.
  return log?.has(time) === true ? rows >= (log.keysAt(time)?.length ?? 0) : rows > 0;
}

/** The rows with changes at the wanted times: in row sets, or unflushed in the log. */
async function keptChanges(
  tablet: KuduTablet,
  wanted: ReadonlySet<bigint>,
): Promise<ReadonlyMap<bigint, ReadonlySet<string>>> {
  const found = new Map<bigint, Set<string>>();
  const add = (time: bigint, row: string): void => {
    if (wanted.has(time)) {
      found.set(time, (found.get(time) ?? new Set()).add(row));
    }
  };
  for (const rowSet of tablet.rowSets) {
    const { redo, undo } = await rowSet.files();
    for (const source of [...redo, ...undo]) {
      await eachChange(source, (time, row) => add(time, `${rowSet.id} ${row}`));
    }
  }
  for (const operation of (await tablet.unflushed())?.operations ?? []) {
    add(operation.timestamp, toHex(keyOf(operation)));
  }
  return found;
}

/** Calls `use` for each change in a delta file, up to damage. Other files are ignored. */
async function eachChange(source: ByteSource, use: (time: bigint, row: number) => void): Promise<void> {
  await unlessDamaged(async () => {
    const file = await openDeltaFile(source, { cacheBytes: 0 });
    for await (const { length, rows, timestamps } of file.entries()) {
      for (let i = 0; i < length; i++) {
        use(timestamps[i] as bigint, rows[i] as number);
      }
    }
  });
}

function problemOfBlock(
  id: bigint,
  times: readonly bigint[],
  owners: ReadonlyMap<bigint, KuduTablet>,
): DirProblem {
  const tablet = times.map((time) => owners.get(time)).find((one) => one !== undefined);
  const [first = 0n, ...others] = [...times].sort((left, right) => (left < right ? -1 : 1));
  const what = `the block has changes at ${times.length} times, ${first} to ${others.at(-1) ?? first}, that its tablet lacks`;
  const reason =
    tablet === undefined
      ? `${what}, and no log: a superblock may be older than the block`
      : `${what}, although they were flushed: the superblock is older than the block`;
  return {
    ...problemOf(corrupt(reason, { field: "superblock" })),
    path: `block ${id}`,
    role: "superblock",
    tablet: tablet?.id,
    table: tablet?.tableName,
  };
}

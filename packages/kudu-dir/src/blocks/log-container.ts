/**
 * The journal of a log block container, played through (docs/spec/kudu-data-dir.md#52-replay-rules): which blocks are alive,
 * and where.
 */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { type BlockRecord, parseBlockRecord } from "./block-record.js";
import type { ContainerFile } from "./container-file.js";

export interface ContainerBlocks {
  /** By id, as created. */
  readonly live: ReadonlyMap<bigint, BlockRecord>;
  /** Blocks deleted. */
  readonly deleted: number;
  /** The time of the last record, in microseconds since 1970. */
  readonly lastChange: bigint;
  readonly problems: readonly CFileError[];
}

/** Plays a journal; what makes no sense is passed over and reported, as Kudu does. */
export function replayJournal(journal: ContainerFile, path: string): ContainerBlocks {
  const live = new Map<bigint, BlockRecord>();
  const problems: CFileError[] = journal.damage === undefined ? [] : [journal.damage];
  let deleted = 0;
  let lastChange = 0n;
  journal.records.forEach((bytes, i) => {
    try {
      const record = parseBlockRecord(bytes);
      lastChange = record.timestamp > lastChange ? record.timestamp : lastChange;
      if (record.op === "delete") {
        if (!live.delete(record.id)) {
          throw corrupt(`block ${record.id} is deleted, which is not there`, { field: "block_id" });
        }
        deleted++;
      } else if (live.has(record.id)) {
        throw corrupt(`block ${record.id} is created a second time`, { field: "block_id" });
      } else {
        live.set(record.id, record);
      }
    } catch (error) {
      if (!isCFileError(error)) {
        throw error;
      }
      const { code, reason, field } = error;
      problems.push(new CFileError(code, reason, { path, offset: journal.offsets[i], field, cause: error }));
    }
  });
  problems.push(...overlaps(live, path));
  return { live, deleted, lastChange, problems };
}

function overlaps(live: ReadonlyMap<bigint, BlockRecord>, path: string): CFileError[] {
  const found: CFileError[] = [];
  let before: BlockRecord | undefined;
  for (const record of [...live.values()].sort((left, right) => left.offset - right.offset)) {
    if (before !== undefined && record.length > 0 && before.offset + before.length > record.offset) {
      found.push(
        corrupt(`blocks ${before.id} and ${record.id} overlap at ${record.offset} of the data file`, {
          path,
          field: "offset",
          actual: record.offset,
        }),
      );
    }
    const isFarther = before === undefined || record.offset + record.length > before.offset + before.length;
    before = isFarther ? record : before;
  }
  return found;
}

/** Replays the journal of a log block container (docs/spec/kudu-data-dir.md#52-replay-rules) to find its live blocks. */
import { CFileError, corrupt } from "@cfile/bytes";
import { type BlockRecord, parseBlockRecord } from "./block-record.js";
import type { ContainerFile } from "./container-file.js";
import { requireCFileError } from "./problems.js";

export interface ContainerBlocks {
  /** Live blocks by ID, in the order of creation. */
  readonly live: ReadonlyMap<bigint, BlockRecord>;
  /** Time of the last record, in microseconds since 1970; 0 without records. */
  readonly lastChange: bigint;
  readonly problems: readonly CFileError[];
}

/** Replays a journal. As in Kudu, records that contradict earlier ones are skipped and reported, as are invalid ones. */
export function replayJournal(journal: ContainerFile, path: string): ContainerBlocks {
  const live = new Map<bigint, BlockRecord>();
  const problems: CFileError[] = journal.damage === undefined ? [] : [journal.damage];
  let lastChange = 0n;
  journal.records.forEach((bytes, i) => {
    try {
      const record = parseBlockRecord(bytes);
      const { id, op, timestamp } = record;
      lastChange = timestamp > lastChange ? timestamp : lastChange;
      if (op === "delete" ? !live.delete(id) : live.has(id)) {
        const reason = op === "delete" ? "deletes a missing block" : "creates an existing block";
        throw corrupt(`record ${reason}: ${id}`, { field: "block_id" });
      }
      if (op === "create") {
        live.set(id, record);
      }
    } catch (error) {
      const { code, reason, field, expected, actual } = requireCFileError(error);
      const details = { path, offset: journal.offsets[i], field, expected, actual, cause: error };
      problems.push(new CFileError(code, reason, details));
    }
  });
  problems.push(...overlaps(live, path));
  return { live, lastChange, problems };
}

function overlaps(live: ReadonlyMap<bigint, BlockRecord>, path: string): CFileError[] {
  const found: CFileError[] = [];
  let before: BlockRecord | undefined;
  for (const record of [...live.values()].sort((left, right) => left.offset - right.offset)) {
    const { id, offset, length } = record;
    const end = before === undefined ? -1 : before.offset + before.length;
    if (before !== undefined && length > 0 && end > offset) {
      const reason = `blocks ${before.id} and ${id} overlap at offset ${offset} of the data file`;
      found.push(corrupt(reason, { path, field: "offset", actual: offset }));
    }
    before = offset + length > end ? record : before;
  }
  return found;
}

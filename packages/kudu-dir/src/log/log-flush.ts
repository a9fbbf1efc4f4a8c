/**
 * Flushes the changes that only a log has into row sets and REDO files, as the server would, with limited memory: the log is read
 * once for each range of keys whose operations fit into memory. Row sets are as large as the server's.
 */
import { type CFileError, compareBytes } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { RowSetFiles } from "@cfile/rowset";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import { applyOperations, ChangedRowSets, keyOf } from "./apply-operations.js";
import { KeyedOperations } from "./keyed-operations.js";
import { Replay, type ReplayTarget, type UnflushedOperation } from "./log-replay.js";
import { flushed } from "./memory-row.js";
import { DeltaFile, MemoryRowSet } from "./memory-row-set.js";
import { olderSuperblock } from "./older-superblock.js";
import type { LoggedOperation } from "./operation-list.js";

/** A log that can be read several times. */
export interface RepeatableLog extends ReplayTarget {
  /** Its operations in order. @param problems receives the problems of the log; operations end at the first one */
  read(problems: CFileError[]): AsyncIterable<LoggedOperation>;
}

/** A new row set. */
export interface FlushedRowSet {
  readonly files: RowSetFiles;
  readonly liveRows: number;
}

/** Maximum bytes of operations in memory at a time. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Operations applied at a time. */
const GROUP = 500;
/** Maximum number of keys that are kept for dividing the log. */
const MAX_SAMPLE = 4096;

export class LogFlush {
  /** Row operations that were never flushed. */
  operations = 0;
  /** Row operations of transactions, which are left out. */
  transactional = 0;
  lastWrite: bigint | undefined;
  /** REDO files by row set ID; complete after the last row set. */
  readonly redo = new Map<bigint, ByteSource>();
  private readonly log: RepeatableLog;
  private readonly maxBytes: number;
  /** All operations, if they fit into memory. */
  private all: KeyedOperations | undefined = new KeyedOperations();
  private bytes = 0;
  private readonly sample = new KeySample();
  private readonly memRowSets = new Set<bigint>();

  private constructor(log: RepeatableLog, maxBytes: number) {
    this.log = log;
    this.maxBytes = maxBytes;
  }

  /**
   * Reads the log once.
   *
   * @param maxBytes limit of the operations in memory. Default: 16 MiB
   * @throws {CFileError} the first problem of the log, because rows would be missing
   */
  static async of(log: RepeatableLog, maxBytes = MAX_BYTES): Promise<LogFlush> {
    const flush = new LogFlush(log, maxBytes);
    const replay = await flush.replay((key, operation) => flush.survey(key, operation));
    flush.transactional = replay.transactional;
    flush.lastWrite = replay.lastWrite;
    return flush;
  }

  /**
   * The new row sets, in memory.
   *
   * @param schema the newest schema
   * @throws {CFileError} `E_CORRUPT` if an operation does not fit the schema or the rows; as lookups in the row sets
   */
  async *rowSets(
    schema: KuduSchema,
    rowSets: readonly TabletRowSet[],
  ): AsyncGenerator<FlushedRowSet, void, void> {
    const context = new ChangedRowSets(rowSets, false);
    const inserted = new Map<bigint, MemoryRowSet>();
    const changed = new Map<bigint, DeltaFile>();
    for await (const part of this.parts()) {
      for (const group of part.groups(GROUP)) {
        const { memory, changes } = await applyOperations(group, context, this.memRowSets);
        for (const [id, rows] of [...memory].filter(([, { size }]) => size > 0)) {
          const rowSet = inserted.get(id) ?? new MemoryRowSet(schema, flushed);
          inserted.set(id, rowSet);
          await rowSet.append([...rows.values()]);
          if (rowSet.isFull) {
            inserted.delete(id);
            yield* finished(rowSet);
          }
        }
        for (const [id, rows] of changes) {
          const file = changed.get(id) ?? new DeltaFile("redo");
          changed.set(id, file);
          for (const [row, ofRow] of [...rows].sort(([left], [right]) => left - right)) {
            await file.append(row, ofRow);
          }
        }
      }
    }
    for (const rowSet of inserted.values()) {
      yield* finished(rowSet);
    }
    for (const [id, file] of changed) {
      this.redo.set(id, await file.finish());
    }
  }

  /** The operations in ranges of ascending keys. */
  private async *parts(): AsyncGenerator<KeyedOperations, void, void> {
    if (this.all !== undefined) {
      yield this.all;
      this.all = undefined;
      return;
    }
    const bounds = this.sample.bounds(Math.ceil(this.bytes / this.maxBytes));
    for (let i = 0; i <= bounds.length; i++) {
      const [from, to] = [bounds[i - 1], bounds[i]];
      const part = new KeyedOperations();
      await this.replay((key, operation) => {
        const isBefore = from !== undefined && compareBytes(key, from) < 0;
        if (!isBefore && (to === undefined || compareBytes(key, to) < 0)) {
          part.add(key, operation);
        }
      });
      yield part;
    }
  }

  private survey(key: Uint8Array, operation: UnflushedOperation): void {
    this.operations++;
    for (const { mrsId } of operation.stores ?? []) {
      if (mrsId >= 0n) {
        this.memRowSets.add(mrsId);
      }
    }
    this.sample.add(key);
    this.all?.add(key, operation);
    if (this.all === undefined) {
      this.bytes += sizeOf(key, operation);
    } else if (this.all.size > this.maxBytes) {
      this.bytes = this.all.size;
      this.all = undefined;
    }
  }

  private async replay(use: (key: Uint8Array, operation: UnflushedOperation) => void): Promise<Replay> {
    const problems: CFileError[] = [];
    const replay = new Replay(this.log, problems);
    for await (const one of this.log.read(problems)) {
      for (const operation of replay.changesOf(one)) {
        use(keyOf(operation), operation);
      }
    }
    const { superblock } = this.log;
    const [problem = superblock && olderSuperblock(replay.newestMrsId, superblock)] = problems;
    if (problem !== undefined) {
      throw problem;
    }
    return replay;
  }
}

/** A sample of keys at regular intervals, which can divide all of them. */
class KeySample {
  private keys: Uint8Array[] = [];
  private step = 1;
  private seen = 0;

  add(key: Uint8Array): void {
    if (this.seen++ % this.step !== 0) {
      return;
    }
    this.keys.push(key.slice());
    if (this.keys.length > MAX_SAMPLE) {
      this.keys = this.keys.filter((_, i) => i % 2 === 0);
      this.step *= 2;
    }
  }

  /** Keys that divide all others into this many parts of about the same size; requires at least one key. */
  bounds(parts: number): Uint8Array[] {
    const sorted = [...this.keys].sort(compareBytes);
    const bounds: Uint8Array[] = [];
    for (let i = 1; i < parts; i++) {
      const bound = sorted[Math.floor((i * sorted.length) / parts)] as Uint8Array;
      const last = bounds.at(-1);
      if (last === undefined || compareBytes(last, bound) < 0) {
        bounds.push(bound);
      }
    }
    return bounds;
  }
}

/** Approximate bytes that an operation takes in `KeyedOperations`. */
function sizeOf(key: Uint8Array, { operation }: UnflushedOperation): number {
  let size = key.length + 32;
  for (const cell of operation.cells.values()) {
    size += 6 + (cell?.length ?? 0);
  }
  return size;
}

async function* finished(rowSet: MemoryRowSet): AsyncGenerator<FlushedRowSet, void, void> {
  const { liveRows } = rowSet;
  const files = await rowSet.finish();
  if (files !== undefined) {
    yield { files, liveRows };
  }
}

/**
 * The files of a replica of the model, written and synced in the same order as by Kudu: the log and the consensus metadata are
 * synced only before a flush; blocks and superblocks always.
 */
import { equalBytes } from "@cfile/bytes";
import {
  consensusMessage,
  containerBytes,
  hexName,
  instanceFiles,
  type SyntheticStore,
} from "@cfile-tools/kudu-synthetic/bytes";
import {
  afterPowerCut,
  type DiskFault,
  type DiskKind,
  type DiskRemains,
  type Files,
  type Operation,
  SimulatedDisk,
} from "../disk/simulated-disk.js";
import { readRecords } from "../harnesses/raft-disks.js";
import {
  isWrite,
  type ModelConfig,
  type ModelEntry,
  type ReplicaDisk,
  type RestartedReplica,
  ServerStop,
} from "../harnesses/raft-replica.js";
import { type FoundLog, isSegment, LogFiles } from "./log-files.js";
import { type Superblock, superblockOf } from "./superblock-files.js";
import { chainOf, changesOf, rowsAfter, TABLET } from "./table-rows.js";

interface ConsensusFile {
  readonly bytes: Uint8Array;
  readonly config: ModelConfig;
}

/** The files of a replica as found on its disk. */
export interface FoundFiles {
  readonly files: Files;
  readonly superblock: Superblock;
  /** `undefined` if it cannot be read. */
  readonly config: ModelConfig | undefined;
  readonly log: FoundLog;
}

/** How a run of a server ends, and what its disk then keeps. */
export interface ReplicaFate {
  /** The disk operation at which it stops. Default: none */
  readonly fault: { readonly at: number; readonly kind: DiskFault } | undefined;
  readonly remains: DiskKind | DiskRemains;
}

const SUPERBLOCK = `wal/tablet-meta/${TABLET}`;
const CONSENSUS = `wal/consensus-meta/${TABLET}`;
const TEMPORARY = ".kudutmp";
const NEVER = { fault: undefined, remains: "keeps everything" } as const;

/** UUID of a server of the model. */
export function uuidOf(name: string): string {
  return hexName("server of the model", name.charCodeAt(0));
}

function withUuids({ index, voters, learners }: ModelConfig): ModelConfig {
  return { index, voters: voters.map(uuidOf), learners: learners.map(uuidOf) };
}

export class ReplicaFiles implements ReplicaDisk {
  private readonly name: string;
  private readonly nextFate: () => ReplicaFate;
  private readonly recordsPerSegment: number;
  private readonly superblocks: Superblock[] = [];
  private readonly consensus: ConsensusFile[] = [];
  private before: Files;
  private disk = new SimulatedDisk({ exists: false });
  private fate: ReplicaFate = NEVER;
  private log: LogFiles;
  private superblock: Superblock;
  private applied = 0;
  /** The stores of unflushed operations, by index. */
  private readonly stores = new Map<number, readonly SyntheticStore[]>();
  /** Keys of the row set's rows that have not been deleted since. */
  private flushedKeys = new Set<number>();
  private isRunning = true;

  /**
   * @param nextFate of each run of the server
   * @param source a replica to copy
   */
  constructor(
    name: string,
    config: ModelConfig,
    {
      nextFate,
      recordsPerSegment,
    }: { readonly nextFate: () => ReplicaFate; readonly recordsPerSegment: number },
    source?: ReplicaFiles,
  ) {
    this.name = name;
    this.nextFate = nextFate;
    this.recordsPerSegment = recordsPerSegment;
    this.before = instanceFiles({ uuid: uuidOf(name), disks: 1, blockManager: "file" });
    this.log = this.newLog();
    const found = source?.find("keeps everything");
    this.superblock = found?.superblock ?? superblockOf(-1, undefined, -1);
    this.writeSuperblock(this.superblock);
    this.configure(config, 0);
    this.begin(found);
  }

  append(entry: ModelEntry): void {
    this.log.append(entry);
  }

  commit(entry: ModelEntry): void {
    this.log.commit(entry, this.stores.get(entry.index) ?? [undefined, undefined]);
  }

  configure(config: ModelConfig, term: number): void {
    const message = consensusMessage(withUuids(config), term).finish();
    const bytes = containerBytes("kudu.consensus.ConsensusMetadataPB", [message]);
    this.consensus.push({ bytes, config });
    this.replace(CONSENSUS, bytes, false);
  }

  apply(log: readonly ModelEntry[], known: number): void {
    for (const entry of log.slice(this.applied, known).filter(isWrite)) {
      const { mrsId, rowSet, dmsId } = this.superblock;
      const stores = changesOf(entry).map(({ key, value }): SyntheticStore => {
        const isFlushed = this.flushedKeys.has(key);
        if (value === undefined) {
          // If the row is inserted again, it is in memory.
          this.flushedKeys.delete(key);
        }
        return isFlushed ? { rowSetId: rowSet, dmsId } : { mrsId: mrsId + 1 };
      });
      this.stores.set(entry.index, stores);
    }
    this.applied = Math.max(this.applied, known);
  }

  flush(log: readonly ModelEntry[], known: number, first: number): number {
    this.log.sync();
    const rows = log.slice(0, known);
    const isNew = rows.slice(this.superblock.flushed?.index ?? 0).some(isWrite);
    if (isNew) {
      const { rowSet, mrsId } = this.superblock;
      this.writeSuperblock(superblockOf(rowSet + 1, rows.at(-1), mrsId + 1));
      this.flushedKeys = new Set(rowsAfter(rows).keys());
      this.stores.clear();
    }
    return this.log.cut(first);
  }

  tombstone(last: ModelEntry | undefined): void {
    this.writeSuperblock(superblockOf(-1, undefined, -1, last ?? { term: 0, index: 0 }));
    this.log.removeAll();
  }

  stop(): void {
    if (this.isRunning) {
      this.before = afterPowerCut(this.disk.operations, this.before, this.fate.remains);
      this.disk = new SimulatedDisk({ exists: false });
      this.isRunning = false;
    }
  }

  restart(): RestartedReplica | undefined {
    const found = this.find("keeps everything");
    const { log, config, superblock } = found;
    if (config === undefined || log.state === "damaged" || superblock.isTombstone) {
      return undefined;
    }
    const { entries, commits } = readRecords(log.records);
    const last = entries.at(-1) ?? superblock.flushed;
    const first = entries[0]?.index ?? (superblock.flushed?.index ?? 0) + 1;
    this.begin(found);
    const marks = entries.filter((entry) => commits.has(entry)).map(({ index }) => index);
    return { log: chainOf(last), first, config, marks };
  }

  /**
   * The files as found on the disk.
   *
   * @param remains what a power cut leaves; a stopped server has everything that its disk kept
   */
  find(remains: DiskKind | DiskRemains): FoundFiles {
    const files = afterPowerCut(this.disk.operations, this.before, remains);
    const has = (path: string, bytes: Uint8Array): boolean =>
      equalBytes(files.get(path) ?? new Uint8Array(0), bytes);
    const superblock = this.superblocks.findLast(({ bytes }) => has(SUPERBLOCK, bytes));
    if (superblock === undefined) {
      throw new RangeError("the model is wrong: a superblock was lost");
    }
    const config = this.consensus.findLast(({ bytes }) => has(CONSENSUS, bytes))?.config;
    return { files, superblock, config, log: this.log.find(files) };
  }

  /** Begins a run of the server. Like Kudu, it replays the log and writes a new one. */
  private begin(found: FoundFiles | undefined): void {
    const { superblock, log } = found ?? {};
    const kept = afterPowerCut(this.disk.operations, this.before, "keeps everything");
    this.before = new Map([...kept].filter(([path]) => !isSegment(path)));
    this.disk = new SimulatedDisk({ exists: false });
    this.log = this.newLog();
    this.log.open();
    this.superblock = superblock ?? this.superblock;
    const { flushed } = this.superblock;
    this.stores.clear();
    this.flushedKeys = new Set(rowsAfter(chainOf(flushed)).keys());
    this.applied = flushed?.index ?? 0;
    const { entries, commits } = readRecords(log?.records ?? []);
    const last = entries.findLast((entry) => commits.has(entry))?.index ?? 0;
    this.apply(chainOf(entries.at(-1)), last);
    for (const entry of entries) {
      this.append(entry);
      if (commits.has(entry)) {
        this.commit(entry);
      }
    }
    this.before = afterPowerCut(this.disk.operations, this.before, "keeps everything");
    this.fate = this.nextFate();
    this.disk = new SimulatedDisk({ exists: false, fault: this.fate.fault });
    this.isRunning = true;
  }

  private newLog(): LogFiles {
    return new LogFiles((operation) => this.perform(operation), this.recordsPerSegment, withUuids);
  }

  private writeSuperblock(superblock: Superblock): void {
    this.superblocks.push(superblock);
    this.replace(SUPERBLOCK, superblock.bytes, true);
    this.superblock = superblock;
  }

  private replace(path: string, bytes: Uint8Array, isSynced: boolean): void {
    const temporary = `${path}${TEMPORARY}`;
    this.perform({ kind: "create", path: temporary });
    this.perform({ kind: "write", path: temporary, bytes });
    if (isSynced) {
      this.perform({ kind: "sync", path: temporary });
    }
    this.perform({ kind: "close", path: temporary });
    this.perform({ kind: "rename", path: temporary, to: path });
    if (isSynced) {
      this.perform({ kind: "sync directory", path: path.slice(0, path.lastIndexOf("/")) });
    }
  }

  private perform(operation: Operation): void {
    try {
      this.disk.perform(operation);
    } catch {
      throw new ServerStop(this.name);
    }
  }
}

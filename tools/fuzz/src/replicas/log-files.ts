/** Writes the segments of a replica's write-ahead log, and finds the entries that can be read after a crash. */
import { equalBytes } from "@cfile/bytes";
import {
  configEntry,
  emptyCommitEntry,
  noOpEntry,
  type SyntheticStore,
  segmentFooter,
  segmentHeader,
  writeCommitEntry,
  writeEntry,
} from "@cfile-tools/kudu-synthetic/bytes";
import type { Files, Operation } from "../disk/simulated-disk.js";
import {
  type FoundRecord,
  isWrite,
  type LogRecord,
  type ModelConfig,
  type ModelEntry,
} from "../harnesses/raft-replica.js";
import { rowOperations, SCHEMA, TABLET, timestampOf } from "./table-rows.js";

const FOLDER = `wal/wals/${TABLET}`;
const SEGMENT = /\/wal-\d{9}$/;
/** Length of an entry's header. */
const HEADER = 16;
/** Bytes of the magic and the length of a segment's header. */
const START = 12;

interface Piece {
  readonly bytes: Uint8Array;
  /** `undefined` for the header and the footer. */
  readonly record: LogRecord | undefined;
}

interface Segment {
  readonly path: string;
  readonly pieces: Piece[];
  isClosed: boolean;
}

/** Names of servers by those of the model. */
export type ServerNames = (config: ModelConfig) => ModelConfig;

/** The readable part of a log. */
export interface FoundLog {
  readonly records: readonly FoundRecord[];
  /** `torn`: the last entry is incomplete. `missing`: there are no segments. Neither shows whether entries at the end are lost. */
  readonly state: "readable" | "torn" | "damaged" | "missing";
}

export function isSegment(path: string): boolean {
  return SEGMENT.test(path);
}

export class LogFiles {
  private segments: Segment[] = [];
  /** Deleted segments may reappear after a power cut. */
  private readonly deleted: Segment[] = [];
  private sequence = 0;
  private readonly perform: (operation: Operation) => void;
  private readonly recordsPerSegment: number;
  private readonly names: ServerNames;

  constructor(perform: (operation: Operation) => void, recordsPerSegment: number, names: ServerNames) {
    this.perform = perform;
    this.recordsPerSegment = recordsPerSegment;
    this.names = names;
  }

  /** Begins the first segment. */
  open(): void {
    this.begin();
  }

  append(entry: ModelEntry): void {
    const operation = { ...entry, timestamp: timestampOf(entry) };
    const { config } = entry;
    const bytes =
      config !== undefined
        ? configEntry(operation, this.names(config))
        : isWrite(entry)
          ? writeEntry(operation, { schema: SCHEMA, rows: rowOperations(entry) })
          : noOpEntry(operation);
    this.write({ bytes, record: { entry, isCommit: false } });
  }

  /** @param stores of the entry's row operations */
  commit(entry: ModelEntry, stores: readonly (SyntheticStore | undefined)[]): void {
    const bytes = isWrite(entry)
      ? writeCommitEntry(entry, stores)
      : emptyCommitEntry(entry, entry.config !== undefined);
    this.write({ bytes, record: { entry, isCommit: true } });
  }

  sync(): void {
    for (const { path } of this.segments) {
      this.perform({ kind: "sync", path });
    }
    this.perform({ kind: "sync directory", path: FOLDER });
  }

  /**
   * Deletes segments whose operations are all before an index.
   *
   * @returns the index of the first remaining operation
   */
  cut(first: number): number {
    const isOld = ({ pieces, isClosed }: Segment): boolean =>
      isClosed && pieces.every(({ record }) => record === undefined || record.entry.index < first);
    while (this.segments[0] !== undefined && isOld(this.segments[0])) {
      this.remove(this.segments[0]);
    }
    return firstOf(this.segments.flatMap(recordsOf)) ?? first;
  }

  removeAll(): void {
    for (const segment of this.segments) {
      this.remove(segment);
    }
  }

  /** Finds the readable part of the remaining files. */
  find(files: Files): FoundLog {
    return findLog([...this.deleted, ...this.segments], files);
  }

  private remove(segment: Segment): void {
    this.perform({ kind: "remove", path: segment.path });
    this.segments = this.segments.filter((one) => one !== segment);
    this.deleted.push(segment);
  }

  private write(piece: Piece): void {
    const last = this.segments.at(-1);
    const isFull = last === undefined || recordsOf(last).length >= this.recordsPerSegment;
    const segment = isFull ? this.begin() : last;
    this.add(segment, piece);
  }

  private begin(): Segment {
    const last = this.segments.at(-1);
    if (last !== undefined && !last.isClosed) {
      this.add(last, { bytes: segmentFooter(recordsOf(last).length), record: undefined });
      last.isClosed = true;
    }
    this.sequence++;
    const path = `${FOLDER}/wal-${String(this.sequence).padStart(9, "0")}`;
    const segment = { path, pieces: [], isClosed: false };
    this.perform({ kind: "create", path });
    this.segments.push(segment);
    this.add(segment, { bytes: segmentHeader(TABLET, SCHEMA, this.sequence), record: undefined });
    return segment;
  }

  private add(segment: Segment, piece: Piece): void {
    this.perform({ kind: "write", path: segment.path, bytes: piece.bytes });
    segment.pieces.push(piece);
  }
}

function recordsOf({ pieces }: Segment): readonly LogRecord[] {
  return pieces.flatMap(({ record }) => record ?? []);
}

/** Index of the first operation after a leader's operations have replaced others. */
function firstOf(records: readonly LogRecord[]): number | undefined {
  const indexes = records.filter(({ isCommit }) => !isCommit).map(({ entry: { index } }) => index);
  return indexes.length === 0 ? undefined : Math.min(...indexes);
}

function findLog(segments: readonly Segment[], files: Files): FoundLog {
  const all = segments.flatMap((segment) => {
    const bytes = files.get(segment.path);
    return bytes === undefined ? [] : [{ segment, bytes }];
  });
  const last = all.at(-1)?.bytes;
  // A server stopped before it wrote the header.
  const isUnused = last !== undefined && (last.length < START || last.every((byte) => byte === 0));
  const left = isUnused ? all.slice(0, -1) : all;
  const records: FoundRecord[] = [];
  let state: FoundLog["state"] = left.length === 0 ? "missing" : "readable";
  let hasBegun = false;
  let isGap = false;
  for (const [i, { segment, bytes }] of left.entries()) {
    const found = readSegment(segment, bytes);
    for (const record of found.records) {
      records.push(isGap ? { ...record, isBehindDamage: true } : record);
      isGap &&= record.isCommit;
    }
    const isCut = i < left.length - 1 && !found.isClosed;
    hasBegun ||= found.isBegun;
    isGap ||= (found.state === "damaged" || isCut) && hasBegun;
    state =
      found.state === "damaged" || isCut
        ? "damaged"
        : found.state === "torn" && state === "readable"
          ? "torn"
          : state;
  }
  return { records, state };
}

interface FoundSegment extends FoundLog {
  /** Whether its header can be read. */
  readonly isBegun: boolean;
  /** Whether it is complete, including the footer. */
  readonly isClosed: boolean;
}

/** Entries are found by the checksums of their headers. */
function readSegment({ pieces }: Segment, bytes: Uint8Array): FoundSegment {
  const records: FoundRecord[] = [];
  let broken: number | undefined;
  let hasMore = false;
  let at = 0;
  for (const { bytes: piece, record } of pieces) {
    const end = at + piece.length;
    const fits = end <= bytes.length;
    const isHere = fits && equalBytes(bytes.subarray(at, end), piece);
    if (at === 0 && !isHere) {
      // The header has no checksum, and nothing can be read without it.
      return { records, state: "damaged", isBegun: false, isClosed: false };
    }
    if (isHere && record !== undefined) {
      records.push({ ...record, isBehindDamage: broken !== undefined });
    }
    const header = piece.subarray(0, HEADER);
    const isEntry = record !== undefined && fits && equalBytes(bytes.subarray(at, at + HEADER), header);
    hasMore ||= broken !== undefined && isEntry;
    broken ??= isHere ? undefined : at;
    at = end;
  }
  const last = pieces.at(-1);
  const isFooterHere =
    last !== undefined && last.record === undefined && pieces.length > 1 && endsWith(bytes, last.bytes);
  // A disk may have rejected the end of an entry.
  const isCut = broken !== undefined || bytes.length > at;
  const isTorn = isCut && bytes.subarray(broken ?? at).some((byte) => byte !== 0);
  const isDamaged = hasMore || (isFooterHere && isCut);
  return {
    records,
    state: isDamaged ? "damaged" : isTorn ? "torn" : "readable",
    isBegun: true,
    isClosed: isFooterHere && !isCut,
  };
}

function endsWith(bytes: Uint8Array, end: Uint8Array): boolean {
  return bytes.length >= end.length && equalBytes(bytes.subarray(bytes.length - end.length), end);
}

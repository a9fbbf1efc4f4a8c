/** Collects the rows that a merge of replicas chooses: as runs of their batches, with their sources for the ledger. */
import type { TableBatch } from "@cfile/encodings/batches";
import { keyAt, type RowKeys } from "@cfile/rowset";
import { joinRuns, type RowRun } from "./keyed-rows.js";
import type { PartCursor } from "./part-cursor.js";
import type { LedgerRanges } from "./tablet-ledger.js";

/** The rows of the next batch, and their sources for the ledger. */
export class MergedRuns {
  rows = 0;
  total = 0;
  private runs: RowRun[] = [];
  private readonly servers: readonly string[];
  private readonly requested: number;
  private readonly ledger: LedgerRanges;
  /** The last rows from one replica: its index, the number of rows, the first key, and the location of the last key. */
  private source = -1;
  private sourceRows = 0;
  private sourceStart: Uint8Array = new Uint8Array(0);
  private lastKeys: RowKeys | undefined;
  private lastRow = 0;

  constructor(servers: readonly string[], requested: number, ledger: LedgerRanges) {
    this.servers = servers;
    this.requested = requested;
    this.ledger = ledger;
  }

  add(cursor: PartCursor): void {
    const { batch, row, replica, keys, keyRow } = cursor;
    const last = this.runs.at(-1);
    if (last?.batch === batch && last.to === row) {
      last.to++;
    } else {
      this.runs.push({ batch, from: row, to: row + 1 });
    }
    this.rows++;
    this.total++;
    if (this.source !== replica) {
      this.endSource();
      this.source = replica;
      this.sourceStart = keyAt(keys, keyRow);
    }
    this.sourceRows++;
    this.lastKeys = keys;
    this.lastRow = keyRow;
  }

  take(): TableBatch {
    this.endSource();
    const [first, ...others] = this.runs;
    this.runs = [];
    this.rows = 0;
    return joinRuns([first as RowRun, ...others], this.requested);
  }

  private endSource(): void {
    if (this.lastKeys !== undefined && this.sourceRows > 0) {
      const server = this.servers[this.source] as string;
      this.ledger.addRows(server, this.sourceStart, keyAt(this.lastKeys, this.lastRow), this.sourceRows);
    }
    this.source = -1;
    this.sourceRows = 0;
  }
}

/**
 * Merges the rows of one tablet's replicas by key. A replica may have lost a row; where it has not, all replicas must agree.
 *
 * | what the replicas say about a key | result |
 * | --- | --- |
 * | a live row, all with equal cells; others lost it | the row |
 * | different cells, or a live row and an undamaged replica without it | a difference; the row is left out |
 * | lost in every replica | lost |
 * | any of these | without uncertain replicas if they disagree with others |
 * | not live in an undamaged replica | nothing |
 */
import { compareBytes } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { keyAt, type RowKeys } from "@cfile/rowset";
import { type KeyedStream, ROW } from "./keyed-rows.js";
import { MergedRuns } from "./merged-runs.js";
import { PartCursor } from "./part-cursor.js";
import { sameRow } from "./same-cells.js";
import type { LedgerRanges } from "./tablet-ledger.js";

/** A part of a replica. */
export interface ReplicaPart {
  /** A lower bound of the keys. The part is not read before its keys are next. */
  readonly minKey: Uint8Array;
  readonly open: () => KeyedStream;
}

export interface ReplicaRows {
  readonly server: string;
  readonly parts: readonly ReplicaPart[];
  /** Whether it counts only where others know nothing, because operations of its log are damaged. Default `false`. */
  readonly isUncertain?: boolean;
}

/** What the replicas say about a key. */
interface Verdict {
  readonly live: readonly PartCursor[];
  /** Servers that do not have the row, although they lost nothing there. */
  readonly without: readonly string[];
  readonly agrees: boolean;
}

export interface MergeSettings {
  /** Number of columns to return and to compare, starting with the first. */
  readonly requested: number;
  readonly batchRows: number;
  readonly limit: number;
}

/**
 * The rows of all replicas in key order.
 *
 * @param replicas in the order in which they are preferred as sources
 */
export async function* mergeReplicas(
  replicas: readonly ReplicaRows[],
  { requested, batchRows, limit }: MergeSettings,
  ledger: LedgerRanges,
): AsyncGenerator<TableBatch, void, void> {
  const merge = new ReplicaMerge(replicas, requested, ledger);
  const output = new MergedRuns(
    replicas.map(({ server }) => server),
    requested,
    ledger,
  );
  try {
    while (output.total < limit) {
      // Most keys need no reading, and an `await` per key would double the time.
      const starting = merge.startParts();
      if (starting !== undefined) {
        await starting;
      }
      if (!merge.findNextKey()) {
        break;
      }
      const source = merge.decide();
      if (source !== undefined) {
        output.add(source);
      }
      const loading = merge.advance();
      if (loading !== undefined) {
        await loading;
      }
      if (output.rows >= batchRows) {
        yield output.take();
      }
    }
    if (output.rows > 0) {
      yield output.take();
    }
  } finally {
    await merge.close();
  }
}

class ReplicaMerge {
  private readonly replicas: readonly ReplicaRows[];
  private readonly requested: number;
  private readonly ledger: LedgerRanges;
  /** Parts that are not read yet, in reverse order. */
  private readonly waiting: { readonly replica: number; readonly part: ReplicaPart }[];
  private readonly cursors: PartCursor[] = [];
  /** The cursors at the current key. */
  private group: PartCursor[] = [];
  /** The location of the previous key. */
  private lastKeys: RowKeys | undefined;
  private lastRow = 0;
  private gaps = 0;

  constructor(replicas: readonly ReplicaRows[], requested: number, ledger: LedgerRanges) {
    this.replicas = replicas;
    this.requested = requested;
    this.ledger = ledger;
    this.waiting = replicas
      .flatMap(({ parts }, replica) => parts.map((part) => ({ replica, part })))
      .sort((left, right) => compareBytes(right.part.minKey, left.part.minKey));
  }

  /** Starts to read the parts whose keys may be next; `undefined` if there is nothing to wait for. */
  startParts(): Promise<void> | undefined {
    const next = this.waiting.at(-1);
    const least = next && this.least();
    const isLater =
      least !== undefined && next !== undefined && compareBytes(next.part.minKey, least.key) > 0;
    return next === undefined || isLater ? undefined : this.startNext();
  }

  /** Finds the smallest key and all cursors at it; `false` at the end. */
  findNextKey(): boolean {
    const least = this.least();
    this.reportGap(least);
    this.group = [];
    for (const cursor of this.cursors) {
      if (least !== undefined && !cursor.isAtEnd && cursor.hasKey(least)) {
        this.group.push(cursor);
      }
    }
    return least !== undefined;
  }

  /** The row to return for the current key, if any. */
  decide(): PartCursor | undefined {
    const { group, replicas } = this;
    const [head] = group;
    const isUsual =
      group.length === replicas.length &&
      group.every((one, i) => one.replica === i && one.state === ROW.live);
    if (head !== undefined && isUsual && group.every((one) => one === head || this.isSame(head, one))) {
      return head;
    }
    const all = this.verdictOf(replicas);
    const certain = all.agrees ? all : this.verdictOf(replicas.filter(({ isUncertain }) => !isUncertain));
    const isKnown = certain.live.length > 0 || certain.without.length > 0;
    const { live, without, agrees } = isKnown ? certain : all;
    // At least one cursor is at the key.
    const { key } = head as PartCursor;
    const [first] = live;
    if (first === undefined && without.length === 0) {
      this.ledger.addLostKey(key);
    }
    if (first === undefined || agrees) {
      return first;
    }
    this.ledger.addDifference({ key, servers: this.groupsOf(live), without });
    return undefined;
  }

  /** Moves to the next keys; `undefined` if there is nothing to wait for. */
  advance(): Promise<void> | undefined {
    const first = this.group[0] as PartCursor;
    this.lastKeys = first.keys;
    this.lastRow = first.keyRow;
    const used = this.group.filter((cursor) => !cursor.skip());
    return used.length === 0 ? undefined : loadAll(used);
  }

  async close(): Promise<void> {
    await Promise.all(this.cursors.map((cursor) => cursor.close()));
  }

  private get lastKey(): Uint8Array | undefined {
    return this.lastKeys && keyAt(this.lastKeys, this.lastRow);
  }

  private async startNext(): Promise<void> {
    for (let next = this.waiting.at(-1); next !== undefined; next = this.waiting.at(-1)) {
      const least = this.least();
      if (least !== undefined && compareBytes(next.part.minKey, least.key) > 0) {
        return;
      }
      this.waiting.pop();
      const cursor = new PartCursor(next.replica, next.part.open());
      this.cursors.push(cursor);
      await cursor.load();
    }
  }

  private least(): PartCursor | undefined {
    let least: PartCursor | undefined;
    for (const cursor of this.cursors) {
      if (!cursor.isAtEnd && (least === undefined || cursor.isBefore(least))) {
        least = cursor;
      }
    }
    return least;
  }

  private verdictOf(used: readonly ReplicaRows[]): Verdict {
    const live: PartCursor[] = [];
    const without: string[] = [];
    for (const one of used) {
      const replica = this.replicas.indexOf(one);
      const own = this.group.filter((cursor) => cursor.replica === replica);
      const isHidden = own.some(({ state }) => state === ROW.hidden);
      const alive = isHidden ? [] : own.filter(({ state }) => state === ROW.live);
      live.push(...alive);
      const isUnknown = isHidden || own.some(({ state }) => state === ROW.lost) || this.isInGap(replica);
      if (alive.length === 0 && !isUnknown) {
        without.push(one.server);
      }
    }
    const [first, ...others] = live;
    const isOnce = new Set(live.map(({ replica }) => replica)).size === live.length;
    const isEqual =
      first === undefined ||
      (without.length === 0 && isOnce && others.every((other) => this.isSame(first, other)));
    return { live, without, agrees: isEqual };
  }

  /** Whether the replica may have lost the current key in a gap. */
  private isInGap(replica: number): boolean {
    return this.cursors.some(
      (cursor) => cursor.replica === replica && cursor.gap > 0 && !this.group.includes(cursor),
    );
  }

  private reportGap(next: PartCursor | undefined): void {
    const { cursors, replicas, ledger } = this;
    const open = cursors.some(({ gap }) => gap > 0) ? cursors.filter(({ gap }) => gap > 0) : [];
    if (open.length === 0 || replicas.some((_, replica) => open.every((one) => one.replica !== replica))) {
      return;
    }
    const { lastKey } = this;
    this.gaps += ledger.continuesGap(lastKey) ? 0 : 1;
    const rows = replicas.map((_, replica) =>
      open
        .filter((one) => one.replica === replica && one.countedIn !== this.gaps)
        .reduce((sum, { gap }) => sum + gap, 0),
    );
    for (const cursor of open) {
      cursor.countedIn = this.gaps;
    }
    ledger.addGap(lastKey, next?.key, rows);
  }

  private isSame(left: PartCursor, right: PartCursor): boolean {
    return sameRow(left.batch, left.row, right.batch, right.row, this.requested);
  }

  /** The servers of live rows, in groups with equal cells. */
  private groupsOf(live: readonly PartCursor[]): string[][] {
    const groups: PartCursor[][] = [];
    for (const cursor of live) {
      const equal = groups.find(([one]) => one !== undefined && this.isSame(one, cursor));
      if (equal === undefined) {
        groups.push([cursor]);
      } else {
        equal.push(cursor);
      }
    }
    return groups.map((group) =>
      group.map(({ replica }) => (this.replicas[replica] as (typeof this.replicas)[number]).server),
    );
  }
}

async function loadAll(cursors: readonly PartCursor[]): Promise<void> {
  for (const cursor of cursors) {
    await cursor.load();
  }
}

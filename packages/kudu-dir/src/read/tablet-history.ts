/** How far back the history of a tablet is retained. */
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import { collect } from "../blocks/problems.js";
import { historyGone, historyStart } from "../catalog/history-start.js";
import type { Superblock } from "../catalog/superblock.js";
import type { TabletLog } from "../log/tablet-log.js";
import { Remembered } from "./remembered.js";
import type { Tolerance } from "./tablet-options.js";
import type { TabletRowSet } from "./tablet-row-set.js";

/** The parts of a tablet that determine its retained history. */
interface HistoryParts {
  readonly superblock: Superblock;
  readonly rowSets: readonly TabletRowSet[];
  readonly surroundings: {
    readonly ageSeconds: number | undefined;
    readonly lastChange: () => Promise<bigint | undefined>;
    readonly log: TabletLog;
  };
}

export class TabletHistory {
  private readonly parts: HistoryParts;
  private readonly first = new Remembered<bigint>();

  constructor(parts: HistoryParts) {
    this.parts = parts;
  }

  /** The first timestamp whose snapshot is certainly complete; 0 if all are. */
  start(): Promise<bigint> {
    return this.first.get(() => this.find());
  }

  /** @throws {CFileError} `E_HISTORY_GONE` if the snapshot is not retained */
  async require(field: "asOf" | "from", asOf: bigint, { partialHistory = false }: Tolerance): Promise<void> {
    const { rowSets, superblock } = this.parts;
    const neverFlushed = rowSets.length === 0 && superblock.lastDurableMrsId < 0n;
    if (asOf === LATEST_TIMESTAMP || partialHistory || neverFlushed) {
      return;
    }
    const start = await this.start();
    if (asOf < start && !(await this.isUnchangedSince(asOf))) {
      throw historyGone(field, asOf, start, superblock.tabletId);
    }
  }

  /** Whether the log goes back to this time and holds no later write. */
  private async isUnchangedSince(asOf: bigint): Promise<boolean> {
    const { completeFrom, lastWrite = -1n } = (await this.parts.surroundings.log.replayed()) ?? {};
    return completeFrom !== undefined && completeFrom <= asOf && lastWrite < asOf;
  }

  private async find(): Promise<bigint> {
    const { ageSeconds, lastChange } = this.parts.surroundings;
    const states = await Promise.all(
      // Missing files are reported when the row set is read.
      this.parts.rowSets.map((rowSet) => collect([], () => rowSet.history())),
    );
    const rowSets = states.filter((state) => state !== undefined);
    return historyStart({ ageSeconds, lastChange: await lastChange(), rowSets });
  }
}

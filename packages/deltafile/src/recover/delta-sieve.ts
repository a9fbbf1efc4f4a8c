/** Passes on the entries of a damaged delta file that can be in one file together: in order, and without broken chains. */
import { corrupt, problemOf } from "@cfile/bytes";
import type { RecoverableFile } from "@cfile/format/recover";
import type { RowKernels } from "@cfile/kernels/rows";
import { changeTypeName, RowChain } from "../changes/change-type.js";
import { type DeltaKind, mayFollow } from "../changes/delta-kind.js";
import { compareWords, wordsOf } from "../changes/timestamp.js";
import { type DeltaBatch, sliceDeltas } from "../read/delta-batch.js";
import { decodeDeltaValues } from "../read/delta-block.js";
import type { DeltaBlockEntry, LeftOutEntry } from "./delta-ledger.js";

type ContainerEntry = RecoverableFile["ledger"]["blocks"][number];
type Problem = ContainerEntry["problem"];

/** A block of the container with its entries; without `batch`, it is lost. */
interface FoundBlock {
  readonly entry: ContainerEntry;
  readonly batch: DeltaBatch | undefined;
  readonly problem: Problem;
}

/** The blocks in order; a block whose values are not entries is lost. @throws {CFileError} as `RecoverableFile.entries` */
export async function* deltaBlocks(
  found: RecoverableFile,
  kernels: RowKernels,
): AsyncGenerator<FoundBlock, void, void> {
  for await (const { entry, batch: values } of found.entries(Number.POSITIVE_INFINITY)) {
    let batch: DeltaBatch | undefined;
    let problem = entry.problem;
    if (values !== undefined) {
      try {
        if (values.kind !== "binary") {
          throw corrupt("block without binary values", { field: "data block" });
        }
        batch = decodeDeltaValues(values, entry.firstRow ?? 0, undefined, kernels).batch;
      } catch (error) {
        problem = problemOf(error, entry.block);
      }
    }
    yield { entry, batch, problem };
  }
}

/** The kind that the order of a row's timestamps reveals; `undefined` if no row has different timestamps. */
export async function kindOfBlocks(blocks: AsyncIterable<FoundBlock>): Promise<DeltaKind | undefined> {
  for await (const { batch } of blocks) {
    const words = wordsOf(batch?.timestamps ?? new BigUint64Array(0));
    for (let i = 1; batch !== undefined && i < batch.length; i++) {
      const order =
        batch.rows[i] === batch.rows[i - 1]
          ? compareWords(words, i, words[2 * i - 2] as number, words[2 * i - 1] as number)
          : 0;
      if (order !== 0) {
        return order > 0 ? "redo" : "undo";
      }
    }
  }
  return undefined;
}

/** The result for one block. */
interface Sieved {
  readonly entry: DeltaBlockEntry;
  /** The kept entries, none if the block is lost. */
  readonly batches: readonly DeltaBatch[];
  readonly leftOut: readonly LeftOutEntry[];
}

export class DeltaSieve {
  private readonly kind: DeltaKind;
  private readonly chain = new RowChain();
  /** The last kept entry. */
  private row = -1;
  private low = 0;
  private high = 0;
  /** A row whose chain is broken: its later entries are left out. */
  private brokenRow = -1;

  constructor(kind: DeltaKind) {
    this.kind = kind;
  }

  /** @returns the block's entry in the ledger; the end of lost rows is known only after the next kept block */
  take({ entry, batch, problem }: FoundBlock): Sieved {
    const { block, firstRow: firstEntry, rows: entries, verified, movedFrom } = entry;
    const wrong = batch === undefined ? problem : this.disorder(batch, block);
    const shared = { block, firstEntry, entries, movedFrom };
    if (batch === undefined || wrong !== undefined) {
      const rows = { from: Math.max(0, this.row) };
      return {
        entry: { ...shared, state: "lost", verified: false, problem: wrong, rows },
        batches: [],
        leftOut: [],
      };
    }
    const rows = { from: batch.rows[0] as number, to: (batch.rows[batch.length - 1] as number) + 1 };
    return { entry: { ...shared, state: "kept", verified, problem, rows }, ...this.sieve(batch) };
  }

  /** The reason why the entries cannot follow the previous ones; `undefined` if they can. */
  private disorder(batch: DeltaBatch, block: ContainerEntry["block"]): Problem {
    const words = wordsOf(batch.timestamps);
    let { row, low, high } = this;
    for (let i = 0; i < batch.length; i++) {
      const next = batch.rows[i] as number;
      if (next < row || (next === row && !mayFollow(this.kind, words, i, low, high))) {
        const reason = `entry of row ${next} at ${batch.timestamps[i]} is out of order in a file of kind ${this.kind}`;
        return { code: "E_CORRUPT", reason, block, field: next < row ? "row" : "timestamp" };
      }
      row = next;
      low = words[2 * i] as number;
      high = words[2 * i + 1] as number;
    }
    return undefined;
  }

  private sieve(batch: DeltaBatch): Pick<Sieved, "batches" | "leftOut"> {
    const words = wordsOf(batch.timestamps);
    const batches: DeltaBatch[] = [];
    const leftOut: LeftOutEntry[] = [];
    let from = 0;
    for (let i = 0; i < batch.length; i++) {
      const row = batch.rows[i] as number;
      const type = batch.types[i] as number;
      const broken =
        row === this.brokenRow ? "follows an entry that is left out" : this.chain.next(row, type);
      if (broken !== undefined) {
        this.brokenRow = row;
        leftOut.push({
          row,
          timestamp: batch.timestamps[i] as bigint,
          type: changeTypeName(type),
          reason: broken,
        });
        batches.push(...(i > from ? [sliceDeltas(batch, from, i)] : []));
        from = i + 1;
      }
      this.row = row;
      this.low = words[2 * i] as number;
      this.high = words[2 * i + 1] as number;
    }
    batches.push(...(batch.length > from ? [sliceDeltas(batch, from, batch.length)] : []));
    return { batches, leftOut };
  }
}

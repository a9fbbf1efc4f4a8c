/** The operations of a log by index, as its entries add, replace and commit them (docs/spec/kudu-wal.md#5-what-to-apply). */
import { type CFileError, corrupt } from "@cfile/bytes";
import type { Commit, OperationId, Replicate } from "./log-messages.js";

/** An operation of a log, and its commit if the log has it. */
export interface LoggedOperation<R = Replicate, C = Commit> {
  readonly replicate: R;
  /** File of its entry. */
  readonly path: string;
  /** Offset of its entry. */
  readonly offset: number;
  commit: C | undefined;
  /** Without a commit: whether another operation may have replaced it where the log is damaged. Default `false`. */
  mayBeReplaced?: boolean;
  /** Without a commit: whether it may have been flushed nevertheless, because the log is damaged. Default `false`. */
  readonly mayBeFlushed?: boolean;
  /** Row operations that failed, by index, according to the commit of another replica. */
  readonly failed?: ReadonlySet<number>;
}

export interface Identified {
  readonly id: OperationId;
}

/** Operations by index, with their commits; those of a new leader replace all operations from their index on. */
export class OperationList<R extends Identified, C extends Identified> {
  readonly operations: LoggedOperation<R, C>[] = [];
  /**
   * The error for the first commit whose operation is missing at the end of the list, although its changes are not flushed. A server
   * deletes operations only from the beginning of a log.
   */
  lost: CFileError | undefined;
  private readonly isUnflushed: (commit: C) => boolean;

  constructor(isUnflushed: (commit: C) => boolean = () => false) {
    this.isUnflushed = isUnflushed;
  }

  get last(): bigint | undefined {
    return this.operations.at(-1)?.replicate.id.index;
  }

  /** Takes the operations whose commits are known, up to the first without one: no new leader can replace them. */
  takeCommitted(): readonly LoggedOperation<R, C>[] {
    const { operations } = this;
    const open = operations.findIndex(({ commit }) => commit === undefined);
    return operations.splice(0, open < 0 ? operations.length : open);
  }

  addOperation(replicate: R, path: string, offset: number): void {
    const { operations } = this;
    const { index } = replicate.id;
    for (let { last } = this; last !== undefined && last >= index; last = this.last) {
      operations.pop();
    }
    operations.push({ replicate, path, offset, commit: undefined });
  }

  /**
   * Prepares for an operation of a term after entries that cannot be read. Terms ascend in a log, so operations of later terms were
   * replaced there; those of earlier terms may have been.
   */
  resumeAt(term: bigint): void {
    const { operations } = this;
    for (let i = operations.length - 1; i >= 0; i--) {
      const one = operations[i] as LoggedOperation<R, C>;
      if (one.commit !== undefined || one.replicate.id.term === term) {
        return;
      }
      if (one.replicate.id.term > term) {
        operations.pop();
      } else if (one.mayBeReplaced) {
        return;
      } else {
        one.mayBeReplaced = true;
      }
    }
  }

  /** @param last index of the operation before the commit */
  addCommit(commit: C, path: string, offset: number, last = this.last): void {
    const { term, index } = commit.id;
    if (last !== undefined && index > last && this.isUnflushed(commit)) {
      const reason = `the commit of operation ${index} follows operation ${last}`;
      this.lost ??= corrupt(reason, { path, offset, field: "index" });
    }
    const known = this.find(index);
    if (known !== undefined && known.replicate.id.term === term) {
      known.commit = commit;
      known.mayBeReplaced = false;
    }
  }

  /** Most indexes are consecutive, so the distance from the last one is the position. */
  private find(index: bigint): LoggedOperation<R, C> | undefined {
    const { operations, last } = this;
    if (last === undefined || index > last) {
      return undefined;
    }
    const guess = operations.at(-1 - Number(last - index));
    if (guess?.replicate.id.index === index) {
      return guess;
    }
    let from = 0;
    let to = operations.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((operations[middle] as LoggedOperation<R, C>).replicate.id.index < index) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    // The last index is not less than `index`, so there is such an operation.
    const found = operations[from] as LoggedOperation<R, C>;
    return found.replicate.id.index === index ? found : undefined;
  }
}

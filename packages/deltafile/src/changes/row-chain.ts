/**
 * What the entries of one row must make sense as, in the order of the file: nothing happens to a row that is dead but a
 * REINSERT, and none to one that is alive. Whether the row is alive at first, one file alone does not tell.
 */
import { DELETE, REINSERT } from "./change-type.js";

/**
 * Whether the entries of a row make sense one after the other: only a row that is alive is deleted, only one that is
 * dead comes back.
 */
export class RowChain {
  private row = -1;
  private state: "unknown" | "alive" | "dead" = "unknown";

  /** Takes the next entry and says what is wrong with it, if anything. */
  next(row: number, type: number): string | undefined {
    if (row !== this.row) {
      this.row = row;
      this.state = "unknown";
    }
    const { state } = this;
    this.state = type === DELETE ? "dead" : "alive";
    if (type === REINSERT) {
      return state === "alive" ? "a REINSERT of a row that is alive" : undefined;
    }
    if (state !== "dead") {
      return undefined;
    }
    return type === DELETE ? "a DELETE of a row that is dead" : "an UPDATE of a row that is dead";
  }
}

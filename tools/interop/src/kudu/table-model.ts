/** A table with random writes: its columns after alterations, and keys that may exist. */
import { DriverError, type JavaDriver } from "../java-driver.js";
import type { Random } from "../random.js";
import {
  BLOCK_SIZES,
  COMPRESSIONS,
  COUNTER,
  columnText,
  encodingsOf,
  type PlannedColumn,
  type PlannedTable,
  planColumn,
  randomCell,
  withCounter,
} from "./table-plan.js";

const BATCH_SIZES = [1, 5, 40, 40, 150, 600];

export class TableModel {
  readonly name: string;
  /** Times just after the writes, for snapshots. */
  readonly times: bigint[] = [];
  private columns: readonly PlannedColumn[];
  private readonly plan: PlannedTable;
  private readonly keys: string[][] = [];
  private readonly known = new Set<string>();
  /**
   * Keys deleted since the last alteration. Kudu 1.18.1 aborts when a table with only key columns is altered
   * after a row in memory was deleted twice.
   */
  private readonly deleted = new Set<string>();
  private nextColumn = 100;
  private newestIsDropped = false;

  constructor(plan: PlannedTable) {
    this.plan = plan;
    this.name = plan.name;
    this.columns = withCounter(plan.columns);
  }

  async create(driver: JavaDriver): Promise<void> {
    const { name, columns, hashes, splits, ranges = [], historySeconds = "" } = this.plan;
    const partitions = [
      hashes.join(";"),
      splits.join(";"),
      ranges.map((bounds) => bounds.join(":")).join(";"),
    ];
    await driver.ask(["create", name, columns.map(columnText).join(";"), ...partitions, historySeconds]);
  }

  /** Writes a batch of all kinds of operations, and records the time after it. */
  async write(driver: JavaDriver, random: Random): Promise<void> {
    const lines = Array.from({ length: random.pick(BATCH_SIZES) }, () => this.operation(random));
    const [answer] = await driver.ask(["write", this.name, lines.length], lines);
    this.times.push(BigInt(answer?.split("\t")[0] ?? 0) + 1n);
  }

  /**
   * Inserts rows with keys of existing rows.
   * @param rows rows as the client read them
   * @returns the number of rows that were not rejected
   */
  async insertAgain(driver: JavaDriver, rows: readonly string[]): Promise<number> {
    const lines = rows.map((row) => `insert\t${row}`);
    const [answer = ""] = await driver.ask(["write", this.name, lines.length], lines);
    return lines.length - (answer.split("\t").length - 1) / 2;
  }

  /**
   * Updates existing rows, one column each.
   * @returns the errors
   */
  async updateAll(
    driver: JavaDriver,
    random: Random,
    rows: readonly (readonly string[])[],
  ): Promise<readonly string[]> {
    const others = this.columns.filter(({ key }) => key === 0);
    const lines = rows.map((row) => {
      const changed = random.pick(others);
      const cells = this.columns.map((column, i) =>
        column.key !== 0 ? row[i] : column === changed ? randomCell(random, column) : "?",
      );
      return ["update", ...cells].join("\t");
    });
    const [answer = ""] = await driver.ask(["write", this.name, lines.length], lines);
    const [time = "0", ...errors] = answer.split("\t");
    this.times.push(BigInt(time) + 1n);
    return errors.filter((_, i) => i % 2 === 1);
  }

  /**
   * Whether Kudu 1.18.1 can return diffs. After the newest column is dropped, it reads the files of that
   * column as the deleted flag, or aborts.
   */
  get hasDiffs(): boolean {
    return !this.newestIsDropped;
  }

  /** Number of key columns, which come first. */
  get keyCount(): number {
    return this.columns.filter(({ key }) => key !== 0).length;
  }

  get hasCounter(): boolean {
    return this.columns.some(({ name }) => name === COUNTER);
  }

  /** One alteration of the schema; an alteration that Kudu rejects has no effect. */
  async alter(driver: JavaDriver, random: Random): Promise<void> {
    const others = this.columns.filter(({ key }) => key === 0);
    this.deleted.clear();
    const column = others.length === 0 ? undefined : random.pick(others);
    const action =
      column === undefined
        ? "add"
        : random.pick(["add", "add", "drop", "rename", "encoding", "compression", "block", "default"]);
    const replace = (changed: PlannedColumn | undefined): void => {
      this.columns = this.columns.flatMap((one) =>
        one !== column ? [one] : changed === undefined ? [] : [changed],
      );
    };
    const ask = async (...args: readonly string[]): Promise<boolean> => {
      try {
        await driver.ask(["alter", this.name, action, ...args]);
        return true;
      } catch (error) {
        if (error instanceof DriverError) {
          return false;
        }
        throw error;
      }
    };
    if (action === "add" || column === undefined) {
      let added = planColumn(random, `n${this.nextColumn++}`, 0);
      if (!added.nullable && added.defaultCell === "?") {
        added = { ...added, defaultCell: randomCell(random, added) };
      }
      if (await ask(columnText(added))) {
        this.columns = [...this.columns, added];
        this.newestIsDropped = false;
      }
    } else if (action === "drop") {
      if (await ask(column.name)) {
        this.newestIsDropped ||= column === this.columns.at(-1);
        replace(undefined);
      }
    } else if (action === "rename") {
      const name = `r${this.nextColumn++}`;
      if (await ask(column.name, name)) {
        replace({ ...column, name });
      }
    } else if (action === "default") {
      await ask(column.name, randomCell(random, column));
    } else {
      const value = {
        encoding: encodingsOf(column.type),
        compression: COMPRESSIONS,
        block: BLOCK_SIZES.map(String),
      };
      await ask(column.name, random.pick(value[action as keyof typeof value]));
    }
  }

  private operation(random: Random): string {
    const wanted = random.pick(["insert", "insert", "insert", "upsert", "update", "update", "delete"]);
    const key = this.key(random, wanted === "insert");
    const name = key.join("\t");
    const isKeysOnly = this.columns.every((column) => column.key !== 0);
    const kind =
      wanted === "delete" && isKeysOnly && this.deleted.has(name)
        ? "update"
        : wanted === "upsert" && this.hasCounter
          ? "insert"
          : wanted;
    if (kind === "delete") {
      this.deleted.add(name);
    }
    const cells = this.columns.map((column, position) => {
      if (column.key !== 0) {
        return (kind === "insert" || kind === "upsert") && column.name === COUNTER
          ? "?"
          : (key[position] ?? "?");
      }
      if (kind === "delete" || (kind !== "insert" && random.below(3) > 0)) {
        return "?";
      }
      if (column.nullable && random.below(4) === 0) {
        return "~";
      }
      // A missing value becomes the default, if the column has one. Otherwise Kudu rejects the row, and after a
      // restart it forgets the counter of a rejected row.
      return column.defaultCell !== "?" && random.once(5) ? "?" : randomCell(random, column);
    });
    // Kudu rejects an empty update, which must have no effect.
    return [kind, ...cells].join("\t");
  }

  private key(random: Random, isNew: boolean): readonly string[] {
    if (this.keys.length > 0 && random.below(isNew ? 6 : 12) < (isNew ? 1 : 11)) {
      return random.pick(this.keys);
    }
    const key = this.columns
      .filter((column) => column.key !== 0)
      .map((column) =>
        column.name === COUNTER ? String(random.between(1, 60)) : randomCell(random, column),
      );
    const text = key.join("\t");
    if (!this.known.has(text)) {
      this.known.add(text);
      this.keys.push(key);
    }
    return key;
  }
}

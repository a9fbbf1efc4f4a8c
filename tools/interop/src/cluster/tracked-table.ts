/**
 * A table of a cluster and its possible rows: an answered write has one outcome; a write without an answer may or may not have
 * been applied. Keys of writes without an answer get no other writes.
 */
import type { JavaDriver } from "../java-driver.js";
import { readSnapshot } from "../kudu/compare/client-rows.js";
import { columnText, type PlannedColumn, planColumn, withCounter } from "../kudu/table-plan.js";
import type { Random } from "../random.js";
import { type ClusterTablePlan, supported } from "./cluster-plan.js";
import type { KuduRelease } from "./kudu-releases.js";
import { cellOf, changedCells, changeKinds } from "./random-change.js";
import {
  type Answer,
  type ChangeKind,
  inserted,
  outcomeOf,
  type RowChange,
  type RowState,
  unique,
  writeChanges,
} from "./row-changes.js";

const BATCHES = [1, 4, 25, 60, 150];
/** Seconds to keep soft-deleted tables. */
const KEPT_SECONDS = 36_000;
const MOST_KEYS = 400;
const MOST_ATTEMPTS = 30;

export class TrackedTable {
  readonly plan: ClusterTablePlan;
  name: string;
  columns: readonly PlannedColumn[];
  /** Current names by original name, for rows that were read before a column was renamed or dropped. */
  readonly names = new Map<string, string | undefined>();
  /** Answers that contradict earlier ones. */
  readonly contradictions: string[] = [];
  answered = 0;
  unanswered = 0;
  newestIsDropped = false;
  private readonly rows = new Map<string, RowState[]>();
  private readonly keys: string[] = [];
  /** The table's ID while it is soft-deleted. */
  deletedId: string | undefined;
  /** Whether rows got unknown numbers: an insert into a table without unique keys was not answered. */
  isUnknown = false;
  /** Whether a restarted server gave rows other numbers than the client had read. */
  isRenumbered = false;
  /** Keys that get no more writes. */
  private readonly retired = new Set<string>();
  private nextName = 100;

  constructor(plan: ClusterTablePlan) {
    this.plan = plan;
    this.name = plan.name;
    this.columns = withCounter(plan.columns);
    for (const { name } of this.columns) {
      this.names.set(name, name);
    }
  }

  /** Whether the server numbers the rows, which have no unique key. */
  get isCounted(): boolean {
    return this.columns.length > 0 && this.columns[0]?.key === 2;
  }

  /** Whether its rows can be compared. */
  get isKnown(): boolean {
    return !this.isUnknown && !this.isRenumbered;
  }

  private get others(): readonly PlannedColumn[] {
    return this.columns.filter(({ key }) => key === 0);
  }

  get keyCount(): number {
    return this.columns.filter(({ key }) => key !== 0).length;
  }

  /** Possible rows by key, each as one text; `undefined` for the absence of a row. */
  allowedRows(): ReadonlyMap<string, readonly (string | undefined)[]> {
    return new Map(
      [...this.rows].map(([key, states]) => [
        key,
        states.map((state) => (state === undefined ? undefined : [key, ...state].join("\t"))),
      ]),
    );
  }

  async create(driver: JavaDriver): Promise<void> {
    const { name, columns, hashes, splits, ranges, replicas, owner, comment } = this.plan;
    await driver.ask([
      "create", name, columns.map(columnText).join(";"), hashes.join(";"), splits.join(";"),
      ranges.map((range) => range.join(":")).join(";"), "", replicas, owner, comment,
    ]); // biome-ignore format: one line
  }

  /** Deletes the table so that it can be recalled. */
  async softDelete(driver: JavaDriver): Promise<void> {
    const [id] = await driver.ask(["drop-table", this.name, KEPT_SECONDS]);
    this.deletedId = id;
  }

  async recall(driver: JavaDriver): Promise<void> {
    await driver.ask(["recall-table", this.deletedId ?? ""]);
    this.deletedId = undefined;
  }

  /**
   * Writes a batch of all kinds of operations.
   * @param milliseconds how long the client waits for answers that it may not get; default: an answer is expected
   * @returns the time just after the batch; `undefined` without an answer
   */
  async write(
    driver: JavaDriver,
    random: Random,
    release: KuduRelease,
    milliseconds?: number,
  ): Promise<bigint | undefined> {
    // A row whose number is unknown cannot be compared.
    const mayInsert = !this.isCounted || milliseconds === undefined;
    const kinds = changeKinds(this.columns, release, mayInsert);
    const changes = Array.from({ length: random.pick(BATCHES) }, () => this.change(random, kinds)).filter(
      (change) => change !== undefined,
    );
    const { after, answers } = await writeChanges(driver, this.name, changes, milliseconds);
    const numbered: RowChange[] = [];
    for (const [i, change] of changes.entries()) {
      if (this.isCounted && change.kind === "insert") {
        numbered.push(change);
        this.isUnknown ||= answers[i] !== "ok";
      } else {
        this.apply(change, answers[i] ?? "none");
      }
    }
    if (numbered.length > 0 && after !== undefined && !this.isUnknown) {
      await this.learnNumbers(driver, numbered, after);
    }
    return after;
  }

  /** Reads the numbers that the server gave to new rows. */
  private async learnNumbers(
    driver: JavaDriver,
    inserts: readonly RowChange[],
    after: bigint,
  ): Promise<void> {
    const { keyCount, others } = this;
    const { rows } = await readSnapshot(driver, this.name, after);
    const left = inserts.map(({ key, cells }) =>
      [...key.split("\t").slice(0, -1), ...inserted(cells, others)].join("\t"),
    );
    for (const line of [...rows.values()].flat()) {
      const cells = line.split("\t");
      const key = cells.slice(0, keyCount).join("\t");
      if (!this.rows.has(key)) {
        const found = left.indexOf(cells.toSpliced(keyCount - 1, 1).join("\t"));
        if (found < 0) {
          this.contradictions.push(`${this.name}: unexpected row ${line}`);
        }
        left.splice(found, found < 0 ? 0 : 1);
        this.rows.set(key, [cells.slice(keyCount)]);
        this.keys.push(key);
        this.answered++;
      }
    }
    this.contradictions.push(...left.map((row) => `${this.name}: no row ${row}`));
  }

  /** One alteration: adds, drops or renames a column, or renames the table. */
  async alter(driver: JavaDriver, random: Random, release: KuduRelease): Promise<string> {
    const { others } = this;
    // The last column that is not in the key is kept: see below.
    const actions =
      others.length < 2 ? ["add", "rename-table"] : ["add", "add", "drop", "rename", "rename-table"];
    const action = random.pick(actions);
    if (action === "rename-table") {
      const name = `${this.plan.name}_${this.nextName++}`;
      await driver.ask(["alter", this.name, action, name]);
      this.name = name;
    } else if (action === "add") {
      let column = supported(random, release, planColumn(random, `n${this.nextName++}`, 0));
      if (!column.nullable && column.defaultCell === "?") {
        column = { ...column, defaultCell: cellOf(random, column) };
      }
      await driver.ask(["alter", this.name, action, columnText(column)]);
      this.columns = [...this.columns, column];
      this.names.set(column.name, column.name);
      this.newestIsDropped = false;
      const cell = column.defaultCell === "?" ? "~" : column.defaultCell;
      this.changeStates((state) => [...state, cell]);
    } else {
      const column = random.pick(others);
      const position = this.columns.indexOf(column);
      const renamed = action === "rename" ? `r${this.nextName++}` : undefined;
      await driver.ask([
        "alter",
        this.name,
        action,
        column.name,
        ...(renamed === undefined ? [] : [renamed]),
      ]);
      for (const [original, current] of this.names) {
        this.names.set(original, current === column.name ? renamed : current);
      }
      if (renamed !== undefined) {
        this.names.set(renamed, renamed);
        this.columns = this.columns.map((one) => (one === column ? { ...one, name: renamed } : one));
      } else {
        this.newestIsDropped ||= position === this.columns.length - 1;
        this.columns = this.columns.filter((one) => one !== column);
        const dropped = position - this.keyCount;
        this.changeStates((state) => state.filter((_, i) => i !== dropped));
      }
    }
    return action;
  }

  private changeStates(change: (state: readonly string[]) => readonly string[]): void {
    for (const [key, states] of this.rows) {
      this.rows.set(
        key,
        states.map((state) => (state === undefined ? undefined : change(state))),
      );
    }
  }

  private change(random: Random, kinds: readonly ChangeKind[]): RowChange | undefined {
    const { others } = this;
    const kind = random.pick(kinds);
    const key = this.key(random, kind.startsWith("insert"));
    // Kudu loses a row that was deleted and inserted again in memory when the first column that is not in the key is added,
    // or the last one is dropped.
    if (key !== undefined && kind.startsWith("delete") && others.length === 0) {
      this.retired.add(key);
    }
    return key === undefined ? undefined : { kind, key, cells: changedCells(random, kind, others) };
  }

  /** `undefined` when keys are few and the outcome of writes to them is unknown. */
  private key(random: Random, isNew: boolean): string | undefined {
    const free = this.keys.filter((key) => !this.retired.has(key));
    if (this.isCounted) {
      return isNew ? this.newKey(random) : free.length > 0 ? random.pick(free) : undefined;
    }
    const isFull = this.keys.length >= MOST_KEYS;
    if (free.length > 0 && (isFull || random.below(10) < (isNew ? 2 : 8))) {
      return random.pick(free);
    }
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const key = this.newKey(random);
      if (!this.rows.has(key)) {
        this.keys.push(key);
        this.rows.set(key, [undefined]);
      }
      if (!this.retired.has(key)) {
        return key;
      }
    }
    return undefined;
  }

  private newKey(random: Random): string {
    const keys = this.columns.filter((column) => column.key !== 0);
    const cells = keys.map((column, i) =>
      i === 0 && this.plan.ranges.length > 0 ? String(random.between(-100, 99)) : cellOf(random, column),
    );
    return (this.isCounted ? [...cells.slice(0, -1), "?"] : cells).join("\t");
  }

  private apply(change: RowChange, answer: Answer): void {
    const before = this.rows.get(change.key) ?? [undefined];
    const results = before.map((state) => outcomeOf(change, state, this.others));
    if (answer === "none") {
      this.unanswered++;
      this.retired.add(change.key);
      const all = [...before, ...results.map(({ state }) => state)];
      this.rows.set(change.key, unique(all));
      return;
    }
    this.answered++;
    const fitting = results.filter((result) => result.answer === answer);
    if (fitting.length === 0) {
      const expected = results.map((result) => result.answer).join(" or ");
      this.contradictions.push(`${this.name}: ${change.kind} ${change.key}: ${answer}, expected ${expected}`);
    }
    this.rows.set(change.key, unique((fitting.length === 0 ? results : fitting).map(({ state }) => state)));
  }
}

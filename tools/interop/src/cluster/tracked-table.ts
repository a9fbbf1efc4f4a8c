/**
 * A table of a cluster, and what its rows may be: each answered write has one outcome, one without an answer may have happened
 * or not. No other writes go to keys of writes without an answer.
 */
import { DriverError, type JavaDriver } from "../java-driver.js";
import { columnText, type PlannedColumn, planColumn, randomCell } from "../kudu/table-plan.js";
import type { Random } from "../random.js";
import { type ClusterTablePlan, supported } from "./cluster-plan.js";
import type { KuduRelease } from "./kudu-releases.js";

type Kind =
  | "insert" | "upsert" | "update" | "delete" | "insert-ignore" | "update-ignore" | "delete-ignore" | "upsert-ignore"; // biome-ignore format: one line

interface RowChange {
  readonly kind: Kind;
  readonly key: string;
  /** In the text format of the driver, "?" where there is no value. */
  readonly cells: readonly string[];
}

/** The cells of a row after its key; `undefined` for no row. */
type RowState = readonly string[] | undefined;

/** What the client was answered about a change. */
type Answer = "ok" | "present" | "absent" | "none";

const BATCHES = [1, 4, 25, 60, 150];
const MOST_KEYS = 400;
const MOST_ATTEMPTS = 30;

export class TrackedTable {
  readonly plan: ClusterTablePlan;
  name: string;
  columns: readonly PlannedColumn[];
  /** By original name, for rows that were read before a column was renamed or dropped. */
  readonly names = new Map<string, string | undefined>();
  /** Answers that contradict earlier ones. */
  readonly contradictions: string[] = [];
  answered = 0;
  unanswered = 0;
  newestIsDropped = false;
  private readonly rows = new Map<string, RowState[]>();
  private readonly keys: string[] = [];
  /** Keys that get no more writes. */
  private readonly retired = new Set<string>();
  private nextName = 100;

  constructor(plan: ClusterTablePlan) {
    this.plan = plan;
    this.name = plan.name;
    this.columns = plan.columns;
    for (const { name } of plan.columns) {
      this.names.set(name, name);
    }
  }

  get keyCount(): number {
    return this.columns.filter(({ key }) => key !== 0).length;
  }

  /** By key, the rows that may be there, each as one text, and `undefined` where there may be none. */
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

  /**
   * Writes a batch of all kinds of operations.
   * @param milliseconds how long the client waits for answers
   * @returns the time just after it; `undefined` without an answer
   */
  async write(
    driver: JavaDriver,
    random: Random,
    release: KuduRelease,
    milliseconds = 15_000,
  ): Promise<bigint | undefined> {
    const changes = Array.from({ length: random.pick(BATCHES) }, () => this.change(random, release)).filter(
      (change) => change !== undefined,
    );
    const lines = changes.map(({ kind, key, cells }) => [kind, key, ...cells].join("\t"));
    let answer: readonly string[];
    try {
      const [line = ""] = await driver.ask(["write", this.name, lines.length, milliseconds], lines);
      answer = line.split("\t");
    } catch (error) {
      if (!(error instanceof DriverError)) {
        throw error;
      }
      answer = [];
    }
    const [time, ...errors] = answer;
    const answers: Answer[] = changes.map(() => (time === undefined ? "none" : "ok"));
    for (let i = 0; i + 1 < errors.length; i += 2) {
      answers[Number(errors[i])] = answerOf(errors[i + 1] ?? "");
    }
    for (const [i, change] of changes.entries()) {
      this.apply(change, answers[i] ?? "none");
    }
    return time === undefined ? undefined : BigInt(time) + 1n;
  }

  /** One alteration: adds, drops or renames a column, or renames the table. */
  async alter(driver: JavaDriver, random: Random, release: KuduRelease): Promise<string> {
    const others = this.columns.filter(({ key }) => key === 0);
    // The last column that is not in the key stays: see below.
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

  private change(random: Random, { hasIgnore, hasSoftDelete }: KuduRelease): RowChange | undefined {
    const others = this.columns.filter(({ key }) => key === 0);
    const kinds: Kind[] = ["insert", "insert", "insert", "upsert", "upsert", "delete"];
    if (others.length > 0) {
      kinds.push("update", "update", "update");
    }
    if (hasIgnore) {
      kinds.push("insert-ignore", "delete-ignore", ...(others.length > 0 ? ["update-ignore" as const] : []));
    }
    if (hasSoftDelete) {
      kinds.push("upsert-ignore");
    }
    const kind = random.pick(kinds);
    const key = this.key(random, kind.startsWith("insert"));
    if (key === undefined) {
      return undefined;
    }
    if (kind.startsWith("delete")) {
      // Kudu loses a row that was deleted and inserted again in memory when the table gets its first column that is not in the
      // key, or loses the last one.
      if (others.length === 0) {
        this.retired.add(key);
      }
      return { kind, key, cells: others.map(() => "?") };
    }
    const isNew = kind.startsWith("insert") || kind.startsWith("upsert");
    const forced = others.length === 0 ? -1 : random.below(others.length);
    const cells = others.map((column, i) => {
      const mayBeUnset = isNew ? column.nullable || column.defaultCell !== "?" : i !== forced;
      if (mayBeUnset && random.once(isNew ? 5 : 2)) {
        return "?";
      }
      return column.nullable && random.once(4) ? "~" : cellOf(random, column);
    });
    return { kind, key, cells };
  }

  /** `undefined` when keys are few and the outcome of writes to them is unknown. */
  private key(random: Random, isNew: boolean): string | undefined {
    const free = this.keys.filter((key) => !this.retired.has(key));
    const isFull = this.keys.length >= MOST_KEYS;
    if (free.length > 0 && (isFull || random.below(10) < (isNew ? 2 : 8))) {
      return random.pick(free);
    }
    const keys = this.columns.filter((column) => column.key !== 0);
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const cells = keys.map((column, i) =>
        i === 0 && this.plan.ranges.length > 0 ? String(random.between(-100, 99)) : cellOf(random, column),
      );
      const key = cells.join("\t");
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

  private apply(change: RowChange, answer: Answer): void {
    const before = this.rows.get(change.key) ?? [undefined];
    const results = before.map((state) => this.result(change, state));
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

  private result(
    { kind, cells }: RowChange,
    state: RowState,
  ): { readonly state: RowState; readonly answer: Answer } {
    const ignores = kind.endsWith("-ignore");
    const verb = ignores ? kind.slice(0, -"-ignore".length) : kind;
    const others = this.columns.filter(({ key }) => key === 0);
    const merged = (base: readonly string[]): readonly string[] =>
      cells.map((cell, i) => (cell === "?" ? (base[i] ?? "~") : cell));
    const fresh = others.map(({ defaultCell }) => (defaultCell === "?" ? "~" : defaultCell));
    if (verb === "insert") {
      return state === undefined
        ? { state: merged(fresh), answer: "ok" }
        : { state, answer: ignores ? "ok" : "present" };
    }
    if (verb === "upsert") {
      return { state: merged(state ?? fresh), answer: "ok" };
    }
    if (state === undefined) {
      return { state, answer: ignores ? "ok" : "absent" };
    }
    return { state: verb === "delete" ? undefined : merged(state), answer: "ok" };
  }
}

/** A cell that fits the column. Kudu's client cuts VARCHAR between the halves of characters beyond the basic plane; none are used. */
function cellOf(random: Random, column: Parameters<typeof randomCell>[1]): string {
  const cell = randomCell(random, column);
  return column.type === "VARCHAR" ? withoutPairs(cell) : cell;
}

function withoutPairs(cell: string): string {
  const text = Buffer.from(cell.slice(1), "hex").toString();
  return `x${Buffer.from(text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "€")).toString("hex")}`;
}

function answerOf(error: string): Answer {
  if (/already present/i.test(error)) {
    return "present";
  }
  return /key not found/i.test(error) ? "absent" : "none";
}

function unique(states: readonly RowState[]): RowState[] {
  return [...new Map(states.map((state) => [state?.join("\t"), state])).values()];
}

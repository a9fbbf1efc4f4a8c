/** Changes of rows and their outcomes: the resulting row and the answer to Kudu's client. */
import { DriverError, type JavaDriver } from "../java-driver.js";
import type { PlannedColumn } from "../kudu/table-plan.js";

/** Kinds of operations that the driver knows. */
export type ChangeKind =
  | "insert" | "upsert" | "update" | "delete" | "insert-ignore" | "update-ignore" | "delete-ignore" | "upsert-ignore"; // biome-ignore format: one line

export interface RowChange {
  readonly kind: ChangeKind;
  readonly key: string;
  /** In the text format of the driver, "?" for a missing value. */
  readonly cells: readonly string[];
}

/** The cells of a row after its key; `undefined` for no row. */
export type RowState = readonly string[] | undefined;

/** The client's answer for a change. */
export type Answer = "ok" | "present" | "absent" | "immutable" | "none";

export interface Outcome {
  readonly state: RowState;
  readonly answer: Answer;
}

/** @param columns those that are not in the key */
export function outcomeOf(
  { kind, cells }: RowChange,
  state: RowState,
  columns: readonly PlannedColumn[],
): Outcome {
  const ignores = kind.endsWith("-ignore");
  const verb = ignores ? kind.slice(0, -"-ignore".length) : kind;
  const isFixed = (i: number): boolean => columns[i]?.immutable === true;
  const changesFixed = cells.some((cell, i) => cell !== "?" && isFixed(i));
  if (verb === "insert") {
    return state === undefined
      ? { state: inserted(cells, columns), answer: "ok" }
      : { state, answer: ignores ? "ok" : "present" };
  }
  if (verb === "upsert" && state === undefined) {
    return { state: inserted(cells, columns), answer: "ok" };
  }
  if (verb !== "delete" && changesFixed && !ignores) {
    return { state, answer: "immutable" };
  }
  if (state === undefined) {
    return { state, answer: ignores ? "ok" : "absent" };
  }
  const changes = cells.map((cell, i) => (isFixed(i) ? "?" : cell));
  return { state: verb === "delete" ? undefined : merged(changes, state), answer: "ok" };
}

/** The cells of a new row: the default of each column without a value. */
export function inserted(cells: readonly string[], columns: readonly PlannedColumn[]): readonly string[] {
  return merged(
    cells,
    columns.map(({ defaultCell }) => (defaultCell === "?" ? "~" : defaultCell)),
  );
}

function merged(cells: readonly string[], base: readonly string[]): readonly string[] {
  return cells.map((cell, i) => (cell === "?" ? (base[i] ?? "~") : cell));
}

const ANSWER_MS = 15_000;

/**
 * Writes changes in one batch.
 *
 * @param milliseconds how long the client waits for answers. Default: 15 seconds
 * @returns the time just after the batch, `undefined` without an answer; and the answers to the changes
 */
export async function writeChanges(
  driver: JavaDriver,
  table: string,
  changes: readonly RowChange[],
  milliseconds = ANSWER_MS,
): Promise<{ readonly after: bigint | undefined; readonly answers: readonly Answer[] }> {
  const lines = changes.map(({ kind, key, cells }) => [kind, key, ...cells].join("\t"));
  let line: string | undefined;
  try {
    [line] = await driver.ask(["write", table, lines.length, milliseconds], lines);
  } catch (error) {
    if (!(error instanceof DriverError)) {
      throw error;
    }
  }
  if (line === undefined) {
    return { after: undefined, answers: changes.map(() => "none") };
  }
  const [time = "0", ...errors] = line.split("\t");
  const answers: Answer[] = changes.map(() => "ok");
  for (let i = 0; i + 1 < errors.length; i += 2) {
    answers[Number(errors[i])] = answerOf(errors[i + 1] ?? "");
  }
  return { after: BigInt(time) + 1n, answers };
}

/** The answer that an error of the driver stands for. */
function answerOf(error: string): Answer {
  if (/already present/i.test(error)) {
    return "present";
  }
  if (/immutable/i.test(error)) {
    return "immutable";
  }
  return /key not found/i.test(error) ? "absent" : "none";
}

export function unique(states: readonly RowState[]): RowState[] {
  return [...new Map(states.map((state) => [state?.join("\t"), state])).values()];
}

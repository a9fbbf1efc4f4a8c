/**
 * Instants of a timeline and the names of their files (docs/spec/hudi-table.md#4-timeline).
 *
 * | layout | requested | inflight | completed |
 * | --- | --- | --- | --- |
 * | 2 | `T.ACTION.requested` | `T.ACTION.inflight` | `T_C.ACTION`, C being the completion time |
 * | 1 | `T.ACTION.requested` | `T.ACTION.inflight` | `T.ACTION` |
 *
 * An inflight commit is `T.inflight`.
 */

/** States of an instant. */
export type InstantState = "REQUESTED" | "INFLIGHT" | "COMPLETED";

/** One action on a table. */
export interface HudiInstant {
  /** When the action was requested: 14, 17 or 20 digits, compared as text. */
  readonly time: string;
  /** `commit`, `deltacommit`, `replacecommit`, `clustering`, `compaction`, `clean`, `rollback`, `savepoint` and others. */
  readonly action: string;
  readonly state: InstantState;
  /** When the action was completed; in layout 1, the file's modification time in UTC, if known. */
  readonly completionTime: string | undefined;
  /** Name of the file in the timeline folder, or the name it had before it was archived. */
  readonly file: string;
}

/** Actions that write data, by the names under which they complete. */
export const WRITE_ACTIONS: readonly string[] = ["commit", "deltacommit", "replacecommit"];

const ACTIONS: readonly string[] = [
  ...WRITE_ACTIONS,
  "clustering",
  "compaction",
  "logcompaction",
  "clean",
  "rollback",
  "savepoint",
  "restore",
  "indexing",
  "schemacommit",
];

/** The name under which a pending action completes. */
const COMPLETES_AS: Readonly<Record<string, string>> = {
  compaction: "commit",
  logcompaction: "deltacommit",
  clustering: "replacecommit",
};

const RANK: Readonly<Record<InstantState, number>> = { REQUESTED: 0, INFLIGHT: 1, COMPLETED: 2 };

/** The instant of a file name; `undefined` for names of other files. */
export function parseInstantName(name: string, layout: 1 | 2): HudiInstant | undefined {
  const match = /^(\d{14,20})(?:_(\d{14,20}))?\.([a-z]+)(?:\.([a-z]+))?$/.exec(name);
  if (match === null) {
    return undefined;
  }
  const [, time = "", completionTime, first = "", second] = match;
  const isBareInflight = first === "inflight" && second === undefined;
  const action = isBareInflight ? "commit" : first;
  const state = isBareInflight ? "INFLIGHT" : stateOf(second);
  const isNamed = (completionTime !== undefined) === (layout === 2 && state === "COMPLETED");
  return state === undefined || !isNamed || !ACTIONS.includes(action)
    ? undefined
    : { time, action, state, completionTime, file: name };
}

/** The file name of an archived instant. */
export function instantName({ time, action, state, completionTime }: Omit<HudiInstant, "file">): string {
  if (state === "COMPLETED") {
    return completionTime === undefined ? `${time}.${action}` : `${time}_${completionTime}.${action}`;
  }
  return state === "INFLIGHT" && action === "commit"
    ? `${time}.inflight`
    : `${time}.${action}.${state.toLowerCase()}`;
}

/** The name under which the action completes. */
export function familyOf({ action }: HudiInstant): string {
  return COMPLETES_AS[action] ?? action;
}

/** Each instant in its highest state, in order. */
export function highestStates(instants: readonly HudiInstant[]): HudiInstant[] {
  const highest = new Map<string, HudiInstant>();
  for (const instant of instants) {
    const key = `${instant.time} ${familyOf(instant)}`;
    const known = highest.get(key);
    if (known === undefined || RANK[known.state] < RANK[instant.state]) {
      highest.set(key, instant);
    }
  }
  return [...highest.values()].sort(compareInstants);
}

/** Orders instants by requested time, action and state, as text. */
export function compareInstants(a: HudiInstant, b: HudiInstant): number {
  return compareText(a.time, b.time) || compareText(a.action, b.action) || compareText(a.state, b.state);
}

/** Orders text by its UTF-16 code units, as Java does. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Milliseconds since 1970 as the 17 digits of an instant, in UTC. */
export function instantOfMillis(millis: number): string {
  return new Date(millis).toISOString().replace(/\D/g, "").slice(0, 17);
}

function stateOf(suffix: string | undefined): InstantState | undefined {
  switch (suffix) {
    case undefined:
      return "COMPLETED";
    case "requested":
      return "REQUESTED";
    case "inflight":
      return "INFLIGHT";
    default:
      return undefined;
  }
}

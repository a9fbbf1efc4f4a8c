/** Random tables of a cluster: replication, partitions (hash, range, ranges with their own hash), owner and comment. */
import { type PlannedColumn, planColumn, planTable, randomCell } from "../kudu/table-plan.js";
import type { Random } from "../random.js";
import type { KuduRelease } from "./kudu-releases.js";

export interface ClusterTablePlan {
  readonly name: string;
  readonly columns: readonly PlannedColumn[];
  /** Hash partitions, each as `buckets:seed:name,name`. */
  readonly hashes: readonly string[];
  /** Cells of the first key column. */
  readonly splits: readonly string[];
  /** Bounds of the first key column, with their own hash partitions if there is a third member. */
  readonly ranges: readonly (readonly [lower: string, upper: string, hash?: string])[];
  readonly replicas: 1 | 3;
  readonly owner: string;
  readonly comment: string;
  /** Whether it is one of many small tables that are rarely written. */
  readonly isMinor?: boolean | undefined;
}

/** Bounds of ranges of an INT8 key; together they cover the keys from -100 to 99. */
const RANGES = [
  ["-100", "-10"],
  ["-10", "30"],
  ["30", "100"],
] as const;

/** Small tables in every fifth round. */
const MINOR_TABLES = 12;
const MINOR_COLUMNS = 3;

export function planClusterTables(random: Random, release: KuduRelease): ClusterTablePlan[] {
  const tables = [
    planOne(random, release, "t0", 3),
    planOne(random, release, "t1", random.once(3) ? 1 : 3),
    planOne(random, release, "t2", 1),
  ];
  const minor = Array.from({ length: random.once(5) ? MINOR_TABLES : 0 }, (_, i): ClusterTablePlan => {
    const plan = planOne(random, release, `t${tables.length + i}`, random.once(2) ? 1 : 3);
    const isKept = ({ key }: PlannedColumn, at: number): boolean => key !== 0 || at < MINOR_COLUMNS;
    return { ...plan, columns: plan.columns.filter(isKept), isMinor: true };
  });
  return [...tables, ...minor];
}

function planOne(random: Random, release: KuduRelease, name: string, replicas: 1 | 3): ClusterTablePlan {
  const plan = planTable(random, name);
  const key = release.hasSoftDelete && random.once(4) ? 2 : 1;
  const columns = plan.columns.map((column): PlannedColumn => {
    const immutable = release.hasSoftDelete && column.key === 0 && random.once(5);
    return supported(random, release, { ...column, key: column.key === 0 ? 0 : key, immutable });
  });
  const keys = columns.filter(({ key }) => key !== 0);
  const texts = {
    owner: release.hasOwner && random.once(2) ? "etl" : "",
    comment: release.hasOwner && random.once(2) ? "of a round" : "",
  };
  if (!random.once(3)) {
    const isKept = columns[0]?.type === plan.columns[0]?.type;
    return {
      name,
      columns,
      hashes: plan.hashes,
      splits: isKept ? plan.splits : [],
      ranges: [],
      replicas,
      ...texts,
    };
  }
  // Ranges of the first key column; from 1.17 on, some have their own hash partitions.
  const first: PlannedColumn = { ...planColumn(random, "k0", key), type: "INT8", encoding: "AUTO_ENCODING" };
  const hashed = keys.length > 1 && random.once(2) ? "k1" : "k0";
  const ranges = RANGES.map(([lower, upper], i): readonly [string, string, string?] =>
    release.hasSoftDelete && i > 0 && random.once(2)
      ? [lower, upper, `${random.between(2, 3)}:${random.below(9)}:${hashed}`]
      : [lower, upper],
  );
  const hashes = [`2:${random.below(9)}:${hashed}`];
  return { name, columns: [first, ...columns.slice(1)], hashes, splits: [], ranges, replicas, ...texts };
}

/** The column with a type that the release supports. */
export function supported(
  random: Random,
  { lacks }: Pick<KuduRelease, "lacks">,
  column: PlannedColumn,
): PlannedColumn {
  if (column.type === "VARCHAR" && column.defaultCell !== "?") {
    return supported(random, { lacks }, { ...column, defaultCell: "?" });
  }
  if (!lacks.includes(column.type)) {
    return column;
  }
  const type = random.pick(["INT32", "STRING"] as const);
  const other: PlannedColumn = { ...column, type, encoding: "AUTO_ENCODING", defaultCell: "?" };
  return column.defaultCell === "?" ? other : { ...other, defaultCell: randomCell(random, other) };
}

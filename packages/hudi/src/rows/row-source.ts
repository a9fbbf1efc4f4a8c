/** Sources of row versions: log blocks, and batches of base files. */
import { type NestedVector, takeNested } from "@cfile/parquet/nested";
import { absentVector } from "./avro-vectors.js";
import type { HudiColumn } from "./column-type.js";
import { fittingVector } from "./fitting-vector.js";

/** Rows of one batch or log block. */
interface RowSource {
  /** Names of the columns of the rows. */
  readonly names: ReadonlySet<string>;
  /** The values of a column in the rows at these positions; `undefined` if the rows lack the column. */
  column(wanted: HudiColumn, positions: Uint32Array): NestedVector | undefined;
}

/** Rows of a Parquet file, or of a log block. */
export class VectorRows implements RowSource {
  readonly names: ReadonlySet<string>;
  private readonly vectors: ReadonlyMap<string, NestedVector>;

  constructor(names: readonly string[], vectors: readonly NestedVector[]) {
    // There is a vector for each name.
    this.vectors = new Map(names.map((name, i) => [name, vectors[i] as NestedVector] as const).reverse());
    this.names = new Set(names);
  }

  column({ name, avro }: HudiColumn, positions: Uint32Array): NestedVector | undefined {
    const vector = this.vectors.get(name);
    return vector === undefined ? undefined : fittingVector(avro, takeNested(vector, positions));
  }
}

/** A row of a source. */
interface Layer {
  readonly source: RowSource;
  readonly index: number;
}

/** A row, and older versions with columns that it lacks. */
export interface LayeredRow {
  /** `undefined` for a delete. */
  readonly source: RowSource | undefined;
  readonly index: number;
  /** Older versions, newest first. Only for partial rows. */
  readonly below?: readonly Layer[] | undefined;
}

/**
 * The layers of a row over an older one. Layers whose columns are all in the layers above are left out, because a row may have many
 * versions.
 */
export function layersBelow({ source, below = [] }: LayeredRow, older: LayeredRow): readonly Layer[] {
  const above = [source];
  return [...below, ...layersOf(older)].filter((layer) => {
    const adds = [...layer.source.names].some((name) => !above.some((one) => one?.names.has(name)));
    if (adds) {
      above.push(layer.source);
    }
    return adds;
  });
}

/** A delete has no layers. */
function layersOf({ source, index, below = [] }: LayeredRow): Layer[] {
  return source === undefined ? [] : [{ source, index }, ...below];
}

/** Rows whose layers have the same sources. */
interface LayeredGroup {
  readonly sources: readonly RowSource[];
  /** Positions in each source. */
  readonly positions: readonly number[][];
}

/** Columns of rows, grouped by the sources of the rows. Deletes are left out. */
export function* layeredColumns(
  rows: Iterable<LayeredRow>,
  columns: readonly HudiColumn[],
): Generator<{ readonly length: number; readonly vectors: readonly NestedVector[] }> {
  for (const { sources, positions } of groupsOf(rows)) {
    const taken = positions.map((list) => Uint32Array.from(list));
    // There is at least one source, and positions for each source.
    const { length } = taken[0] as Uint32Array;
    const vectors = columns.map((column) => {
      for (const [i, source] of sources.entries()) {
        const vector = source.column(column, taken[i] as Uint32Array);
        if (vector !== undefined) {
          return vector;
        }
      }
      return absentVector(column.absent, column.avro, length);
    });
    yield { length, vectors };
  }
}

function groupsOf(rows: Iterable<LayeredRow>): Iterable<LayeredGroup> {
  const numbers = new Map<RowSource, number>();
  // Most rows have one layer; their source is then the key.
  const groups = new Map<RowSource | string, LayeredGroup>();
  for (const row of rows) {
    if (row.source !== undefined) {
      const layers = row.below === undefined ? undefined : layersOf(row);
      const key = layers?.map(({ source }) => numberOf(numbers, source)).join() ?? row.source;
      let group = groups.get(key);
      if (group === undefined) {
        const sources = layers?.map(({ source }) => source) ?? [row.source];
        group = { sources, positions: sources.map(() => []) };
        groups.set(key, group);
      }
      const { positions } = group;
      // Each layer has a list of positions.
      if (layers === undefined) {
        (positions[0] as number[]).push(row.index);
      } else {
        for (const [i, { index }] of layers.entries()) {
          (positions[i] as number[]).push(index);
        }
      }
    }
  }
  return groups.values();
}

function numberOf(numbers: Map<RowSource, number>, source: RowSource): number {
  const known = numbers.get(source) ?? numbers.size;
  numbers.set(source, known);
  return known;
}

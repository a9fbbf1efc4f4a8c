/** Small row sets for tests: base data, and delta files with any content. */
import { type DeltaKind, encodeCell, MutationBuilder } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { InputCell } from "@cfile/encodings";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import { type SourceMetrics, withMetrics } from "@cfile/io/decorators";
import type { RowSetColumn, RowSetFiles, RowSetSchema } from "../src/index.js";
import { type RowInput, RowSetWriter } from "../src/write.js";

/** A change, in the format for tests. */
export interface Entry {
  readonly row: number;
  readonly timestamp: bigint;
  readonly type: 1 | 2 | 3;
  /** Cells by column ID. */
  readonly cells?: Readonly<Record<number, InputCell>>;
}

export const column = (id: number, name: string, more: Partial<RowSetColumn> = {}): RowSetColumn => ({
  id,
  name,
  type: "INT32",
  nullable: false,
  array: false,
  isKey: false,
  ...more,
});

export type Bytes = Uint8Array;

export interface RowSetBytes {
  readonly columns: ReadonlyMap<number, Bytes>;
  readonly bloom: Bytes;
  readonly adhocIndex: Bytes | undefined;
}

export async function writeBase(schema: RowSetSchema, rows: readonly RowInput[]): Promise<RowSetBytes> {
  const columns = new Map(schema.columns.map(({ id }) => [id, memorySink()]));
  const bloom = memorySink();
  const isComposite = schema.columns.filter(({ isKey }) => isKey).length > 1;
  const adhocIndex = isComposite ? memorySink() : undefined;
  const writer = new RowSetWriter({ columns, bloom, adhocIndex }, schema);
  await writer.appendRows(rows);
  await writer.finish();
  return {
    columns: new Map([...columns].map(([id, sink]) => [id, sink.bytes()])),
    bloom: bloom.bytes(),
    adhocIndex: adhocIndex?.bytes(),
  };
}

export async function writeDeltas(
  kind: DeltaKind,
  schema: RowSetSchema,
  entries: readonly Entry[],
): Promise<Bytes> {
  const sink = memorySink();
  const writer = new DeltaFileWriter(sink, { kind, blockSize: 512 });
  for (const { row, timestamp, type, cells = {} } of entries) {
    const mutations = new MutationBuilder();
    for (const [id, cell] of Object.entries(cells)) {
      const known = schema.columns.find((candidate) => candidate.id === Number(id));
      const type = known ?? { id: Number(id), type: "INT32" as const, nullable: true };
      mutations.set(Number(id), encodeCell(type, cell));
    }
    await writer.append(row, timestamp, type, type === 2 ? undefined : mutations.finish());
  }
  await writer.finish();
  return sink.bytes();
}

export function filesOf(
  base: RowSetBytes,
  redo: readonly Bytes[] = [],
  undo: readonly Bytes[] = [],
): RowSetFiles {
  return {
    columns: new Map([...base.columns].map(([id, bytes]) => [id, memorySource(bytes, `column ${id}`)])),
    bloom: memorySource(base.bloom, "bloom"),
    adhocIndex: base.adhocIndex && memorySource(base.adhocIndex, "index"),
    redo: redo.map((bytes, i) => memorySource(bytes, `redo ${i}`)),
    undo: undo.map((bytes, i) => memorySource(bytes, `undo ${i}`)),
  };
}

/** The same files, and the number of reads of each. */
export function counted(files: RowSetFiles): { files: RowSetFiles; metrics: Map<string, SourceMetrics> } {
  const metrics = new Map<string, SourceMetrics>();
  const count = (source: ByteSource): ByteSource => {
    const counting = withMetrics(source);
    metrics.set(source.name, counting.metrics);
    return counting;
  };
  return {
    metrics,
    files: {
      columns: new Map([...files.columns].map(([id, source]) => [id, count(source)])),
      bloom: files.bloom && count(files.bloom),
      adhocIndex: files.adhocIndex && count(files.adhocIndex),
      redo: files.redo.map(count),
      undo: files.undo.map(count),
    },
  };
}

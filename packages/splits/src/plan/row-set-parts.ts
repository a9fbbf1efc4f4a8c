/** The files of a row set by role. A path, a source or a block ID may stand for a file. */
import type { ByteSource } from "@cfile/io";
import type { RowSetFiles } from "@cfile/rowset";
import type { RowSetParts } from "../lines/split.js";
import type { NeededColumns } from "./plan-options.js";

/** Maps all parts, one after the other. */
export async function mapParts<T, U>(
  { columns, adhocIndex, redo, undo }: RowSetParts<T>,
  map: (part: T) => U | Promise<U>,
): Promise<RowSetParts<U>> {
  const all = async (parts: readonly T[]): Promise<U[]> => {
    const mapped: U[] = [];
    for (const part of parts) {
      mapped.push(await map(part));
    }
    return mapped;
  };
  const bases = new Map<number, U>();
  for (const [id, part] of columns) {
    bases.set(id, await map(part));
  }
  const index = adhocIndex === undefined ? undefined : await map(adhocIndex);
  return { columns: bases, adhocIndex: index, redo: await all(redo), undo: await all(undo) };
}

/**
 * The parts that a snapshot of some columns requires. The latest snapshot requires no UNDO files. A single key column is always
 * required, because it finds rows.
 */
export function requiredParts<T>(
  { columns, adhocIndex, redo, undo }: RowSetParts<T>,
  { schema, ids }: NeededColumns,
  asOf: bigint | undefined,
): RowSetParts<T> {
  const [key, ...otherKeys] = schema.filter(({ isKey }) => isKey);
  const only = otherKeys.length === 0 ? key?.id : undefined;
  return {
    columns: new Map([...columns].filter(([id]) => ids.has(id) || id === only)),
    adhocIndex,
    redo,
    undo: asOf === undefined ? [] : undo,
  };
}

/** Opens all files. On failure, closes those that are open. */
export async function openParts<T>(
  parts: RowSetParts<T>,
  open: (part: T) => Promise<ByteSource>,
): Promise<RowSetParts<ByteSource>> {
  const opened: ByteSource[] = [];
  try {
    return await mapParts(parts, async (part) => {
      const source = await open(part);
      opened.push(source);
      return source;
    });
  } catch (error) {
    await Promise.all(opened.map((source) => source.close?.()));
    throw error;
  }
}

export async function closeFiles({ columns, adhocIndex, redo, undo }: RowSetFiles): Promise<void> {
  const sources = [...columns.values(), adhocIndex, ...redo, ...undo];
  await Promise.all(sources.map((source) => source?.close?.()));
}

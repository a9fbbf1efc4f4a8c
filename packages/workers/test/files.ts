import { listGolden, pathToGolden, randomNumbers, readGolden } from "@cfile-tools/testkit";
import {
  type AppendInput,
  type ColumnBatch,
  createCFile,
  memorySink,
  openCFile,
  type WriterOptions,
} from "cfile";

export const goldenNames: readonly string[] = listGolden(".", ".cfile");

export const goldenPath = (name: string): string => pathToGolden(`${name}.cfile`);
export const goldenBytes = (name: string): Uint8Array => readGolden(`${name}.cfile`);

export async function writeBytes(options: WriterOptions, rows: AppendInput): Promise<Uint8Array> {
  const sink = memorySink();
  const file = await createCFile(sink, options);
  await file.append(rows);
  await file.finish();
  return sink.bytes();
}

/** Numbers that neither repeat nor compress well. */
export function scattered(count: number): Int32Array {
  const random = randomNumbers(1);
  return Int32Array.from({ length: count }, () => random(2 ** 32) | 0);
}

/** All batches. */
export async function collect(batches: AsyncIterable<ColumnBatch>): Promise<ColumnBatch[]> {
  const all: ColumnBatch[] = [];
  for await (const batch of batches) {
    all.push(batch);
  }
  return all;
}

/** All cells, exactly: strings are bytes, and types of numbers are kept. */
export function cellsOf(batches: readonly ColumnBatch[]): unknown[] {
  return batches.flatMap((batch) => batch.toArray({ strings: "bytes" }));
}

/** The result of a scan without a pool: the cells, and its error. */
export async function scanAlone(
  input: string | Uint8Array,
  options: Parameters<Awaited<ReturnType<typeof openCFile>>["scan"]>[0] = {},
): Promise<{ cells: unknown[]; error: unknown }> {
  return outcome(
    (async function* () {
      await using file = await openCFile(input);
      yield* file.scan(options);
    })(),
  );
}

/** The cells until the end or the error. */
export async function outcome(
  batches: AsyncIterable<ColumnBatch>,
): Promise<{ cells: unknown[]; error: unknown }> {
  const all: ColumnBatch[] = [];
  try {
    for await (const batch of batches) {
      all.push(batch);
    }
  } catch (error) {
    return { cells: cellsOf(all), error };
  }
  return { cells: cellsOf(all), error: undefined };
}

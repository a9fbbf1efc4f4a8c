/** Several columns with the same rows, read side by side: their batches are cut where any of them ends. */
import { CFileError, type MemoryArena } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { sliceRows } from "@cfile/encodings/batches";
import type { CFileReader, ScanOptions } from "@cfile/format";

/**
 * @param arenas of each file; batches are then valid until the next
 * @yields a batch for each file, all of the same rows
 */
export async function* scanColumns(
  files: readonly CFileReader[],
  options: Omit<ScanOptions, "values" | "arena" | "onProgress">,
  arenas?: readonly MemoryArena[],
): AsyncGenerator<ColumnBatch[], void, void> {
  const scans = files.map((file, i) => file.scan({ ...options, arena: arenas?.[i] }));
  try {
    let rest: (ColumnBatch | undefined)[] = scans.map(() => undefined);
    for (;;) {
      const batches = await Promise.all(
        rest.map(async (batch, i) => batch ?? (await scans[i]?.next())?.value ?? undefined),
      );
      const present = batches.filter((batch) => batch !== undefined);
      if (present.length === 0) {
        return;
      }
      if (present.length < batches.length) {
        throw new CFileError("E_CORRUPT", "the files of a part do not have the same rows", {
          path: files[batches.indexOf(undefined)]?.path,
          field: "rows",
        });
      }
      const length = Math.min(...present.map((batch) => batch.length));
      yield present.map((batch) => sliceRows(batch, 0, length));
      rest = present.map((batch) =>
        batch.length > length ? sliceRows(batch, length, batch.length) : undefined,
      );
    }
  } finally {
    await Promise.all(scans.map((scan) => scan.return()));
  }
}

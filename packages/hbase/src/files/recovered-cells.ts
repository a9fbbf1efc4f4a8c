/** The cells of the undamaged blocks of a store file, in place of an open HFile. */
import { type CFileError, findingOf } from "@cfile/bytes";
import { type CellBatch, FileInfo, type HFileReader, lowerBound } from "@cfile/hfile";
import { recoverHFile } from "@cfile/hfile/recover";
import type { ByteSource, FileTree, ReadOptions } from "@cfile/io";
import type { DamageLedger, FileLoss } from "./damage-ledger.js";
import type { RowBounds } from "./reference.js";

/** The parts of a store file that a merge needs. */
export interface CellFile {
  readonly source: Pick<ByteSource, "name">;
  readonly fileInfo: FileInfo;
  /** Row of the last cell; `undefined` if unknown, and in empty files. */
  readonly lastRow: Uint8Array | undefined;
  /** Number of cells; `undefined` if unknown. */
  readonly entryCount: number | undefined;
  scan(
    options: RowBounds & ReadOptions & { readonly cache?: boolean },
  ): AsyncGenerator<CellBatch, void, undefined>;
  /** As in `HFileReader`. A file that is recovered does not keep blocks. */
  cachedRow?(row: Uint8Array): CellBatch | "absent" | undefined;
  close(): Promise<void>;
}

/** Where losses are recorded, and the file that has them. */
export interface RecoveredPlace extends Pick<FileLoss, "region" | "family" | "file" | "path"> {
  readonly ledger: DamageLedger;
}

/**
 * A file that is read block by block, in file order, by every scan.
 * @param opened the file, if it can be opened
 * @param problem why it cannot be opened, otherwise
 */
export function recoveredFile(
  tree: FileTree,
  place: RecoveredPlace,
  opened: HFileReader | undefined,
  problem: CFileError | undefined,
): CellFile {
  const { path, ledger, ...where } = place;
  return {
    source: opened?.source ?? { name: `${tree.name}/${path}` },
    fileInfo: opened?.fileInfo ?? new FileInfo([]),
    lastRow: undefined,
    entryCount: opened?.entryCount,
    close: async () => opened?.close(),
    async *scan({ from, to, signal }) {
      const source = await tree.openSource(path);
      let lost: FileLoss["lost"] = [];
      try {
        const recovered = await recoverHFile(source, { signal });
        ({ lost } = recovered);
        for await (const batch of recovered.batches({ signal })) {
          const start = from === undefined ? 0 : lowerBound(batch, from);
          const end = to === undefined ? batch.length : lowerBound(batch, to);
          if (start < end) {
            yield batch.slice(start, end);
          }
        }
      } finally {
        // This also applies if the scan ends early, because lost blocks may precede its last row.
        if (problem !== undefined || lost.length > 0) {
          ledger.add({ ...where, path, state: "damaged", problem: problem && problemOf(problem), lost });
        }
        await source.close?.();
      }
    },
  };
}

/** Records that a file cannot be found. @throws the error if it is not about the file */
export function recordMissing({ ledger, ...where }: RecoveredPlace, error: unknown): void {
  ledger.add({ ...where, state: "missing", problem: problemOf(findingOf(error)), lost: [] });
}

function problemOf({ code, reason }: CFileError): FileLoss["problem"] {
  return { code, reason };
}

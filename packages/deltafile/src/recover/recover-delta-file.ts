/**
 * Recovers a damaged delta file (docs/spec/deltafile.md#2-cfile-options): its blocks are found like those of a column, decoded, and
 * written into a new file with statistics of the kept entries.
 */
import { CFileError, type Progress } from "@cfile/bytes";
import { type DamagedCFileOptions, type RecoverableFile, scanDamagedCFile } from "@cfile/format/recover";
import type { WrittenFile } from "@cfile/format/write";
import { type ByteSink, openSink, openSource, type SinkInput, type SourceInput } from "@cfile/io";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { checkDeltaKind, type DeltaKind } from "../changes/delta-kind.js";
import { DeltaStatisticsCounter } from "../stats/delta-statistics.js";
import { DeltaFileWriter } from "../write/delta-writer.js";
import {
  type DeltaBlockEntry,
  type DeltaRecoveryLedger,
  type LeftOutEntry,
  lostChanges,
} from "./delta-ledger.js";
import { DeltaSieve, deltaBlocks, kindOfBlocks } from "./delta-sieve.js";

/** Known properties of a damaged delta file, and how the new one is written. */
export interface RecoverDeltaOptions
  extends Pick<
    DamagedCFileOptions,
    "compression" | "checksums" | "codecs" | "kernels" | "limits" | "signal"
  > {
  /** Default: found from the order of a row's timestamps. */
  readonly kind?: DeltaKind | undefined;
  /** Whether to sync the file to disk, as in `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
  /** Called after each block with the number of entries written so far. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The new file, and an exact account of the damaged one. */
export interface RecoveredDeltaFile extends WrittenFile {
  readonly ledger: DeltaRecoveryLedger;
}

/**
 * Recovers a damaged delta file: writes all entries that can be trusted into a new file and reports what happened to each
 * block. Entries with a valid checksum are exactly as written. The source is never changed.
 *
 * @throws {CFileError} `E_CORRUPT` when nothing can be recovered; `E_UNSUPPORTED` for files of another kind; `E_INVALID_ARGUMENT` when
 *   the file lacks what an option must then state; `E_IO`. The target is then unchanged
 */
export async function recoverDeltaFile(
  source: SourceInput,
  target: SinkInput,
  options: RecoverDeltaOptions = {},
): Promise<RecoveredDeltaFile> {
  const given = options.kind === undefined ? undefined : checkDeltaKind(options.kind);
  const { compression, checksums, codecs, kernels, limits, signal, sync } = options;
  const input = await openSource(source);
  try {
    const known = { compression, checksums, codecs, kernels, limits, signal };
    const found = await scanDamagedCFile(input, { ...known, kind: "delta" });
    const seen = given === undefined ? await kindOfBlocks(blocksOf(found, options)) : undefined;
    const kind = given ?? seen ?? "redo";
    const kindFrom = given !== undefined ? "given" : seen !== undefined ? "timestamps" : "any";
    const sink = await openSink(target, { sync });
    return await writeEntries(found, { kind, kindFrom }, sink, options);
  } finally {
    await input.close?.();
  }
}

function blocksOf(found: RecoverableFile, { kernels }: RecoverDeltaOptions): ReturnType<typeof deltaBlocks> {
  return deltaBlocks(found, chooseRowKernels(kernels));
}

async function writeEntries(
  found: RecoverableFile,
  { kind, kindFrom }: Pick<DeltaRecoveryLedger, "kind" | "kindFrom">,
  sink: ByteSink,
  options: RecoverDeltaOptions,
): Promise<RecoveredDeltaFile> {
  const { ledger: container } = found;
  const { codecs, kernels, limits } = options;
  const { compression } = container.column;
  const blocks: DeltaBlockEntry[] = [];
  const leftOut: LeftOutEntry[] = [];
  const counter = new DeltaStatisticsCounter();
  const sieve = new DeltaSieve(kind);
  let writer: DeltaFileWriter | undefined;
  try {
    writer = new DeltaFileWriter(sink, { kind, compression, codecs, kernels, limits });
    for await (const block of blocksOf(found, options)) {
      const { entry, batches, leftOut: own } = sieve.take(block);
      for (const batch of batches) {
        await writer.appendBatch(batch);
        counter.addBatch(batch);
      }
      blocks.push(entry);
      leftOut.push(...own);
      options.onProgress?.({ done: counter.entries, total: container.rowsKept });
    }
    if (counter.entries === 0) {
      const { reason = "no block with entries was found", block, field } = blocks[0]?.problem ?? {};
      throw new CFileError("E_CORRUPT", `nothing to recover: ${reason}`, {
        path: container.path,
        block,
        field,
      });
    }
    const written = await writer.finish();
    const entriesKept = counter.entries;
    const entriesLost =
      leftOut.length +
      blocks.reduce((sum, { state, entries = 0 }) => sum + (state === "lost" ? entries : 0), 0);
    const ledger: DeltaRecoveryLedger = {
      kind,
      kindFrom,
      blocks: withRowEnds(blocks),
      leftOut,
      entriesTotal: container.rowsTotal,
      entriesKept,
      entriesLost,
      entriesUnverified: container.column.checksums ? 0 : entriesKept,
      lostChanges: lostChanges(found.footerMetadata, counter.finish()),
      complete: container.complete && entriesLost === 0,
      container,
    };
    return { ...written, ledger };
  } catch (error) {
    await (writer?.abort(error) ?? sink.abort(error));
    throw error;
  }
}

/** Lost entries can belong to any row up to that of the next kept entry. */
function withRowEnds(blocks: readonly DeltaBlockEntry[]): DeltaBlockEntry[] {
  let next: number | undefined;
  return blocks
    .toReversed()
    .map((entry) => {
      if (entry.state === "kept") {
        next = entry.rows.from;
        return entry;
      }
      return { ...entry, rows: { from: entry.rows.from, to: next === undefined ? undefined : next + 1 } };
    })
    .toReversed();
}

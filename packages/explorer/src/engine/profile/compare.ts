/** What each encoding and codec would make of a column: its rows, or many of them, written and read again. */

import { MemoryArena } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import { type ColumnBatch, DATA_TYPES, encodingsOf } from "@cfile/encodings";
import type { CFileReader } from "@cfile/format";
import { memorySink } from "@cfile/io";
import { createCFile, openCFile } from "cfile";
import type { CandidateView, CompareView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";

/** Codecs of CFiles, the one that does nothing first. */
const COMPRESSIONS: readonly CompressionType[] = ["NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB"];

/** Rows and bytes of them that are tried. */
const MOST_ROWS = 400_000;
const MOST_BYTES = 8 * 1024 * 1024;
/** Stretches of rows, spread over the file. */
const STRETCHES = 4;

export async function compareColumn(file: CFileReader, { signal, progress }: Work): Promise<CompareView> {
  const batches = await sample(file, signal);
  const rows = batches.reduce((sum, { length }) => sum + length, 0);
  const encodings = encodingsOf(DATA_TYPES[file.type].physical);
  const candidates: CandidateView[] = [];
  const total = encodings.length * COMPRESSIONS.length;
  for (const encoding of encodings) {
    for (const compression of COMPRESSIONS) {
      signal.throwIfAborted();
      const sink = memorySink();
      const writing = performance.now();
      const writer = await createCFile(sink, {
        type: file.type,
        nullable: file.nullable,
        array: file.array,
        encoding,
        compression,
      });
      for (const batch of batches) {
        await writer.append(batch);
      }
      await writer.finish();
      const reading = performance.now();
      const again = await openCFile(sink.bytes());
      for await (const batch of again.scan({ signal, arena: new MemoryArena() })) {
        batch.length;
      }
      const done = performance.now();
      const bytes = sink.bytes().length;
      candidates.push({
        encoding,
        compression,
        bytes,
        bytesPerRow: bytes / Math.max(1, rows),
        writeRowsPerSecond: (1000 * rows) / Math.max(0.01, reading - writing),
        readRowsPerSecond: (1000 * rows) / Math.max(0.01, done - reading),
        current: encoding === file.encoding && compression === file.compression,
      });
      progress({ done: candidates.length, total });
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  return { rows, rowsTotal: file.rowCount, candidates };
}

/** The whole column where it is small, else stretches of it. */
async function sample(file: CFileReader, signal: AbortSignal): Promise<ColumnBatch[]> {
  const { rowCount } = file;
  const perRow = Math.max(file.structure.fileSize / Math.max(1, rowCount), 1);
  const wanted = Math.min(rowCount, MOST_ROWS, Math.ceil(MOST_BYTES / perRow));
  const stretches = wanted === rowCount ? 1 : STRETCHES;
  const batches: ColumnBatch[] = [];
  for (let i = 0; i < stretches; i++) {
    const from = Math.floor((rowCount * i) / stretches);
    const to = Math.min(rowCount, from + Math.ceil(wanted / stretches));
    for await (const batch of file.scan({ rows: { from, to }, signal, expandDictionaries: true })) {
      batches.push(batch);
    }
  }
  return batches;
}

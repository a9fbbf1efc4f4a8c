/** Writes and reads the rows of a column, or a sample of them, in every encoding and codec. */
import { MemoryArena } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import { type ColumnBatch, DATA_TYPES, encodingsOf } from "@cfile/encodings";
import type { CFileReader } from "@cfile/format";
import { memorySink } from "@cfile/io";
import { createCFile, openCFile } from "cfile";
import type { CandidateView, CompareView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";

/** All codecs of CFiles. */
const COMPRESSIONS: readonly CompressionType[] = ["NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB"];

/** Maximum size of the sample. */
const MAX_ROWS = 400_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** Number of sections of the sample, spread over the file. */
const SECTIONS = 4;

export async function compareColumn(file: CFileReader, { signal, progress }: Work): Promise<CompareView> {
  const batches = await sample(file, signal);
  const rows = batches.reduce((sum, { length }) => sum + length, 0);
  const { type, nullable, array } = file;
  const encodings = encodingsOf(DATA_TYPES[type].physical);
  const candidates: CandidateView[] = [];
  const total = encodings.length * COMPRESSIONS.length;
  for (const encoding of encodings) {
    for (const compression of COMPRESSIONS) {
      signal.throwIfAborted();
      const sink = memorySink();
      const writing = performance.now();
      const writer = await createCFile(sink, { type, nullable, array, encoding, compression });
      for (const batch of batches) {
        await writer.append(batch);
      }
      await writer.finish();
      const reading = performance.now();
      const again = await openCFile(sink.bytes());
      for await (const _ of again.scan({ signal, arena: new MemoryArena() })) {
        // Decodes each batch.
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

/** The whole column if it is small, else sections of it. */
async function sample(file: CFileReader, signal: AbortSignal): Promise<ColumnBatch[]> {
  const { rowCount } = file;
  const perRow = Math.max(file.structure.fileSize / Math.max(1, rowCount), 1);
  const sampled = Math.min(rowCount, MAX_ROWS, Math.ceil(MAX_BYTES / perRow));
  const sections = sampled === rowCount ? 1 : SECTIONS;
  const batches: ColumnBatch[] = [];
  for (let i = 0; i < sections; i++) {
    const from = Math.floor((rowCount * i) / sections);
    const to = Math.min(rowCount, from + Math.ceil(sampled / sections));
    for await (const batch of file.scan({ rows: { from, to }, signal, expandDictionaries: true })) {
      batches.push(batch);
    }
  }
  return batches;
}

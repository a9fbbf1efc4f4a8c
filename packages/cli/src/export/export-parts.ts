/**
 * The parts of an export, one per split. An export that was interrupted reuses them. The ID of a split identifies the files that it
 * reads, so that no part is used for another export; how far it reads a write-ahead log is stored beside the part. Files in the
 * directory of the parts:
 *
 * | file | content |
 * | --- | --- |
 * | `part-ID.parquet` and so on | a part; with `--compression`, `part-ID.snappy.parquet` and so on |
 * | `part-ID.parquet.json` | marks a complete part: its rows, what was lost, and the checksum of the file |
 */
import { createReadStream } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileLoss } from "@cfile/hbase";
import type { IcebergFile } from "@cfile/iceberg";
import { choosePageKernels } from "@cfile/kernels/pages";
import type { WrittenCodec } from "@cfile/parquet/write";
import type { Split } from "@cfile/splits";
import { wholeSplit } from "@cfile/splits/plan";
import type { FileForm, TableForm } from "../convert/table-form.js";
import type { AccountJson } from "../splits/account-json.js";
import type { LedgerJson } from "../splits/ledger-json.js";

const PIECE_BYTES = 1 << 20;

export interface PartReport {
  readonly rows: number;
  /** CRC-32 of the file. */
  readonly checksum: number;
  /** Losses from damaged DiskRowSets. */
  readonly accounts: readonly AccountJson[];
  /** The ledgers of tablets that were recovered from several replicas. */
  readonly ledgers: readonly LedgerJson[];
  /** Damaged and missing files of HBase. */
  readonly losses: readonly FileLoss[];
  /** Tablets that were read from a replica other than the preferred one, as text. */
  readonly notices: readonly string[];
  /** The data file, for an Iceberg table. */
  readonly file?: IcebergFile | undefined;
}

/** The report that marks a part as complete. */
interface StoredReport extends PartReport {
  readonly logEnd?: string | undefined;
}

/** How parts are stored and recognized. */
export interface PartStorage {
  readonly form: PartForm;
  readonly codec?: WrittenCodec | undefined;
  /** End of the log that all parts of a tablet share; a part with a different end is rewritten. */
  readonly logEndOf?: ((split: Split) => string | undefined) | undefined;
}

const NO_ROWS: PartReport = { rows: 0, checksum: 0, accounts: [], ledgers: [], losses: [], notices: [] };

/** The format of an export. */
export type ExportForm = Exclude<TableForm, "rowset"> | "iceberg";
/** The format of its parts; those of an Iceberg table are its data files. */
export type PartForm = FileForm | "iceberg";

export class ExportParts {
  readonly folder: string;
  /** Reports of complete parts, by the ID of the split. */
  readonly reports = new Map<string, PartReport>();
  /** Called when a part is complete. */
  onComplete: () => void = () => undefined;
  private readonly extension: string;
  private readonly logEndOf: (split: Split) => string | undefined;

  constructor(folder: string, { form, codec, logEndOf = () => undefined }: PartStorage) {
    this.folder = folder;
    const extension = form === "iceberg" ? "parquet" : form;
    this.extension = codec === undefined ? extension : `${codec.toLowerCase()}.${extension}`;
    this.logEndOf = logEndOf;
  }

  /** Finds the parts of an interrupted export. */
  static async open(folder: string, storage: PartStorage, splits: readonly Split[]): Promise<ExportParts> {
    const parts = new ExportParts(folder, storage);
    const created = await mkdir(folder, { recursive: true });
    // A new folder has no parts.
    for (const split of created === undefined ? splits : []) {
      await parts.findReport(split);
      await parts.findReport(await wholeSplit(split));
    }
    return parts;
  }

  /** The path of a part. */
  path({ id }: Split): string {
    return join(this.folder, `part-${id}.${this.extension}`);
  }

  async complete(split: Split, report: PartReport): Promise<void> {
    const path = `${this.path(split)}.json`;
    const stored: StoredReport = { ...report, logEnd: this.logEndOf(split) };
    await writeFile(`${path}.new`, JSON.stringify(stored));
    await rename(`${path}.new`, path);
    this.reports.set(split.id, report);
    this.onComplete();
  }

  report({ id }: Split): PartReport {
    return this.reports.get(id) ?? NO_ROWS;
  }

  async discard(split: Split): Promise<void> {
    this.reports.delete(split.id);
    await rm(`${this.path(split)}.json`, { force: true });
    await rm(this.path(split), { recursive: true, force: true });
  }

  /** Removes the marks of parts that have become data files of a table, and empty parts, which have not. */
  async release(splits: readonly Split[]): Promise<void> {
    for (const split of splits) {
      if (this.reports.get(split.id)?.rows === 0) {
        await rm(this.path(split), { force: true });
      }
      await rm(`${this.path(split)}.json`, { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async findReport(split: Split): Promise<void> {
    const path = this.path(split);
    const text = await readFile(`${path}.json`, "utf8").catch(() => undefined);
    const { logEnd, ...report } = parsedReport(text);
    if (
      logEnd === this.logEndOf(split) &&
      report.checksum !== undefined &&
      report.checksum === (await checksumOf(path).catch(() => undefined))
    ) {
      this.reports.set(split.id, { ...NO_ROWS, ...report });
    }
  }
}

/** After a power cut, the file may be empty or incomplete. */
function parsedReport(text: string | undefined): Partial<StoredReport> {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
}

async function checksumOf(path: string): Promise<number> {
  let checksum = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: PIECE_BYTES })) {
    checksum = choosePageKernels().crc32(chunk, checksum) >>> 0;
  }
  return checksum;
}

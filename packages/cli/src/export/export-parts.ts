/**
 * The parts of an export, one per split. An export that was interrupted reuses them. The ID of a split identifies the files that it
 * reads, so that no part is used for another export; how far it reads a write-ahead log is stored beside the part. Files in the
 * directory of the parts:
 *
 * | file | content |
 * | --- | --- |
 * | `part-ID.parquet` and so on | a part; with `--compression`, `part-ID.snappy.parquet` and so on |
 * | `joined.parquet` | several parts of a Parquet file, in order |
 * | `part-ID.parquet.json` | marks a complete part: its rows, what was lost, its checksum, and its footer if it is in the joined file |
 */
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CFileError } from "@cfile/bytes";
import type { FileLoss } from "@cfile/hbase";
import type { IcebergFile } from "@cfile/iceberg";
import { type ByteSource, openSource, readExactly, sizeOf } from "@cfile/io";
import { choosePageKernels } from "@cfile/kernels/pages";
import type { WrittenCodec } from "@cfile/parquet/write";
import type { Split } from "@cfile/splits";
import { wholeSplit } from "@cfile/splits/plan";
import type { FileForm, TableForm } from "../convert/table-form.js";
import type { AccountJson } from "../splits/account-json.js";
import type { LedgerJson } from "../splits/ledger-json.js";
import {
  addPart,
  createJoinedFile,
  endPart,
  expectPart,
  type JoinedFile,
  type JoinedPart,
  joinedPartSource,
  PartStarts,
} from "./joined-file.js";

const PIECE_BYTES = 1 << 20;

export interface PartReport {
  readonly rows: number;
  /** CRC-32 of the part. */
  readonly checksum: number;
  /** Set if the part is in the joined file. */
  readonly joined?: JoinedPart | undefined;
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
  /** The file that the parts of all splits become, unless a damaged tablet is recovered. Default: each part is a file. */
  readonly joined?: JoinedFile | undefined;
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
  readonly joined: JoinedFile | undefined;
  private starts: PartStarts | undefined;
  /** The numbers of splits in the joined file, by ID. */
  private readonly indexes: ReadonlyMap<string, number>;
  private readonly expected = new Map<string, number>();
  private readonly extension: string;
  /** Whether the parts remain, as data files of a table. */
  private readonly isFinal: boolean;
  /** Syncs of parts, by the ID of the split. */
  private readonly syncs = new Map<string, Promise<void>>();
  private readonly logEndOf: (split: Split) => string | undefined;

  private constructor(
    folder: string,
    { form, codec, logEndOf = () => undefined, joined }: PartStorage,
    splits: readonly Split[],
  ) {
    this.folder = folder;
    this.joined = joined;
    this.starts = joined && new PartStarts(joined);
    this.indexes = new Map(splits.map(({ id }, index) => [id, index]));
    this.isFinal = form === "iceberg";
    const extension = form === "iceberg" ? "parquet" : form;
    this.extension = codec === undefined ? extension : `${codec.toLowerCase()}.${extension}`;
    this.logEndOf = logEndOf;
  }

  /** Finds the parts of an interrupted export. */
  static async open(folder: string, storage: PartStorage, splits: readonly Split[]): Promise<ExportParts> {
    const parts = new ExportParts(folder, storage, splits);
    const created = await mkdir(folder, { recursive: true });
    const { joined } = storage;
    if (joined !== undefined) {
      await createJoinedFile(joined);
    }
    // A new folder has no parts.
    for (const [index, split] of (created === undefined ? splits : []).entries()) {
      await parts.findReport(split, index);
      await parts.findReport(await wholeSplit(split));
    }
    return parts;
  }

  /** The path of a part. */
  path({ id }: Split): string {
    return join(this.folder, `part-${id}.${this.extension}`);
  }

  /** Adds parts to the end of the joined file. Those that would be between existing ones become files of their own. */
  expect(splits: readonly Split[]): void {
    const { expected, indexes, joined, reports } = this;
    expected.clear();
    if (joined === undefined) {
      return;
    }
    const first = [...indexes.keys()].findLastIndex((id) => reports.get(id)?.joined !== undefined) + 1;
    for (const { id } of splits) {
      const index = indexes.get(id) ?? 0;
      if (index >= first) {
        expected.set(id, index);
        expectPart(joined, index);
      }
    }
    this.starts = new PartStarts(joined);
  }

  /** The number of an expected part in the joined file; `undefined` for a part that is a file of its own. */
  expectedIndex({ id }: Split): number | undefined {
    return this.expected.get(id);
  }

  /** Called when a part is complete or has failed: later ones do not wait for it. */
  end({ id }: Split): void {
    const index = this.expected.get(id);
    if (this.joined !== undefined && index !== undefined) {
      endPart(this.joined, index, 0);
    }
  }

  async complete(split: Split, report: PartReport): Promise<void> {
    const path = `${this.path(split)}.json`;
    const stored: StoredReport = { ...report, logEnd: this.logEndOf(split) };
    await writeFile(`${path}.new`, JSON.stringify(stored));
    await rename(`${path}.new`, path);
    this.reports.set(split.id, report);
    if (this.isFinal) {
      const sync = syncFile(this.path(split));
      // `sync` throws its error.
      sync.catch(() => undefined);
      this.syncs.set(split.id, sync);
    }
  }

  /** Waits until parts are on the disk, including those of an interrupted export. Their names are not synced. */
  async sync(splits: readonly Split[]): Promise<void> {
    await Promise.all(splits.map((split) => this.syncs.get(split.id) ?? syncFile(this.path(split))));
  }

  report({ id }: Split): PartReport {
    return this.reports.get(id) ?? NO_ROWS;
  }

  async discard(split: Split): Promise<void> {
    const report = this.reports.get(split.id);
    this.reports.delete(split.id);
    this.syncs.delete(split.id);
    if (report?.joined !== undefined) {
      // Its bytes remain, and the mark says how many there are.
      return;
    }
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

  /**
   * Opens the parts of splits, in order.
   *
   * @throws {CFileError} `E_NOT_FOUND`, `E_IO` if one cannot be read
   */
  async *sources(written: readonly Split[]): AsyncGenerator<ByteSource, void, void> {
    for (const split of written) {
      const part = await this.open(split, this.report(split), this.indexes.get(split.id));
      try {
        yield part;
      } finally {
        await part.close?.();
      }
    }
  }

  /** The joined file and its size, if it has the parts of `written`, in order, and nothing else. */
  joinedFile(written: readonly Split[]): { readonly path: string; readonly bytes: number } | undefined {
    const { indexes, joined, reports } = this;
    const isWhole =
      written.length === indexes.size &&
      written.every(({ id }, i) => indexes.get(id) === i && reports.get(id)?.joined !== undefined);
    const bytes = isWhole ? this.starts?.of(written.length) : undefined;
    return joined === undefined || bytes === undefined ? undefined : { path: joined.path, bytes };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** @param index of the split, if its part can be in the joined file */
  private async findReport(split: Split, index?: number): Promise<void> {
    const text = await readFile(`${this.path(split)}.json`, "utf8").catch(() => undefined);
    const { logEnd, ...stored } = parsedReport(text);
    if (logEnd !== this.logEndOf(split) || stored.checksum === undefined) {
      return;
    }
    const report = { ...NO_ROWS, ...stored };
    const checksum = await checksumOf(() => this.open(split, report, index)).catch(() => undefined);
    if (checksum !== report.checksum) {
      return;
    }
    this.reports.set(split.id, report);
    if (this.joined !== undefined && index !== undefined && report.joined !== undefined) {
      addPart(this.joined, index, report.joined.bytes);
    }
  }

  private async open(split: Split, { joined }: PartReport, index: number | undefined): Promise<ByteSource> {
    if (joined === undefined) {
      return openSource(this.path(split));
    }
    const start = index === undefined ? undefined : this.starts?.of(index);
    if (this.joined === undefined || start === undefined) {
      throw new CFileError("E_NOT_FOUND", "the part is not in the joined file", { path: this.path(split) });
    }
    return joinedPartSource(await openSource(this.joined.path), start, joined);
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}

/** After a power cut, the file may be empty or incomplete. */
function parsedReport(text: string | undefined): Partial<StoredReport> {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
}

async function checksumOf(open: () => Promise<ByteSource>): Promise<number> {
  const part = await open();
  try {
    const size = await sizeOf(part);
    let checksum = 0;
    for (let at = 0; at < size; at += PIECE_BYTES) {
      const bytes = await readExactly(part, at, Math.min(PIECE_BYTES, size - at));
      checksum = choosePageKernels().crc32(bytes, checksum) >>> 0;
    }
    return checksum;
  } finally {
    await part.close?.();
  }
}

/** The open files of a dataset: parts are opened when first needed, and a limited number stay open. */
import { corrupt } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import { type CFileReader, type OpenCFileOptions, openCFile } from "@cfile/format";
import type { SourceInput } from "@cfile/io";
import type { DatasetPart } from "./dataset-parts.js";

/** Maximum number of parts kept open. */
const MAX_OPEN_PARTS = 32;

type Readers = readonly CFileReader[];

interface CachedPart {
  readonly opening: Promise<Readers>;
  /** Number of reads in progress. */
  uses: number;
}

export class OpenParts {
  private readonly parts: readonly DatasetPart[];
  private readonly options: OpenCFileOptions;
  /** By part, least recently used first. */
  private readonly cached = new Map<number, CachedPart>();
  private types: readonly DataType[] | undefined;

  constructor(parts: readonly DatasetPart[], options: OpenCFileOptions) {
    this.parts = parts;
    this.options = options;
  }

  /** The files of a part, which stay open until released; surplus parts are closed. */
  async use(part: number): Promise<{ readers: Readers; release: () => void }> {
    const cached = this.cached.get(part) ?? { opening: this.openPart(part), uses: 0 };
    cached.uses++;
    this.cached.delete(part);
    this.cached.set(part, cached);
    this.closeSurplus();
    try {
      const readers = await cached.opening;
      return { readers, release: () => cached.uses-- };
    } catch (error) {
      if (this.cached.get(part) === cached) {
        this.cached.delete(part);
      }
      throw error;
    }
  }

  /** Runs `work` with the files of a part. */
  async with<T>(part: number, work: (readers: Readers) => Promise<T>): Promise<T> {
    const { readers, release } = await this.use(part);
    return work(readers).finally(release);
  }

  private closeSurplus(): void {
    for (const [part, cached] of this.cached) {
      if (this.cached.size <= MAX_OPEN_PARTS) {
        break;
      }
      const files = this.parts[part]?.files ?? [];
      // A source that the caller opened cannot be reopened here.
      if (cached.uses === 0 && files.every(isLocation)) {
        this.cached.delete(part);
        void closePart(cached);
      }
    }
  }

  private async openPart(part: number): Promise<Readers> {
    const { files = [], rows } = this.parts[part] ?? {};
    const opened = await Promise.allSettled(files.map((file) => openCFile(file, this.options)));
    const readers = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    try {
      const failed = opened.find((result) => result.status === "rejected");
      if (failed !== undefined) {
        throw failed.reason;
      }
      this.check(readers, rows ?? readers[0]?.rowCount ?? 0);
      return readers;
    } catch (error) {
      await Promise.all(readers.map((reader) => reader.close()));
      throw error;
    }
  }

  private check(readers: Readers, rows: number): void {
    this.types ??= readers.map(({ type }) => type);
    for (const [i, { path, rowCount, type }] of readers.entries()) {
      const known = this.types[i];
      if (rowCount !== rows) {
        const details = { path, field: "rows", expected: rows, actual: rowCount };
        throw corrupt(`wrong row count (expected ${rows}, found ${rowCount})`, details);
      }
      if (type !== known) {
        const details = { path, field: "data_type", expected: known, actual: type };
        throw corrupt(`wrong column type (expected ${known}, found ${type})`, details);
      }
    }
  }

  /** Closes all open files. */
  async close(): Promise<void> {
    const cached = [...this.cached.values()];
    this.cached.clear();
    await Promise.all(cached.map(closePart));
  }
}

async function closePart({ opening }: CachedPart): Promise<void> {
  const readers = await opening.catch(() => []);
  await Promise.all(readers.map((reader) => reader.close()));
}

export function isLocation(file: SourceInput): file is string | URL {
  return typeof file === "string" || file instanceof URL;
}

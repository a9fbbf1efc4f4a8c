/** The open store files of a region and its unflushed cells, merged by scans and gets. */
import type { CellBatch } from "@cfile/hfile";
import type { StoreFile } from "../files/store-file.js";
import type { RegionInfo } from "../root/region-info.js";

/** A family's part of an open region. */
export interface OpenFamily {
  /** Older first. */
  readonly files: readonly StoreFile[];
  /** Cells of the write-ahead log that no file has, in order. */
  readonly unflushed: CellBatch | undefined;
}

/** A region whose families are opened when they are first read. */
export class OpenRegion {
  readonly info: RegionInfo;
  private readonly open: (family: string) => Promise<OpenFamily>;
  private readonly opening = new Map<string, Promise<OpenFamily>>();
  private readonly opened = new Map<string, OpenFamily>();

  /** @param open opens the files of a family */
  constructor(info: RegionInfo, open: (family: string) => Promise<OpenFamily>) {
    this.info = info;
    this.open = open;
  }

  /** Opens a family, once. @throws {CFileError} for damage and missing files */
  family(name: string): Promise<OpenFamily> {
    return this.opening.get(name) ?? this.begin(name);
  }

  /** A family, if it is open. */
  openedFamily(name: string): OpenFamily | undefined {
    return this.opened.get(name);
  }

  /** Closes all files. */
  async close(): Promise<void> {
    await Promise.allSettled(this.opening.values());
    const files = [...this.opened.values()].flatMap((family) => family.files);
    await Promise.all(files.map(({ hfile }) => hfile.close()));
  }

  private begin(name: string): Promise<OpenFamily> {
    const opening = this.open(name).then(
      (family) => {
        this.opened.set(name, family);
        return family;
      },
      (error: unknown) => {
        this.opening.delete(name);
        throw error;
      },
    );
    this.opening.set(name, opening);
    return opening;
  }
}

/** Records what recovery could not read: missing files, and blocks and metadata of damaged files. */
import type { CFileErrorCode } from "@cfile/bytes";
import type { LostRange } from "@cfile/hfile/recover";

/** A store file that is not complete. */
export interface FileLoss {
  /** Encoded name of the region. */
  readonly region: string;
  readonly family: string;
  /** Its name in the region's folder or the snapshot's manifest. */
  readonly file: string;
  /** Path of the HFile; if it is missing, the expected path. */
  readonly path: string;
  /** `"missing"`: no cells; `"damaged"`: without the cells of lost blocks. */
  readonly state: "missing" | "damaged";
  /** Why the file could not be opened; `undefined` if only blocks are lost. */
  readonly problem: { readonly code: CFileErrorCode; readonly reason: string } | undefined;
  /** Lost parts, in file order. */
  readonly lost: readonly LostRange[];
}

/** Collects losses, one per file and region. Cells that lost markers had deleted or lost cells had overwritten may come back. */
export class DamageLedger {
  private readonly byFile = new Map<string, FileLoss>();

  /** In the order in which they were found. */
  get losses(): readonly FileLoss[] {
    return [...this.byFile.values()];
  }

  /** Adds a loss, or replaces what an earlier scan found in the same file. */
  add(loss: FileLoss): void {
    this.byFile.set(`${loss.region}/${loss.family}/${loss.file}`, loss);
  }
}

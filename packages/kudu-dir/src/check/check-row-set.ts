/** Checks one row set: each of its files, and that they belong together. The result is plain data that threads can exchange. */
import { CFileError, findingOf, MemoryArena } from "@cfile/bytes";
import type { RowSetProblem } from "@cfile/rowset/verify";
import { absentFile } from "../blocks/byte-range.js";
import type { KuduDir } from "../read/kudu-dir.js";

/** A problem and its location. */
export interface DirProblem extends Omit<RowSetProblem, "role"> {
  readonly tablet?: string | undefined;
  readonly table?: string | undefined;
  readonly rowSet?: bigint | undefined;
  /** Role of the file; also `log`, `instance`, `superblock`, `consensus` and `catalog`. */
  readonly role?: string;
}

/** A row set of a tablet. */
export interface RowSetPlace {
  /** Tablet ID. */
  readonly tablet: string;
  readonly rowSet: bigint;
}

/** The result of checking one row set. */
export interface CheckedRowSet {
  readonly problems: readonly DirProblem[];
  /** IDs of missing blocks. */
  readonly missing: readonly bigint[];
  /** Live rows; 0 if unknown. */
  readonly liveRows: number;
}

/**
 * Checks row sets one after the other, in this thread or in one that has the same directories open.
 *
 * @throws {CFileError} `E_NOT_FOUND` if there is no such row set; `E_IO`, `E_SOURCE_CHANGED` if a source fails
 */
export type RowSetChecker = (place: RowSetPlace) => Promise<CheckedRowSet>;

/** A checker for this thread, which reuses its memory. Wait for each result before the next call. */
export function rowSetChecker(dir: KuduDir): RowSetChecker {
  const arena = new MemoryArena();
  return (place) => checkRowSet(dir, place, arena);
}

async function checkRowSet(dir: KuduDir, place: RowSetPlace, arena: MemoryArena): Promise<CheckedRowSet> {
  const tablet = (await dir.tablets()).find(({ id }) => id === place.tablet);
  const rowSet = tablet?.rowSets.find(({ id }) => id === place.rowSet);
  if (tablet === undefined || rowSet === undefined) {
    const reason = `no row set ${place.rowSet} in tablet ${place.tablet}`;
    throw new CFileError("E_NOT_FOUND", reason, { field: "row set" });
  }
  const absent = await rowSet.absent();
  // Rows can be read without a Bloom file; verification reports that it is missing.
  const required = absent.filter(({ role }) => role !== "bloom");
  const problems: DirProblem[] = required.map(({ error, role }) => ({ ...problemOf(error), role }));
  const missing = absent.flatMap(({ id, error }) => (error.code === "E_BLOCK_MISSING" ? [id] : []));
  if (required.length > 0) {
    return { problems, missing, liveRows: 0 };
  }
  const { supportsLiveRowCount } = tablet.superblock;
  const liveRowCount = supportsLiveRowCount ? rowSet.blocks.liveRowCount : undefined;
  try {
    const files = await rowSet.files();
    const [bloom] = absent;
    const whole =
      bloom === undefined ? files : { ...files, bloom: absentFile(`block ${bloom.id}`, bloom.error) };
    const { verifyRowSet } = await import("@cfile/rowset/verify");
    const result = await verifyRowSet(whole, tablet.schema, { liveRowCount, arena });
    return { problems: result.problems, missing, liveRows: result.liveRows ?? 0 };
  } catch (error) {
    return { problems: [problemOf(findingOf(error))], missing, liveRows: 0 };
  }
}

/** An error as a problem, with its path. */
export function problemOf(error: CFileError): DirProblem {
  const { code, reason, path, block, offset, field, expected, actual } = error;
  return { code, reason, path, block, offset, field, expected, actual };
}

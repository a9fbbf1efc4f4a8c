/** Checking one row set: every file of it, and that they belong together. What is found is plain data, which threads can tell. */
import { CFileError, findingOf, MemoryArena } from "@cfile/bytes";
import type { RowSetProblem } from "@cfile/rowset/verify";
import { absentFile } from "../blocks/byte-range.js";
import type { KuduDir } from "../read/kudu-dir.js";

/** Something wrong, and where. */
export interface DirProblem extends Omit<RowSetProblem, "role"> {
  readonly tablet?: string | undefined;
  readonly table?: string | undefined;
  readonly rowSet?: bigint | undefined;
  /** What the file is for; `log` for the write-ahead log. */
  readonly role?: string;
}

/** Which row set of which tablet. */
export interface RowSetPlace {
  /** Its id. */
  readonly tablet: string;
  readonly rowSet: bigint;
}

/** What a check found out about one row set. */
export interface CheckedRowSet {
  readonly problems: readonly DirProblem[];
  /** Blocks that are in none of the directories. */
  readonly missing: readonly bigint[];
  /** Rows alive in its latest state; 0 where that cannot be said. */
  readonly liveRows: number;
}

/**
 * Who checks row sets, one after the other: this thread, or one that has the same directories open.
 *
 * @throws CFileError `E_NOT_FOUND` when there is no such row set; `E_IO`, `E_SOURCE_CHANGED` when a source fails
 */
export type RowSetChecker = (place: RowSetPlace) => Promise<CheckedRowSet>;

/** One that checks them in this thread, in the same memory. It is asked for the next when it is done with the one before. */
export function rowSetChecker(dir: KuduDir): RowSetChecker {
  const arena = new MemoryArena();
  return (place) => checkRowSet(dir, place, arena);
}

async function checkRowSet(dir: KuduDir, place: RowSetPlace, arena: MemoryArena): Promise<CheckedRowSet> {
  const tablet = (await dir.tablets()).find(({ id }) => id === place.tablet);
  const rowSet = tablet?.rowSets.find(({ id }) => id === place.rowSet);
  if (tablet === undefined || rowSet === undefined) {
    throw new CFileError("E_NOT_FOUND", `there is no row set ${place.rowSet} of tablet ${place.tablet}`, {
      field: "row set",
    });
  }
  const absent = await rowSet.missing();
  const problems: DirProblem[] = absent.map((error) => ({
    ...problemOf(error),
    role: error.field ?? "block",
  }));
  const bloom = await rowSet.missingBloom();
  const named = bloom === undefined ? absent : [...absent, bloom];
  const missing = named.map(({ path }) => BigInt(path?.slice("block ".length) ?? 0));
  if (absent.length > 0) {
    return { problems, missing, liveRows: 0 };
  }
  const { supportsLiveRowCount } = tablet.superblock;
  const liveRowCount = supportsLiveRowCount ? rowSet.blocks.liveRowCount : undefined;
  try {
    const files = await rowSet.files();
    const whole =
      bloom === undefined ? files : { ...files, bloom: absentFile(bloom.path ?? "Bloom file", bloom) };
    const { verifyRowSet } = await import("@cfile/rowset/verify");
    const result = await verifyRowSet(whole, tablet.schema, { liveRowCount, arena });
    return { problems: [...problems, ...result.problems], missing, liveRows: result.liveRows ?? 0 };
  } catch (error) {
    return { problems: [...problems, problemOf(findingOf(error))], missing, liveRows: 0 };
  }
}

/** An error as a problem. */
export function problemOf(error: CFileError): DirProblem {
  const { code, reason, path, block, offset, field, expected, actual } = error;
  return { code, reason, path, block, offset, field, expected, actual };
}

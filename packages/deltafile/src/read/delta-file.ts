/**
 * Opens a delta file (docs/spec/deltafile.md#2-cfile-options and docs/spec/deltafile.md#10-limits-and-hostile-input).
 * It is a CFile of BINARY values in PLAIN encoding with a value index, no positional index, and statistics in the footer.
 */
import {
  type BlockLocation,
  CFileError,
  corrupt,
  DEFAULT_LIMITS,
  type Limits,
  withErrorContext,
} from "@cfile/bytes";
import type { CFileFooter, FileStructure, OpenOptions } from "@cfile/format";
import { BlockReader, deltaRowEnd, readFileStructure } from "@cfile/format";
import { IndexTree } from "@cfile/index-btree";
import type { ByteSource } from "@cfile/io";
import { chooseDecoders } from "@cfile/kernels/decode";
import { chooseRowKernels, type RowKernels } from "@cfile/kernels/rows";
import type { DeltaStatistics } from "../stats/delta-statistics.js";
import { DELTA_STATS_KEY, parseDeltaStats } from "../stats/delta-stats-message.js";

/** An open delta file, before any of its blocks is read. */
export interface DeltaFile {
  readonly source: ByteSource;
  readonly options: OpenOptions;
  readonly structure: FileStructure;
  readonly blocks: BlockReader;
  readonly validx: IndexTree;
  readonly statistics: DeltaStatistics;
  readonly rowKernels: RowKernels;
}

export async function readDeltaFile(source: ByteSource, options: OpenOptions): Promise<DeltaFile> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const kernels = chooseDecoders(options.kernels);
  const verifyChecksums = options.verifyChecksums ?? true;
  const structure = await readFileStructure(source, {
    limits,
    kernels,
    codecs: options.codecs,
    verifyChecksums,
    signal: options.signal,
  });
  const { root, statistics } = withErrorContext({ path: source.name }, () => checkFooter(structure.footer));
  const blocks = new BlockReader(source, structure, limits, verifyChecksums);
  const validx = new IndexTree({
    root,
    kind: "validx",
    limits,
    orderedKeyEnd: deltaRowEnd,
    load: (pointer, signal) => blocks.read(pointer, { signal }),
    path: source.name,
  });
  const rowKernels = chooseRowKernels(options.kernels);
  return { source, options, structure, blocks, validx, statistics, rowKernels };
}

function checkFooter(footer: CFileFooter): { root: BlockLocation; statistics: DeltaStatistics } {
  const pair = footer.metadata.find(({ key }) => key === DELTA_STATS_KEY);
  if (pair === undefined) {
    const reason = "not a delta file: its footer has no delta statistics";
    throw new CFileError("E_UNSUPPORTED", reason, { field: DELTA_STATS_KEY });
  }
  const { dataType, encoding, nullable = false, array = false, posidx, validx } = footer;
  const problems = [
    dataType !== "BINARY" && { field: "data_type", reason: `of ${dataType} values` },
    encoding !== "PLAIN_ENCODING" && { field: "encoding", reason: `with ${encoding}` },
    (nullable || array) && { field: "is_type_nullable", reason: "with nulls or arrays" },
    posidx !== undefined && { field: "posidx_info", reason: "with a positional index" },
    validx === undefined && { field: "validx_info", reason: "without a value index" },
  ];
  const problem = problems.find((each) => each !== false);
  if (problem !== undefined || validx === undefined) {
    throw corrupt(`delta file ${problem?.reason}`, { field: problem?.field });
  }
  const statistics = withErrorContext({ field: DELTA_STATS_KEY }, () => parseDeltaStats(pair.value));
  return { root: validx, statistics };
}

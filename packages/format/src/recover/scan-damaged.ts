/**
 * Finds the readable blocks of a damaged file.
 *
 * Footer and index are used first. Bytes that they do not cover are searched for blocks: with checksums, anywhere; without
 * them, one block after another. A block is kept only if it decodes completely, its checksum matches, and its rows fit the
 * order of the file.
 */
import { CFileError, DEFAULT_LIMITS } from "@cfile/bytes";
import { codecsWith } from "@cfile/compression/codecs";
import { type ByteSource, sizeOf } from "@cfile/io";
import { chooseKernels } from "@cfile/kernels/encode";
import { CHECKSUM_LENGTH } from "../blocks/block-wrapper.js";
import { type FileKind, fileKindOf } from "../file/file-kind.js";
import { FEATURE_CHECKSUM } from "../file/footer.js";
import { type FileFrame, findFrame } from "./file-frame.js";
import { FileScan } from "./file-scan.js";
import type { DamagedCFileOptions } from "./recover-options.js";
import type { RecoverableFile } from "./recoverable-file.js";
import { knowColumn, searchedColumnOf, wrappingOf } from "./rows/column-knowledge.js";
import { searchBlocks } from "./search/block-search.js";
import { DamagedSource } from "./search/damaged-source.js";

/** The values of every delta file. */
const DELTA_COLUMN = {
  type: "BINARY",
  encoding: "PLAIN_ENCODING",
  nullable: false,
  array: false,
} as const satisfies DamagedCFileOptions;

/**
 * The kind of a damaged file according to its footer; `undefined` if the footer is lost.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` when the source fails
 */
export async function damagedFileKind(
  source: ByteSource,
  options: Pick<DamagedCFileOptions, "limits" | "signal"> = {},
): Promise<FileKind | undefined> {
  const { signal } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { footer } = await findFrame(
    new DamagedSource(source, await sizeOf(source, { signal }), limits, signal),
  );
  return footer && fileKindOf(footer.footer);
}

/**
 * Scans a damaged file for readable blocks; writes nothing.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` (`field` names the option) when an option is required because the footer is lost;
 *   `E_UNSUPPORTED` for files of another kind and unsupported columns; `E_IO`, `E_SOURCE_CHANGED` when the source fails
 */
export async function scanDamagedCFile(
  source: ByteSource,
  options: DamagedCFileOptions = {},
): Promise<RecoverableFile> {
  const { signal } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const kernels = chooseKernels(options.kernels);
  const file = new DamagedSource(source, await sizeOf(source, { signal }), limits, signal);
  const context = { kernels, codecs: options.codecs ?? codecsWith(kernels), encodings: options.encodings };
  const frame = withoutDoubtfulFooter(await findFrame(file));
  const kind = frame.footer && fileKindOf(frame.footer.footer);
  const wanted = options.kind ?? "column";
  if (kind !== undefined && kind !== wanted) {
    const reason = `cannot recover a ${kind} file as a ${wanted}${wanted === "delta" ? " file" : ""}`;
    throw new CFileError("E_UNSUPPORTED", reason, { path: file.path, field: "kind", actual: kind });
  }
  const known = wanted === "delta" ? { ...options, ...DELTA_COLUMN } : options;
  const column = await knowColumn(file, frame, known, context);
  const wrapping = wrappingOf(column, context);
  return new FileScan(file, frame, column, wrapping, await searchedColumnOf(column, context)).run();
}

/** A footer without the checksum feature in a file whose header has a checksum is not used. */
function withoutDoubtfulFooter(frame: FileFrame): FileFrame {
  const { header, footer } = frame;
  const denies = footer !== undefined && ((footer.footer.incompatibleFeatures ?? 0) & FEATURE_CHECKSUM) === 0;
  if (!(denies && header?.checksummed)) {
    return frame;
  }
  const reason = "the header has a checksum, but the footer does not have the checksum feature";
  const { offset } = footer.range;
  return {
    ...frame,
    footer: undefined,
    footerProblem: { code: "E_CORRUPT", reason, offset, field: "incompatible_features" },
    hint: footer.footer,
  };
}

/**
 * The parts with a valid checksum that `classify` recognizes by their content, in a file without compression; of any kind, at any
 * offset, up to 512 KiB long.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` when the source fails
 */
export async function findStoredBlocks<T>(
  source: ByteSource,
  classify: (content: Uint8Array) => T | undefined,
  options: Pick<DamagedCFileOptions, "limits" | "signal"> = {},
): Promise<T[]> {
  const { signal } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const file = new DamagedSource(source, await sizeOf(source, { signal }), limits, signal);
  return searchBlocks(file, 0, file.size, {
    classify: (_block, stored) => classify(stored.subarray(0, stored.length - CHECKSUM_LENGTH)),
    mayStart: () => false,
  });
}

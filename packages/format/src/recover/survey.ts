/**
 * What is left of a damaged file, and where.
 *
 * What footer and index say is tried first. Bytes that they do not explain are searched for blocks: with checksums
 * anywhere, without them one block after the other. Nothing is kept that does not decode whole, whose checksum is wrong, or whose rows
 * are not where they should be.
 */
import { CFileError, DEFAULT_LIMITS } from "@cfile/bytes";
import { codecsWith } from "@cfile/compression/codecs";
import { type ByteSource, sizeOf } from "@cfile/io";
import { chooseKernels } from "@cfile/kernels/encode";
import { fileKindOf } from "../file/file-kind.js";
import { FEATURE_CHECKSUM } from "../file/footer.js";
import { type FileFrame, findFrame } from "./file-frame.js";
import { FileSurvey } from "./file-survey.js";
import type { DamagedCFileOptions } from "./recover-options.js";
import type { RecoverableFile } from "./recoverable-file.js";
import { knowColumn, searchedColumnOf, wrappingOf } from "./rows/column-knowledge.js";
import { problem } from "./rows/ledger.js";
import { DamagedSource } from "./search/damaged-source.js";

/**
 * Looks through a damaged file; nothing is written.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when something has to be given that the file does not tell (`field` says what);
 *   `E_UNSUPPORTED` for delta and Bloom files and for columns that no file has; `E_IO`, `E_SOURCE_CHANGED` when the source fails
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
  const frame = believable(await findFrame(file));
  const kind = frame.footer && fileKindOf(frame.footer.footer);
  if (kind !== undefined && kind !== "column") {
    throw new CFileError("E_UNSUPPORTED", `a ${kind} file is not a column: it cannot be recovered as one`, {
      path: file.path,
    });
  }
  const column = await knowColumn(file, frame, options, context);
  return new FileSurvey(
    file,
    frame,
    column,
    wrappingOf(column, context),
    await searchedColumnOf(column, context),
  ).run();
}

/** A footer that denies the checksum that its header has is not to be believed. */
function believable(frame: FileFrame): FileFrame {
  const { header, footer } = frame;
  const denies = footer !== undefined && ((footer.footer.incompatibleFeatures ?? 0) & FEATURE_CHECKSUM) === 0;
  if (!(denies && header?.checksummed)) {
    return frame;
  }
  const reason = "the header has a checksum, the footer says that there are none";
  return {
    ...frame,
    footer: undefined,
    footerProblem: problem("E_CORRUPT", reason, {
      offset: footer.range.offset,
      field: "incompatible_features",
    }),
    hint: footer.footer,
  };
}

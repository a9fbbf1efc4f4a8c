/**
 * Finds header and footer of a damaged file: at the start and end of the file, or at any other magic in it
 * (docs/spec/cfile.md#31-layout).
 */
import { type BlockLocation, corrupt, crc32c, problemOf, withErrorContext } from "@cfile/bytes";
import { CHECKSUM_LENGTH, u32le } from "../blocks/block-wrapper.js";
import { type CFileFooter, decodeFooter, hasChecksums, interpretFooter } from "../file/footer.js";
import { type CFileHeader, parseHeader } from "../file/header.js";
import { type CFileVersion, MAGIC_AND_LENGTH, MAGIC_LENGTH, versionOfMagic } from "../file/magic.js";
import type { VerifyProblem } from "../verify/verify.js";
import type { DamagedSource } from "./search/damaged-source.js";

interface FoundHeader {
  readonly range: BlockLocation;
  readonly header: CFileHeader;
  /** Whether a valid checksum follows it. */
  readonly checksummed: boolean;
}

interface FoundFooter {
  readonly range: BlockLocation;
  readonly footer: CFileFooter;
  readonly version: CFileVersion;
}

export interface FileFrame {
  readonly header: FoundHeader | undefined;
  readonly footer: FoundFooter | undefined;
  readonly headerProblem: VerifyProblem | undefined;
  readonly footerProblem: VerifyProblem | undefined;
  /** A footer with a wrong checksum: unreliable, but useful as a hint. */
  readonly hint: CFileFooter | undefined;
}

/** Bytes searched for magics at a time. */
const WINDOW = 1 << 20;
/** Maximum number of magics tried from each end. */
const MAX_TRIES = 256;

export async function findFrame(file: DamagedSource): Promise<FileFrame> {
  let footer = await tryFooter(file, file.size - MAGIC_AND_LENGTH);
  let header = await tryHeader(file, 0);
  const { problem: footerProblem } = footer;
  const { problem: headerProblem } = header;
  let { hint } = footer;
  const magics = footerProblem || headerProblem ? await findMagics(file) : [];
  for (const at of magics.toReversed().slice(0, MAX_TRIES)) {
    if (footer.found === undefined) {
      footer = await tryFooter(file, at);
      hint ??= footer.hint;
    }
  }
  const end = footer.found?.range.offset ?? file.size;
  const before = magics.filter((at) => at > 0 && at < end).slice(-MAX_TRIES);
  // If several files follow each other, the footer belongs to the last one.
  for (const at of footer.found === undefined ? before : before.toReversed()) {
    if (header.found === undefined) {
      header = await tryHeader(file, at);
    }
  }
  return { header: header.found, footer: footer.found, headerProblem, footerProblem, hint };
}

/** The part at a magic, or the problem with it. */
interface Attempted<T> {
  readonly found?: T;
  readonly problem?: VerifyProblem;
  readonly hint?: CFileFooter | undefined;
}

/** The footer whose magic is at `at`. */
async function tryFooter(file: DamagedSource, at: number): Promise<Attempted<FoundFooter>> {
  let hint: CFileFooter | undefined;
  try {
    const { version, length } = await readMagic(file, at, "footer");
    const start = at - length;
    const bytes = await file.read(Math.max(0, start - CHECKSUM_LENGTH), at + MAGIC_AND_LENGTH);
    const covered = bytes.subarray(Math.min(start, CHECKSUM_LENGTH));
    const message = withErrorContext({ offset: start }, () => decodeFooter(covered.subarray(0, length)));
    const checksums = hasChecksums(message);
    const footer = withErrorContext({ offset: start }, () => interpretFooter(message));
    hint = footer;
    if (checksums && !(start >= CHECKSUM_LENGTH && u32le(bytes, 0) === crc32c(covered))) {
      throw corrupt("footer CRC mismatch", { offset: start - CHECKSUM_LENGTH, field: "footer checksum" });
    }
    const before = checksums ? CHECKSUM_LENGTH : 0;
    const range = { offset: start - before, size: before + length + MAGIC_AND_LENGTH };
    return { found: { range, footer, version } };
  } catch (error) {
    return { problem: problemOf(error), hint };
  }
}

async function tryHeader(file: DamagedSource, at: number): Promise<Attempted<FoundHeader>> {
  try {
    const { version, length } = await readMagic(file, at, "header");
    const size = MAGIC_AND_LENGTH + length;
    const bytes = await file.read(at, Math.min(file.size, at + size + CHECKSUM_LENGTH));
    const covered = bytes.subarray(0, size);
    const header = withErrorContext({ offset: at + MAGIC_AND_LENGTH }, () =>
      parseHeader(covered.subarray(MAGIC_AND_LENGTH), version),
    );
    const checksummed = bytes.length === size + CHECKSUM_LENGTH && u32le(bytes, size) === crc32c(covered);
    const range = { offset: at, size: size + (checksummed ? CHECKSUM_LENGTH : 0) };
    return { found: { range, header, checksummed } };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** Magic and protobuf length at `at`. */
async function readMagic(
  file: DamagedSource,
  at: number,
  part: "header" | "footer",
): Promise<{ readonly version: CFileVersion; readonly length: number }> {
  const field = `${part} magic`;
  if (at < 0 || at + MAGIC_AND_LENGTH > file.size) {
    throw corrupt("file is too short", { offset: 0, field, actual: file.size });
  }
  const bytes = await file.read(at, at + MAGIC_AND_LENGTH);
  const version = versionOfMagic(bytes, 0);
  if (version === undefined) {
    throw corrupt(`no ${field} found`, { offset: at, field });
  }
  const length = u32le(bytes, MAGIC_LENGTH);
  const fits = part === "footer" ? length <= at : at + MAGIC_AND_LENGTH + length <= file.size;
  if (length > file.limits.maxMetadataSize || !fits) {
    const details = { offset: at + MAGIC_LENGTH, field: `${part} length`, actual: length };
    throw corrupt(`invalid ${part} length: ${length}`, details);
  }
  return { version, length };
}

/** Offsets of magics, ascending; if there are very many, only the first and the last ones. */
async function findMagics(file: DamagedSource): Promise<number[]> {
  const first: number[] = [];
  let last: number[] = [];
  for (let start = 0; start + MAGIC_LENGTH <= file.size; start += WINDOW) {
    file.signal?.throwIfAborted();
    const bytes = await file.read(start, Math.min(file.size, start + WINDOW + MAGIC_LENGTH - 1));
    for (let at = bytes.indexOf(0x6b); at >= 0; at = bytes.indexOf(0x6b, at + 1)) {
      if (bytes[at + 1] === 0x75 && at < WINDOW && versionOfMagic(bytes, at) !== undefined) {
        (first.length < MAX_TRIES ? first : last).push(start + at);
      }
    }
    last = last.slice(-MAX_TRIES);
  }
  return [...first, ...last];
}

/** The original file inside the damaged one. */
export interface FilePlace {
  /** Number added to offsets of the original file. */
  readonly shift: number;
  /** Minimum offset of blocks. */
  readonly start: number;
  /** The header, if it belongs to this file. */
  readonly header: BlockLocation | undefined;
}

/**
 * Determines where the original file starts: foreign bytes may precede it, or its start may be missing.
 *
 * @param isReadable whether there is a valid block at this location
 */
export async function placeFile(
  { footer, header }: FileFrame,
  checksums: boolean,
  isReadable: (block: BlockLocation) => Promise<boolean>,
): Promise<FilePlace> {
  const { posidx, validx, dictionary } = footer?.footer ?? {};
  const pointers = [posidx, validx, dictionary].filter((pointer) => pointer !== undefined);
  const shifts = [0];
  if (footer !== undefined && pointers.length > 0) {
    // The last of these blocks ends where the footer starts.
    shifts.push(footer.range.offset - Math.max(...pointers.map(({ offset, size }) => offset + size)));
  }
  if (header !== undefined) {
    shifts.push(header.range.offset);
  }
  let placed: number | undefined;
  for (const shift of shifts) {
    for (const { offset, size } of placed === undefined ? pointers : []) {
      if (placed === undefined && (await isReadable({ offset: offset + shift, size }))) {
        placed = shift;
      }
    }
  }
  const shift = placed ?? header?.range.offset ?? 0;
  const start = Math.max(0, shift);
  // If bytes were inserted or removed after the header, it is before the shifted start.
  const isOwn = header !== undefined && (footer === undefined || header.range.offset <= start);
  if (!isOwn) {
    return { shift, start, header: undefined };
  }
  const { offset, size } = header.range;
  // Without a footer, bytes that look like a header may be part of a value.
  const isDoubtful = footer === undefined && checksums && offset > 0;
  return { shift, start: isDoubtful ? 0 : offset + size, header: header.range };
}

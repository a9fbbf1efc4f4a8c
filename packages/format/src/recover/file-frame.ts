/**
 * Header and footer of a damaged file, wherever they stand: at the ends where they should, else at any of the magics
 * in the file (docs/spec/cfile.md#31-layout).
 */
import { type BlockLocation, corrupt, crc32c, problemOf, withErrorContext } from "@cfile/bytes";
import { CHECKSUM_LENGTH } from "../blocks/block-wrapper.js";
import { type CFileFooter, decodeFooter, hasChecksums, interpretFooter } from "../file/footer.js";
import { type CFileHeader, parseHeader } from "../file/header.js";
import { type CFileVersion, MAGIC_AND_LENGTH, MAGIC_LENGTH, versionOfMagic } from "../file/magic.js";
import type { VerifyProblem } from "../verify/verify.js";
import type { DamagedSource } from "./search/damaged-source.js";

interface FoundHeader {
  readonly range: BlockLocation;
  readonly header: CFileHeader;
  /** Whether its own checksum stands behind it. */
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
  /** What a footer says whose checksum does not match: nothing to rely on, but a hint. */
  readonly hint: CFileFooter | undefined;
}

/** Bytes searched for magics at a time. */
const WINDOW = 1 << 20;
/** Magics that are looked into, from each end. */
const MAX_TRIES = 256;

export async function findFrame(file: DamagedSource): Promise<FileFrame> {
  const last = file.size - MAGIC_AND_LENGTH;
  let footer = await tryFooter(file, last);
  let header = await tryHeader(file, 0);
  const footerProblem = "problem" in footer ? footer.problem : undefined;
  let hint = "problem" in footer ? footer.hint : undefined;
  const headerProblem = "problem" in header ? header.problem : undefined;
  if ("problem" in footer || "problem" in header) {
    const magics = await findMagics(file);
    for (const at of magics.toReversed().slice(0, MAX_TRIES)) {
      if ("problem" in footer) {
        footer = await tryFooter(file, at);
        hint ??= "problem" in footer ? footer.hint : undefined;
      }
    }
    const end = "problem" in footer ? file.size : footer.range.offset;
    const before = magics.filter((at) => at > 0 && at < end).slice(-MAX_TRIES);
    // Of several files one after the other the footer belongs to the last.
    for (const at of "problem" in footer ? before : before.toReversed()) {
      if ("problem" in header) {
        header = await tryHeader(file, at);
      }
    }
  }
  return {
    header: "problem" in header ? undefined : header,
    footer: "problem" in footer ? undefined : footer,
    headerProblem,
    footerProblem,
    hint,
  };
}

interface NotFound {
  readonly problem: VerifyProblem;
  readonly hint?: CFileFooter | undefined;
}

/** The footer whose magic stands at `at`. */
async function tryFooter(file: DamagedSource, at: number): Promise<FoundFooter | NotFound> {
  let hint: CFileFooter | undefined;
  try {
    const version = await magicAt(file, at, "footer magic");
    const word = await file.read(at + MAGIC_LENGTH, at + MAGIC_AND_LENGTH);
    const length = new DataView(word.buffer, word.byteOffset, 4).getUint32(0, true);
    const start = at - length;
    if (length > file.limits.maxMetadataSize || start < 0) {
      throw corrupt(`a footer of ${length} bytes`, {
        offset: at + 8,
        field: "footer length",
        actual: length,
      });
    }
    const bytes = await file.read(Math.max(0, start - CHECKSUM_LENGTH), at + MAGIC_AND_LENGTH);
    const covered = bytes.subarray(Math.min(start, CHECKSUM_LENGTH));
    const message = withErrorContext({ offset: start }, () => decodeFooter(covered.subarray(0, length)));
    const checksums = hasChecksums(message);
    const footer = withErrorContext({ offset: start }, () => interpretFooter(message));
    hint = footer;
    const stored = new DataView(bytes.buffer, bytes.byteOffset);
    const matches = start >= CHECKSUM_LENGTH && stored.getUint32(0, true) === crc32c(covered);
    if (checksums && !matches) {
      throw corrupt("the footer's checksum does not match", { offset: start - 4, field: "footer checksum" });
    }
    const before = checksums ? CHECKSUM_LENGTH : 0;
    return {
      range: { offset: start - before, size: before + length + MAGIC_AND_LENGTH },
      footer,
      version,
    };
  } catch (error) {
    return { problem: problemOf(error), hint };
  }
}

async function tryHeader(file: DamagedSource, at: number): Promise<FoundHeader | NotFound> {
  try {
    const version = await magicAt(file, at, "header magic");
    const word = await file.read(at + MAGIC_LENGTH, at + MAGIC_AND_LENGTH);
    const length = new DataView(word.buffer, word.byteOffset, 4).getUint32(0, true);
    const end = at + MAGIC_AND_LENGTH + length;
    if (length > file.limits.maxMetadataSize || end > file.size) {
      throw corrupt(`a header of ${length} bytes`, {
        offset: at + 8,
        field: "header length",
        actual: length,
      });
    }
    const bytes = await file.read(at, Math.min(file.size, end + CHECKSUM_LENGTH));
    const covered = bytes.subarray(0, end - at);
    const header = withErrorContext({ offset: at + MAGIC_AND_LENGTH }, () =>
      parseHeader(covered.subarray(MAGIC_AND_LENGTH), version),
    );
    const checksummed =
      bytes.length === covered.length + CHECKSUM_LENGTH &&
      new DataView(bytes.buffer, bytes.byteOffset).getUint32(covered.length, true) === crc32c(covered);
    const size = covered.length + (checksummed ? CHECKSUM_LENGTH : 0);
    return { range: { offset: at, size }, header, checksummed };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

async function magicAt(file: DamagedSource, at: number, field: string): Promise<CFileVersion> {
  if (at < 0 || at + MAGIC_AND_LENGTH > file.size) {
    throw corrupt("the file is too short", { offset: 0, field, actual: file.size });
  }
  const version = versionOfMagic(await file.read(at, at + MAGIC_LENGTH), 0);
  if (version === undefined) {
    throw corrupt("there is no magic where one should be", { offset: at, field });
  }
  return version;
}

/** Where the file has magics, ascending; of very many the first and the last. */
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

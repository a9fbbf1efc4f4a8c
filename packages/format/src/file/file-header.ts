/**
 * The header of a file (docs/spec/cfile.md#34-reading), which is read when the file is opened, or later: over a network it
 * would be one more request, and no row needs it. Then it comes with the first read of the file's beginning.
 */
import { CFileError, corrupt, type Limits, withErrorContext } from "@cfile/bytes";
import type { ByteSource, ReadOptions } from "@cfile/io";
import { CHECKSUM_LENGTH } from "../blocks/block-wrapper.js";
import { checkCrc, checkLength, FileWindow, fail, u32le } from "./framed-part.js";
import { type CFileHeader, parseHeader } from "./header.js";
import { type CFileVersion, MAGIC_AND_LENGTH, versionOfMagic } from "./magic.js";

/** Magic, length, protobuf and checksum of nearly every header. */
const HEAD_READ = 512;

/** What the footer says about the header, and what is to be checked. */
export interface HeaderFacts {
  readonly path: string;
  readonly fileSize: number;
  readonly version: CFileVersion;
  readonly checksums: boolean;
  /** Where the footer begins. */
  readonly footerStart: number;
  readonly limits: Limits;
  readonly verifyChecksums: boolean;
}

export class FileHeader {
  private readonly facts: HeaderFacts;
  private known: CFileHeader | undefined;
  /** Its size as it states it. */
  private stated: number | undefined;

  constructor(facts: HeaderFacts) {
    this.facts = facts;
  }

  get isKnown(): boolean {
    return this.known !== undefined;
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` when it was not read yet */
  get content(): CFileHeader {
    if (this.known === undefined) {
      throw new CFileError("E_INVALID_ARGUMENT", "the header was not read yet: call loadHeader first", {
        path: this.facts.path,
        field: "header",
      });
    }
    return this.known;
  }

  /** Its bytes, checksum included; the least that it can have while they are not known. */
  get size(): number {
    return this.stated ?? MAGIC_AND_LENGTH + (this.facts.checksums ? CHECKSUM_LENGTH : 0);
  }

  /** @throws CFileError as the opening of a file does */
  async load(source: ByteSource, { signal }: ReadOptions = {}): Promise<CFileHeader> {
    if (this.known === undefined) {
      const { path, fileSize } = this.facts;
      await this.read(new FileWindow(source, path, fileSize, signal));
    }
    return this.content;
  }

  /** Takes the header from the file's first bytes, when all of it is there. */
  take(start: Uint8Array): void {
    if (this.known !== undefined || start.length < MAGIC_AND_LENGTH) {
      return;
    }
    const { length, size } = this.frame(start);
    if (size <= start.length) {
      this.keep(start.subarray(0, size), length);
    }
  }

  /** @param head a part of the file; other bytes are read when they are needed */
  async read(head: FileWindow): Promise<void> {
    const start = await head.bytes(0, MAGIC_AND_LENGTH, "header magic", HEAD_READ);
    const { length, size } = this.frame(start);
    this.keep(await head.bytes(0, size, "header"), length);
  }

  private frame(start: Uint8Array): { readonly length: number; readonly size: number } {
    const { path, fileSize, version: expected, checksums, limits } = this.facts;
    const version = versionOfMagic(start, 0);
    if (version === undefined) {
      throw corrupt("the file does not start with a CFile's magic", {
        path,
        offset: 0,
        field: "header magic",
      });
    }
    if (version !== expected) {
      throw corrupt(`the header is of version ${version}, the footer of version ${expected}`, {
        path,
        offset: 0,
        field: "header magic",
      });
    }
    const length = u32le(start, 8);
    checkLength(length, limits, path, 8, "header length");
    const size = MAGIC_AND_LENGTH + length + (checksums ? CHECKSUM_LENGTH : 0);
    if (fileSize <= size) {
      throw fail("E_TRUNCATED", `a header of ${length} bytes does not fit into a file of ${fileSize}`, {
        path,
        offset: 8,
        field: "header length",
        actual: length,
      });
    }
    this.stated = size;
    return { length, size };
  }

  private keep(whole: Uint8Array, length: number): void {
    const { path, version, checksums, verifyChecksums, footerStart } = this.facts;
    if (checksums && verifyChecksums) {
      const at = whole.length - CHECKSUM_LENGTH;
      checkCrc(whole, at, { path, offset: at, field: "header checksum" });
    }
    const protobuf = whole.subarray(MAGIC_AND_LENGTH, MAGIC_AND_LENGTH + length);
    const header = withErrorContext({ path, offset: MAGIC_AND_LENGTH }, () => parseHeader(protobuf, version));
    if (whole.length > footerStart) {
      throw corrupt("header and footer overlap", { path, offset: footerStart, field: "header length" });
    }
    this.known = header;
  }
}

/**
 * The header of a file (docs/spec/cfile.md#34-reading). It is usually read when the file is opened. Over a network that would
 * cost a request, and no row requires the header, so it is read together with other bytes at the start of the file.
 */
import { corrupt, invalidArgument, type Limits, mismatch, withErrorContext } from "@cfile/bytes";
import type { ByteSource, ReadOptions } from "@cfile/io";
import { CHECKSUM_LENGTH, u32le } from "../blocks/block-wrapper.js";
import { checkCrc, checkLength, FileWindow } from "./framed-part.js";
import { type CFileHeader, parseHeader } from "./header.js";
import { type CFileVersion, MAGIC_AND_LENGTH, versionOfMagic } from "./magic.js";

/** Bytes that include magic, length, protobuf and checksum of nearly every header. */
const HEAD_READ = 512;

/** Facts from the footer, with which the header is read, and the checks to make. */
export interface HeaderFacts {
  readonly path: string;
  readonly fileSize: number;
  readonly version: CFileVersion;
  readonly checksums: boolean;
  /** Offset of the footer. */
  readonly footerStart: number;
  readonly limits: Limits;
  readonly verifyChecksums: boolean;
}

export class FileHeader {
  private readonly facts: HeaderFacts;
  private known: CFileHeader | undefined;
  /** Size of the header, from its length word. */
  private stated: number | undefined;

  constructor(facts: HeaderFacts) {
    this.facts = facts;
  }

  get isKnown(): boolean {
    return this.known !== undefined;
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` before the header is read */
  get content(): CFileHeader {
    if (this.known === undefined) {
      const { path } = this.facts;
      throw invalidArgument("header not read yet: call loadHeader first", { path, field: "header" });
    }
    return this.known;
  }

  /** Size in bytes, checksum included; the minimum size until the header is read. */
  get size(): number {
    return this.stated ?? MAGIC_AND_LENGTH + (this.facts.checksums ? CHECKSUM_LENGTH : 0);
  }

  /** @throws {CFileError} as opening a file */
  async load(source: ByteSource, { signal }: ReadOptions = {}): Promise<CFileHeader> {
    if (this.known === undefined) {
      const { path, fileSize } = this.facts;
      await this.read(new FileWindow(source, path, fileSize, signal));
    }
    return this.content;
  }

  /** Parses the header from the file's first bytes, if they include all of it. */
  take(start: Uint8Array): void {
    if (this.known !== undefined || start.length < MAGIC_AND_LENGTH) {
      return;
    }
    const { length, size } = this.frame(start);
    if (size <= start.length) {
      this.keep(start.slice(0, size), length);
    }
  }

  async read(head: FileWindow): Promise<void> {
    const start = await head.bytes(0, MAGIC_AND_LENGTH, "header magic", HEAD_READ);
    const { length, size } = this.frame(start);
    this.keep(await head.bytes(0, size, "header"), length);
  }

  private frame(start: Uint8Array): { readonly length: number; readonly size: number } {
    const { path, fileSize, version: expected, checksums, limits } = this.facts;
    const version = versionOfMagic(start, 0);
    const place = { path, offset: 0, field: "header magic" };
    if (version === undefined) {
      throw corrupt("file does not start with the magic of a CFile", place);
    }
    if (version !== expected) {
      throw mismatch("header and footer have different versions", expected, version, place);
    }
    const length = u32le(start, 8);
    const size = MAGIC_AND_LENGTH + length + (checksums ? CHECKSUM_LENGTH : 0);
    checkLength(length, limits, { size, fileSize }, { path, offset: 8, field: "header length" });
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

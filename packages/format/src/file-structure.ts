/**
 * Opening a file (specification 3.4): the footer is read first, then the header; both are checked before
 * anything else is believed.
 */
import {
  type BlockLocation,
  CFileError,
  type CFileErrorCode,
  type CFileErrorDetails,
  corrupt,
  crc32c,
  type Limits,
  withErrorContext,
} from "@cfile/bytes";
import type { CodecSet } from "@cfile/compression";
import { DATA_TYPES, type EncodingType, encodingsOf, resolveEncoding } from "@cfile/encodings";
import { type ByteSource, readExactly, sizeOf } from "@cfile/io";
import type { Kernels } from "@cfile/kernels";
import { type BlockWrapping, CHECKSUM_LENGTH } from "./block-wrapper.js";
import { type CFileFooter, decodeFooter, hasChecksums, interpretFooter } from "./footer.js";
import { type CFileHeader, parseHeader } from "./header.js";
import { MAGIC_AND_LENGTH, versionOfMagic } from "./magic.js";

/** What header and footer say, checked. */
export interface FileStructure {
  readonly path: string;
  /** Bytes of the whole file. */
  readonly fileSize: number;
  readonly header: CFileHeader;
  readonly footer: CFileFooter;
  /** The footer's encoding, AUTO resolved. */
  readonly encoding: EncodingType;
  readonly wrapping: BlockWrapping;
  /** Byte range of header (from 0) and footer (to the end), their checksums included. */
  readonly headerRange: BlockLocation;
  readonly footerRange: BlockLocation;
}

export interface StructureReadOptions {
  readonly limits: Limits;
  readonly codecs: CodecSet;
  readonly verifyChecksums: boolean;
  readonly kernels?: Kernels | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One read of the file's end usually brings the whole footer. */
const TAIL_READ = 4096;
/** Magic, length, protobuf and checksum of nearly every header. */
const HEAD_READ = 512;

export async function readFileStructure(
  source: ByteSource,
  options: StructureReadOptions,
): Promise<FileStructure> {
  const path = source.name;
  const { limits, signal } = options;
  const fileSize = await sizeOf(source, { signal });
  if (fileSize <= MAGIC_AND_LENGTH) {
    throw fail("E_TRUNCATED", `a file of ${fileSize} bytes is too short to be a CFile`, {
      path,
      field: "file size",
    });
  }
  const tail = new FileWindow(source, path, fileSize, signal);
  await tail.load(Math.max(0, fileSize - TAIL_READ), Math.min(fileSize, TAIL_READ), "footer");
  const footerFrame = await readFooterFrame(tail, fileSize, limits);
  const footerPlace = { path, offset: footerFrame.protobufStart };
  const message = withErrorContext(footerPlace, () => decodeFooter(footerFrame.protobuf));
  const checksums = hasChecksums(message);
  if (checksums && options.verifyChecksums) {
    const at = footerFrame.protobufStart - CHECKSUM_LENGTH;
    checkCrc(
      await tail.bytes(at, fileSize - at, "footer"),
      CHECKSUM_LENGTH,
      undefined,
      path,
      at,
      "footer checksum",
    );
  }
  const footer = withErrorContext(footerPlace, () => interpretFooter(message));
  const head = tail.contains(0) ? tail : new FileWindow(source, path, fileSize, signal);
  const { header, headerLength } = await readHeader(head, fileSize, checksums, footerFrame.version, options);
  const footerStart = footerFrame.protobufStart - (checksums ? CHECKSUM_LENGTH : 0);
  if (headerLength > footerStart) {
    throw corrupt("header and footer overlap", { path, offset: footerStart, field: "header length" });
  }
  const compression = footer.compression ?? "NO_COMPRESSION";
  return {
    path,
    fileSize,
    header,
    footer,
    encoding: usableEncoding(footer, path),
    wrapping: {
      version: header.version,
      checksums,
      codec: compression === "NO_COMPRESSION" ? undefined : options.codecs[compression],
      kernels: options.kernels,
    },
    headerRange: { offset: 0, size: headerLength },
    footerRange: { offset: footerStart, size: fileSize - footerStart },
  };
}

/** A part of the file held in memory; asks the source again only for what it does not hold. */
class FileWindow {
  private start = 0;
  private held: Uint8Array = new Uint8Array(0);
  private readonly source: ByteSource;
  readonly path: string;
  private readonly fileSize: number;
  private readonly signal: AbortSignal | undefined;

  constructor(source: ByteSource, path: string, fileSize: number, signal: AbortSignal | undefined) {
    this.source = source;
    this.path = path;
    this.fileSize = fileSize;
    this.signal = signal;
  }

  contains(offset: number): boolean {
    return offset >= this.start && offset < this.start + this.held.length;
  }

  async load(offset: number, length: number, field: string): Promise<void> {
    this.held = await readExactly(this.source, offset, length, { signal: this.signal, field });
    this.start = offset;
  }

  async bytes(offset: number, length: number, field: string, readAhead = length): Promise<Uint8Array> {
    if (offset < this.start || offset + length > this.start + this.held.length) {
      await this.load(offset, Math.min(Math.max(length, readAhead), this.fileSize - offset), field);
    }
    return this.held.subarray(offset - this.start, offset - this.start + length);
  }
}

async function readFooterFrame(tail: FileWindow, fileSize: number, limits: Limits) {
  const { path } = tail;
  const at = fileSize - MAGIC_AND_LENGTH;
  const end = await tail.bytes(at, MAGIC_AND_LENGTH, "footer magic");
  const version = versionOfMagic(end, 0);
  if (version === undefined) {
    throw corrupt("this is not a CFile: it does not end in a CFile's magic", {
      path,
      offset: at,
      field: "footer magic",
    });
  }
  const length = u32le(end, 8);
  checkLength(length, limits, path, fileSize - 4, "footer length");
  if (fileSize < length + MAGIC_AND_LENGTH + CHECKSUM_LENGTH) {
    throw fail("E_TRUNCATED", `a footer of ${length} bytes does not fit into a file of ${fileSize}`, {
      path,
      offset: fileSize - 4,
      field: "footer length",
      actual: length,
    });
  }
  const protobufStart = at - length;
  return { version, protobufStart, protobuf: await tail.bytes(protobufStart, length, "footer") };
}

async function readHeader(
  head: FileWindow,
  fileSize: number,
  checksums: boolean,
  footerVersion: number,
  { limits, verifyChecksums }: StructureReadOptions,
): Promise<{ header: CFileHeader; headerLength: number }> {
  const { path } = head;
  const start = await head.bytes(0, MAGIC_AND_LENGTH, "header magic", HEAD_READ);
  const version = versionOfMagic(start, 0);
  if (version === undefined) {
    throw corrupt("the file does not start with a CFile's magic", { path, offset: 0, field: "header magic" });
  }
  if (version !== footerVersion) {
    throw corrupt(`the header is of version ${version}, the footer of version ${footerVersion}`, {
      path,
      offset: 0,
      field: "header magic",
    });
  }
  const length = u32le(start, 8);
  checkLength(length, limits, path, 8, "header length");
  const headerLength = MAGIC_AND_LENGTH + length + (checksums ? CHECKSUM_LENGTH : 0);
  if (fileSize <= headerLength) {
    throw fail("E_TRUNCATED", `a header of ${length} bytes does not fit into a file of ${fileSize}`, {
      path,
      offset: 8,
      field: "header length",
      actual: length,
    });
  }
  const whole = await head.bytes(0, headerLength, "header");
  if (checksums && verifyChecksums) {
    checkCrc(whole, 0, headerLength - CHECKSUM_LENGTH, path, 0, "header checksum");
  }
  const protobuf = whole.subarray(MAGIC_AND_LENGTH, MAGIC_AND_LENGTH + length);
  const header = withErrorContext({ path, offset: MAGIC_AND_LENGTH }, () => parseHeader(protobuf, version));
  return { header, headerLength };
}

/** Compares the CRC of `bytes[coveredStart..coveredEnd)`, stored before or after that range. */
function checkCrc(
  bytes: Uint8Array,
  coveredStart: number,
  coveredEnd: number | undefined,
  path: string,
  fileOffset: number,
  field: string,
): void {
  const stored = u32le(bytes, coveredEnd ?? 0);
  const actual = crc32c(bytes, coveredStart, coveredEnd ?? bytes.length);
  if (stored !== actual) {
    throw fail("E_CHECKSUM", `the ${field} does not match`, {
      path,
      offset: fileOffset + (coveredEnd ?? 0),
      field,
      expected: `0x${stored.toString(16).padStart(8, "0")}`,
      actual: `0x${actual.toString(16).padStart(8, "0")}`,
    });
  }
}

function usableEncoding(footer: CFileFooter, path: string): EncodingType {
  const encoding = resolveEncoding(footer.dataType, footer.encoding);
  if (encoding === undefined) {
    const supported = encodingsOf(DATA_TYPES[footer.dataType].physical).join(", ");
    throw fail(
      "E_UNSUPPORTED",
      `${footer.dataType} columns have no ${footer.encoding}; they have ${supported}`,
      {
        path,
        field: "encoding",
        actual: footer.encoding,
      },
    );
  }
  return encoding;
}

function checkLength(length: number, limits: Limits, path: string, offset: number, field: string): void {
  if (length > limits.maxMetadataSize) {
    throw fail("E_LIMIT", `${field} is ${length}, maxMetadataSize is ${limits.maxMetadataSize}`, {
      path,
      offset,
      field,
      expected: limits.maxMetadataSize,
      actual: length,
    });
  }
}

function fail(code: CFileErrorCode, reason: string, details: CFileErrorDetails): CFileError {
  return new CFileError(code, reason, details);
}

function u32le(bytes: Uint8Array, position: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + position, 4).getUint32(0, true);
}

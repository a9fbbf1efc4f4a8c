/**
 * Reads footer and header of a file (docs/spec/cfile.md#34-reading). The footer is read first, the header immediately after it or
 * later. Their checksums are verified before any of their values is used.
 */
import { type BlockLocation, CFileError, corrupt, type Limits, withErrorContext } from "@cfile/bytes";
import { type CodecSet, type CompressionType, type Expander, loadExpander } from "@cfile/compression";
import {
  DATA_TYPES,
  type DecodingTable,
  type EncodingType,
  encodingsOf,
  resolveEncoding,
} from "@cfile/encodings";
import { type ByteSource, sizeOf } from "@cfile/io";
import type { DecodeKernels } from "@cfile/kernels";
import { type BlockWrapping, CHECKSUM_LENGTH, u32le } from "../blocks/block-wrapper.js";
import { FileHeader } from "./file-header.js";
import { type CFileFooter, decodeFooter, hasChecksums, interpretFooter } from "./footer.js";
import { checkCrc, checkLength, FileWindow } from "./framed-part.js";
import type { CFileHeader } from "./header.js";
import { MAGIC_AND_LENGTH, versionOfMagic } from "./magic.js";

/** The contents of header and footer, checked. */
export interface FileStructure {
  readonly path: string;
  /** Size of the file in bytes. */
  readonly fileSize: number;
  /** Loads the header. */
  readonly head: FileHeader;
  /** The last bytes of the file, as read with the footer; often with the root of an index. */
  readonly tail: FileWindow;
  /** The header's content; throws `E_INVALID_ARGUMENT` until it is read. */
  readonly header: CFileHeader;
  readonly footer: CFileFooter;
  /** The footer's encoding, with AUTO resolved. */
  readonly encoding: EncodingType;
  readonly wrapping: BlockWrapping;
  /** Byte ranges, including checksums. The header's range is the minimum until the header is read. */
  readonly headerRange: BlockLocation;
  readonly footerRange: BlockLocation;
}

/** Options for reading the footer and header. */
export interface StructureReadOptions {
  readonly limits: Limits;
  /** Codecs to decompress blocks with. Default: the built-in ones. */
  readonly codecs?: CodecSet | undefined;
  /** Supported encodings. Default: Kudu's. */
  readonly encodings?: DecodingTable | undefined;
  readonly verifyChecksums: boolean;
  readonly kernels?: DecodeKernels | undefined;
  /** Whether to read the header immediately or later if the read of the footer does not include it. Default `"read"`. */
  readonly header?: "read" | "later" | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One read of the end of the file usually includes the whole footer. */
const TAIL_READ = 4096;

/**
 * Reads and checks footer and header.
 *
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`, `E_CHECKSUM`, `E_UNSUPPORTED` or `E_LIMIT`, with offset and field; `E_IO`
 */
export async function readFileStructure(
  source: ByteSource,
  options: StructureReadOptions,
): Promise<FileStructure> {
  const path = source.name;
  const { limits, signal, verifyChecksums } = options;
  const fileSize = await sizeOf(source, { signal });
  if (fileSize <= MAGIC_AND_LENGTH) {
    const reason = `file of ${fileSize} bytes is too short to be a CFile`;
    throw new CFileError("E_TRUNCATED", reason, { path, field: "file size" });
  }
  const tail = new FileWindow(source, path, fileSize, signal);
  await tail.load(Math.max(0, fileSize - TAIL_READ), Math.min(fileSize, TAIL_READ), "footer");
  const { version, protobufStart, protobuf } = await readFooterFrame(tail, fileSize, limits);
  const context = { path, offset: protobufStart };
  const message = withErrorContext(context, () => decodeFooter(protobuf));
  const checksums = hasChecksums(message);
  const footerStart = protobufStart - (checksums ? CHECKSUM_LENGTH : 0);
  if (checksums && verifyChecksums) {
    const covered = await tail.bytes(footerStart, fileSize - footerStart, "footer");
    checkCrc(covered, 0, { path, offset: footerStart, field: "footer checksum" });
  }
  const footer = withErrorContext(context, () => interpretFooter(message));
  const head = new FileHeader({ path, fileSize, version, checksums, footerStart, limits, verifyChecksums });
  if (tail.contains(0)) {
    await head.read(tail);
  } else if (options.header !== "later") {
    await head.load(source, { signal });
  }
  const codec = await expanderFor(footer.compression, options);
  return {
    path,
    fileSize,
    head,
    tail,
    get header() {
      return head.content;
    },
    footer,
    encoding: usableEncoding(footer, path, options.encodings),
    wrapping: { version, checksums, codec, kernels: options.kernels },
    get headerRange() {
      return { offset: 0, size: head.size };
    },
    footerRange: { offset: footerStart, size: fileSize - footerStart },
  };
}

async function expanderFor(
  compression: CompressionType | undefined,
  { codecs, kernels }: StructureReadOptions,
): Promise<Expander | undefined> {
  if (compression === undefined || compression === "NO_COMPRESSION") {
    return undefined;
  }
  if (codecs === undefined) {
    return loadExpander(compression, kernels);
  }
  // Without type checks, a caller can pass fewer codecs; the blocks must then not be read as uncompressed.
  if (!Object.hasOwn(codecs, compression)) {
    throw new CFileError("E_UNSUPPORTED", `no codec for ${compression}`, { field: "compression" });
  }
  return codecs[compression];
}

async function readFooterFrame(tail: FileWindow, fileSize: number, limits: Limits) {
  const { path } = tail;
  const at = fileSize - MAGIC_AND_LENGTH;
  const end = await tail.bytes(at, MAGIC_AND_LENGTH, "footer magic");
  const version = versionOfMagic(end, 0);
  if (version === undefined) {
    const reason = "not a CFile: it does not end with the magic of a CFile";
    throw corrupt(reason, { path, offset: at, field: "footer magic" });
  }
  const length = u32le(end, 8);
  const place = { path, offset: fileSize - 4, field: "footer length" };
  checkLength(length, limits, { size: length + MAGIC_AND_LENGTH + CHECKSUM_LENGTH - 1, fileSize }, place);
  const protobufStart = at - length;
  return { version, protobufStart, protobuf: await tail.bytes(protobufStart, length, "footer") };
}

function usableEncoding(
  footer: CFileFooter,
  path: string,
  encodings: DecodingTable | undefined,
): EncodingType {
  const encoding = resolveEncoding(footer.dataType, footer.encoding, encodings);
  if (encoding === undefined) {
    const supported = encodingsOf(DATA_TYPES[footer.dataType].physical, encodings).join(", ");
    const reason = `${footer.dataType} columns do not support ${footer.encoding} (supported: ${supported})`;
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: "encoding", actual: footer.encoding });
  }
  return encoding;
}

/**
 * Page headers (docs/spec/parquet.md#2-page-header): a thrift struct right before the page's bytes.
 *
 * | field | meaning |
 * | --- | --- |
 * | 1 | kind: 0 data (v1), 1 index, 2 dictionary, 3 data (v2) |
 * | 2, 3 | bytes of the page uncompressed and as stored |
 * | 4 | CRC-32 of the stored bytes, optional |
 * | 5, 7, 8 | details of data pages v1, dictionary pages and data pages v2; details of data pages have optional statistics |
 */
import { type ByteReader, corrupt } from "@cfile/bytes";
import { choosePageKernels } from "@cfile/kernels/pages";
import { Encodings } from "hyparquet/src/constants.js";
import { readStruct, type ThriftStruct } from "../schema/thrift-struct.js";

export interface PageHeader {
  readonly kind: "data-v1" | "data-v2" | "dictionary" | "other";
  readonly uncompressedSize: number;
  readonly storedSize: number;
  /** CRC-32 of the stored bytes; `undefined` if missing. */
  readonly crc: number | undefined;
  /** Values and nulls of a data page; entries of a dictionary. */
  readonly valueCount: number;
  /** Encoding of the values; its number if unknown. */
  readonly encoding: string;
  /** v1: encodings of the levels. */
  readonly definitionEncoding: string;
  readonly repetitionEncoding: string;
  /** v2. */
  readonly rowCount: number | undefined;
  readonly nullCount: number | undefined;
  readonly definitionBytes: number;
  readonly repetitionBytes: number;
  readonly isCompressed: boolean;
  /** Minimum and maximum in the statistics, if they have 4 or 8 bytes each. */
  readonly bounds?: PageBounds | undefined;
}

/** PLAIN values. */
interface PageBounds {
  readonly least: Uint8Array;
  readonly most: Uint8Array;
}

const FIELD = "page header";
const KINDS = ["data-v1", "other", "dictionary", "data-v2"] as const;
/** ID of the field with the details of each kind. */
const DETAILS = { "data-v1": 5, other: 6, dictionary: 7, "data-v2": 8 } as const;

/**
 * Reads the header at the reader's position.
 * @throws {CFileError} `E_TRUNCATED` when the bytes end inside; `E_CORRUPT` for an invalid header
 */
export function readPageHeader(reader: ByteReader): PageHeader {
  const offset = reader.position;
  const fields = readStruct(reader, FIELD);
  const number = (struct: ThriftStruct, id: number, name: string): number => {
    const value = struct.get(id);
    if (typeof value !== "number" || value < 0) {
      throw corrupt(`invalid ${name} of a page: ${String(value)}`, { offset, field: name });
    }
    return value;
  };
  const type = number(fields, 1, "page type");
  const kind = KINDS[type] ?? "other";
  const crc = fields.get(4);
  const header = {
    kind,
    uncompressedSize: number(fields, 2, "uncompressed page size"),
    storedSize: number(fields, 3, "compressed page size"),
    crc: typeof crc === "number" ? crc >>> 0 : undefined,
    valueCount: 0,
    encoding: "PLAIN",
    definitionEncoding: "RLE",
    repetitionEncoding: "RLE",
    rowCount: undefined,
    nullCount: undefined,
    definitionBytes: 0,
    repetitionBytes: 0,
    isCompressed: true,
  };
  if (kind === "other") {
    return header;
  }
  const details = fields.get(DETAILS[kind]);
  const hasOthers = Object.values(DETAILS).some((id) => id !== DETAILS[kind] && fields.has(id));
  if (!(details instanceof Map) || hasOthers) {
    throw corrupt(`page header does not fit page type ${type}`, { offset, field: FIELD });
  }
  const detail = (id: number, name: string): number => number(details, id, name);
  const encodingOf = (id: number, name: string): string => {
    const encoding = detail(id, name);
    return Encodings[encoding] ?? String(encoding);
  };
  const valueCount = detail(1, "number of values");
  if (kind !== "data-v2") {
    return {
      ...header,
      valueCount,
      encoding: encodingOf(2, "encoding"),
      ...(kind === "data-v1" && {
        definitionEncoding: encodingOf(3, "definition level encoding"),
        repetitionEncoding: encodingOf(4, "repetition level encoding"),
        bounds: boundsOf(details.get(5)),
      }),
    };
  }
  return {
    ...header,
    valueCount,
    nullCount: detail(2, "number of nulls"),
    rowCount: detail(3, "number of rows"),
    encoding: encodingOf(4, "encoding"),
    definitionBytes: detail(5, "definition level length"),
    repetitionBytes: detail(6, "repetition level length"),
    isCompressed: details.get(7) !== false,
    bounds: boundsOf(details.get(8)),
  };
}

/** Fields 5 and 6 of the statistics, or 1 and 2 of old writers. */
function boundsOf(statistics: ReturnType<ThriftStruct["get"]>): PageBounds | undefined {
  if (!(statistics instanceof Map)) {
    return undefined;
  }
  const [least, most] = [statistics.get(6) ?? statistics.get(2), statistics.get(5) ?? statistics.get(1)];
  return least instanceof Uint8Array && most instanceof Uint8Array && isWidth(least) && isWidth(most)
    ? { least, most }
    : undefined;
}

const isWidth = ({ length }: Uint8Array): boolean => length === 4 || length === 8;

/** CRC-32 (the one of gzip) of the bytes stored after a header (docs/spec/parquet.md#9-page-crc). */
export function pageCrc(stored: Uint8Array): number {
  return choosePageKernels().crc32(stored) >>> 0;
}

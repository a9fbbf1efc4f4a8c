/** Reads pages that the walk found, as pages of a column: finds their codec, and requires that their bytes fit exactly. */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import type { CompressionCodec } from "hyparquet";
import { type DataPage, readDataPage } from "../pages/data-page.js";
import { type LeafValues, leafWidth, plainValues } from "../pages/leaf-values.js";
import type { PageDecompressors, PageExpander } from "../pages/page-codec.js";
import { PageCodecs } from "../pages/page-codecs.js";
import type { Leaf } from "../schema/leaf-schema.js";
import type { PagePart } from "../walk/file-part.js";
import { isCoded, mayFit } from "./page-fit.js";

/** A page read as part of a column. */
export interface ReadPage {
  readonly data: DataPage;
  readonly codec: CompressionCodec;
}

/** Replaces a lost dictionary, so that levels and codes of a page can still be counted. */
const ANY_WORDS: LeafValues = /* @__PURE__ */ Object.freeze({
  kind: "fixed",
  length: 2 ** 32,
  width: 0,
  bytes: new Uint8Array(0),
});

/** Codecs whose pages other codecs almost never expand to the stated size. */
const RECOGNIZED: readonly CompressionCodec[] = ["SNAPPY", "GZIP", "ZSTD"];

export class PageStore {
  readonly codecs: PageCodecs;
  private readonly source: ByteSource;
  private readonly signal: AbortSignal | undefined;
  private readonly expected: readonly (CompressionCodec | undefined)[];
  /** Codecs of the pages that were read. */
  private readonly known = new Map<string, CompressionCodec>();
  private words: { readonly key: string; readonly values: LeafValues | CFileError } | undefined;

  /** @param expected codec of each leaf, where it is known */
  constructor(
    source: ByteSource,
    expected: readonly (CompressionCodec | undefined)[],
    options: { decompressors?: PageDecompressors | undefined; signal?: AbortSignal | undefined },
  ) {
    this.source = source;
    this.expected = expected;
    this.signal = options.signal;
    this.codecs = new PageCodecs(options.decompressors);
  }

  /** The codec to expect for a column whose pages do not show it. */
  usualCodec({ index }: Leaf): CompressionCodec {
    return this.expected[index] ?? this.codecs.usual() ?? "UNCOMPRESSED";
  }

  /** The stored bytes of a page. */
  stored({ offset, headerSize, header }: PagePart): Promise<Uint8Array> {
    return readExactly(this.source, offset + headerSize, header.storedSize, { signal: this.signal });
  }

  /**
   * A data page of a column.
   * @param dictionary `undefined` if it is lost: then only levels and codes are read
   * @param codec of its chunk, if known
   * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` if the page does not belong to this column; `E_UNSUPPORTED` for LZO
   */
  async page(
    part: PagePart,
    leaf: Leaf,
    dictionary: PagePart | undefined,
    codec?: CompressionCodec,
  ): Promise<ReadPage> {
    const { header } = part;
    if (!mayFit(header, leaf)) {
      throw corrupt(`page does not fit ${leaf.path}`, { offset: part.offset, field: "page header" });
    }
    const words =
      isCoded(header) && dictionary !== undefined
        ? await this.dictionary(dictionary, leaf, codec)
        : ANY_WORDS;
    const stored = await this.stored(part);
    return this.withCodec(part, stored, { leaf, codec }, (expand) => {
      if (header.kind === "data-v1") {
        const body = expand(stored, header.uncompressedSize);
        const data = readDataPage(body, { header, leaf, words }, (bytes) => bytes);
        requireExact(header.encoding, data, body.length - levelBytes(body, header, leaf), leaf);
        return data;
      }
      const data = readDataPage(stored, { header, leaf, words }, expand);
      const levels = header.definitionBytes + header.repetitionBytes;
      requireExact(header.encoding, data, header.uncompressedSize - levels, leaf);
      return data;
    });
  }

  /** Whether any codec decompresses the page. */
  async opens(part: PagePart): Promise<boolean> {
    const { header } = part;
    const stored = await this.stored(part);
    const levels = header.kind === "data-v2" ? header.definitionBytes + header.repetitionBytes : 0;
    for (const codec of this.codecs.candidates(header, stored)) {
      try {
        (await this.codecs.expander(codec))(stored.subarray(levels), header.uncompressedSize - levels);
        return true;
      } catch (error) {
        if (!(error instanceof CFileError)) {
          throw error;
        }
      }
    }
    return false;
  }

  /** The values of a dictionary page. @throws {CFileError} as {@link page} */
  async dictionary(part: PagePart, leaf: Leaf, codec?: CompressionCodec): Promise<LeafValues> {
    const key = `${part.offset} ${leaf.type} ${leafWidth(leaf)} ${codec}`;
    if (this.words?.key !== key) {
      this.words = { key, values: await this.readDictionary(part, leaf, codec) };
    }
    const { values } = this.words;
    if (values instanceof CFileError) {
      throw values;
    }
    return values;
  }

  /** The codec that decompresses a page of a column. @throws {CFileError} as {@link page} */
  async codecOf(part: PagePart, leaf: Leaf): Promise<CompressionCodec> {
    const found = this.known.get(keyOf(part.offset, leaf));
    if (found !== undefined) {
      return found;
    }
    if (part.header.kind !== "dictionary") {
      return (await this.page(part, leaf, undefined)).codec;
    }
    const stored = await this.stored(part);
    const size = part.header.uncompressedSize;
    const known = { leaf, codec: undefined };
    return (await this.withCodec(part, stored, known, (expand) => expand(stored, size))).codec;
  }

  private async readDictionary(
    part: PagePart,
    leaf: Leaf,
    codec: CompressionCodec | undefined,
  ): Promise<LeafValues | CFileError> {
    const { header, offset } = part;
    try {
      if (!mayFit(header, leaf)) {
        throw corrupt(`dictionary does not fit ${leaf.path}`, { offset, field: "page header" });
      }
      const stored = await this.stored(part);
      const read = await this.withCodec(part, stored, { leaf, codec }, (expand) => {
        const reader = new ByteReader(expand(stored, header.uncompressedSize));
        const values = plainValues(reader, header.valueCount, leafWidth(leaf));
        if (reader.remaining > 0) {
          throw corrupt(`${reader.remaining} bytes after the dictionary`, {
            offset,
            field: "dictionary page",
          });
        }
        return values;
      });
      return read.data;
    } catch (error) {
      if (error instanceof CFileError && error.code !== "E_IO") {
        return error;
      }
      throw error;
    }
  }

  private async withCodec<T>(
    { header, offset }: PagePart,
    stored: Uint8Array,
    known: { readonly leaf: Leaf; readonly codec: CompressionCodec | undefined },
    read: (expand: PageExpander) => T,
  ): Promise<{ readonly data: T; readonly codec: CompressionCodec }> {
    let first: CFileError | undefined;
    const { leaf, codec: only } = known;
    const candidates =
      only === undefined ? this.codecs.candidates(header, stored, this.expected[leaf.index]) : [only];
    for (const codec of candidates) {
      const expand = await this.codecs.expander(codec);
      let isExpanded = false;
      try {
        const data = read((bytes, size) => {
          const expanded = expand(bytes, size);
          isExpanded = true;
          return expanded;
        });
        this.codecs.found(codec);
        this.known.set(keyOf(offset, leaf), codec);
        return { data, codec };
      } catch (error) {
        if (!(error instanceof CFileError)) {
          throw error;
        }
        first ??= error;
        if (isExpanded && RECOGNIZED.includes(codec)) {
          break;
        }
      }
    }
    throw (first ?? corrupt("page has an unknown codec", { field: "page" })).within({
      path: this.source.name,
      block: { offset, size: 0 },
    });
  }
}

function keyOf(offset: number, { type, maxDefinition, maxRepetition }: Leaf): string {
  return `${offset} ${type} ${maxDefinition} ${maxRepetition}`;
}

/** Bytes before the values of a v1 page. */
function levelBytes(
  body: Uint8Array,
  { valueCount, definitionEncoding, repetitionEncoding }: PagePart["header"],
  { maxDefinition, maxRepetition }: Leaf,
): number {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const sizeOf = (at: number, maximum: number, encoding: string): number => {
    if (maximum === 0) {
      return 0;
    }
    const width = 32 - Math.clz32(maximum);
    return encoding === "RLE" ? 4 + view.getUint32(at, true) : Math.ceil((valueCount * width) / 8);
  };
  const repetitions = sizeOf(0, maxRepetition, repetitionEncoding);
  return repetitions + sizeOf(repetitions, maxDefinition, definitionEncoding);
}

/** Readers tolerate bytes after PLAIN values; here they mean that the page belongs to another column. */
function requireExact(encoding: string, { values }: DataPage, bytes: number, leaf: Leaf): void {
  const width = leafWidth(leaf);
  const size =
    values.kind === "binary"
      ? 4 * values.length + (values.offsets[values.length] as number)
      : width === 0
        ? Math.ceil(values.length / 8)
        : (width ?? 0) * values.length;
  if (encoding === "PLAIN" && size !== bytes) {
    const reason = `page has ${bytes} bytes of values (expected ${size} for ${leaf.path})`;
    throw corrupt(reason, { field: "values", actual: bytes, expected: size });
  }
}

/**
 * The tags of a cell in a block of the encodings PREFIX, DIFF and FAST_DIFF (docs/spec/hfile.md#132-hbase-261s-writer), after the value:
 *
 * | size | field |
 * | --- | --- |
 * | varint | length n of the tags when decoded |
 * | n | the tags, as in an ordinary block |
 *
 * If the file info says that tags are compressed, each tag of a cell is either new or occurred earlier in the block:
 *
 * | size | field of a tag |
 * | --- | --- |
 * | 1 | 0xff: new |
 * | varint, m | length of type and value; type and value |
 * | 2 | otherwise: number of the tag in the dictionary, big-endian |
 *
 * A dictionary of 127 tags begins empty in each block. When it is full, a new tag gets the number of the tag that was used least recently.
 */
import type { ByteReader } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { mismatch } from "../blocks/mismatch.js";
import type { CellLayout } from "../cells/cell-batch.js";

const NEW_TAG = 0xff;
const DICTIONARY_TAGS = 127;
const MAX_TAGS = 0xffff;

/** Decodes the tags of a block's cells, in order. */
export class TagDecoder {
  private readonly reader: ByteReader;
  private readonly append: (bytes: Uint8Array, field: string) => void;
  private readonly isCompressed: boolean;
  /** Tags by number: type and value. */
  private readonly tags: Uint8Array[] = [];
  /** Numbers of the tags, most recently used last. */
  private readonly used = new Set<number>();

  /** @param append receives the parts of a cell's tags, as in an ordinary block */
  constructor(
    reader: ByteReader,
    { tagsCompressed = false }: CellLayout,
    append: (bytes: Uint8Array, field: string) => void,
  ) {
    this.reader = reader;
    this.append = append;
    this.isCompressed = tagsCompressed;
  }

  /** Decodes the tags of the next cell. @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
  next(): void {
    const { reader, append } = this;
    const length = readVarint32(reader, "tags length");
    if (length > MAX_TAGS) {
      throw mismatch("tags length", reader.position, `at most ${MAX_TAGS}`, length);
    }
    append(twoBytes(length), "tags length");
    if (!this.isCompressed) {
      append(reader.take(length, "tags"), "tags");
      return;
    }
    let left = length;
    while (left > 0) {
      const tag = this.nextTag();
      left -= 2 + tag.length;
      if (left < 0) {
        throw mismatch("tags length", reader.position, length, length - left);
      }
      append(twoBytes(tag.length), "tag length");
      append(tag, "tag");
    }
  }

  private nextTag(): Uint8Array {
    const { reader, tags, used } = this;
    const first = reader.u8("tag");
    if (first === NEW_TAG) {
      const tag = reader.take(readVarint32(reader, "tag length"), "tag");
      const number = tags.length < DICTIONARY_TAGS ? tags.length : leastRecent(used);
      tags[number] = tag;
      this.use(number);
      return tag;
    }
    const number = (first << 8) | reader.u8("tag");
    const tag = tags[number];
    if (tag === undefined) {
      throw mismatch("tag number", reader.position, `below ${tags.length}`, number);
    }
    this.use(number);
    return tag;
  }

  private use(number: number): void {
    this.used.delete(number);
    this.used.add(number);
  }
}

/** The number that was used least recently; the set must not be empty. */
function leastRecent(used: ReadonlySet<number>): number {
  const [number = 0] = used;
  return number;
}

function twoBytes(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value & 0xff);
}

import { commonPrefixLength } from "@cfile/bytes";

/**
 * The key that a value index stores for a block (docs/spec/cfile.md#73-separating-keys): the shortest beginning of its first
 * key that lies after the last key of the block before. Where the two are equal, or `first` is empty, all of `first`.
 *
 * @param last encoded key of the last value of the previous block; empty for the first block
 * @param first encoded key of the block's first value
 */
export function separatingKey(last: Uint8Array, first: Uint8Array): Uint8Array {
  return first.slice(0, commonPrefixLength(last, first) + 1);
}

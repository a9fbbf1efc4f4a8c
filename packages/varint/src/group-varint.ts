/** @module @cfile/varint/group-varint: group varints, and sequences of them. */
export {
  groupVarintLength,
  MAX_GROUP_LENGTH,
  MIN_GROUP_LENGTH,
  readGroupVarint,
  writeGroupVarint,
} from "./groups/group-varint.js";
export { readGroupVarintSequence, writeGroupVarintSequence } from "./groups/group-varint-sequence.js";

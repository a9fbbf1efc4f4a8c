/** @module @cfile/encodings/keys: encoded keys and their order. */

export { findDescent } from "./conditions/ascending.js";
export { type SortedVector, sortedVector } from "./conditions/sorted-vector.js";
export { decodeCompositeKey, encodeCompositeKey } from "./keys/composite-key.js";
export { decodeKey, encodeIntegerKey, encodeKey, encodeVectorKey, type KeyValue } from "./keys/key.js";
export { afterPrefix, keyAfter, lowerBound, separatingKey, upperBound } from "./keys/key-bounds.js";

/** @module @cfile/bloomfile/hash: the hash functions of Kudu: CityHash64, FastHash64, MurmurHash2. */
export { cityHash64, cityHash64Into } from "./hash/city-hash.js";
export { fastHash64, fastHash64Into } from "./hash/fast-hash.js";
export { murmur2Hash64, murmur2Hash64Into } from "./hash/murmur2-hash.js";
export { Word64 } from "./hash/word64.js";

/** @module @cfile/bloomfile/verify: types of Bloom file verification. */
export type { BloomVerifyOptions, BloomVerifyReport } from "./verify/verify-bloom-file.js";

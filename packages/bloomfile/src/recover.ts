/** @module @cfile/bloomfile/recover: what a damaged Bloom file reveals about its filters. */
export { type FoundBloomSizing, findBloomSizing } from "./recover/find-sizing.js";

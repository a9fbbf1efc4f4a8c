/** @module @cfile/hfile/write: write HFiles. */
export { HFileWriter, type WrittenHFile } from "./write/writer.js";
export type { HFileWriterOptions, ResolvedWriterOptions } from "./write/writer-options.js";

/** @module @cfile/format/write: write CFiles and the containers that share their frame. */
export { encodeFooter, encodeHeader } from "./file/frame-encoder.js";
export {
  CFileContainerWriter,
  type FileEnd,
  type RawBlock,
  type WrittenFile,
} from "./write/container-writer.js";
export { type AppendInput, CFileWriter } from "./write/writer.js";
export type { ResolvedWriterOptions, WriterOptions } from "./write/writer-options.js";

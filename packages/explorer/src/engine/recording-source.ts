/** A source that records the byte ranges read. */
import { type ByteRange, type ByteSource, readRanges } from "@cfile/io";

export function recordingSource(source: ByteSource): ByteSource & { readonly reads: ByteRange[] } {
  const reads: ByteRange[] = [];
  return {
    name: source.name,
    reads,
    size: (options) => source.size(options),
    read: (offset, length, options) => {
      reads.push({ offset, length });
      return source.read(offset, length, options);
    },
    readMany: (ranges, options) => {
      reads.push(...ranges);
      return readRanges(source, ranges, options);
    },
  };
}

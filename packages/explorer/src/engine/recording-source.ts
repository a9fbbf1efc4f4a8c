/** A source that remembers which bytes were asked for: what a search touched. */
import { type ByteRange, type ByteSource, readRanges } from "@cfile/io";

export interface RecordingSource extends ByteSource {
  readonly reads: ByteRange[];
}

export function recordingSource(source: ByteSource): RecordingSource {
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

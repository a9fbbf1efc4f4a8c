import type { ByteSource } from "@cfile/io";

/** A source for somebody who closes it when he is done, while others go on reading. */
export function unclosable(source: ByteSource): ByteSource {
  return {
    name: source.name,
    size: (options) => source.size(options),
    read: (offset, length, options) => source.read(offset, length, options),
  };
}

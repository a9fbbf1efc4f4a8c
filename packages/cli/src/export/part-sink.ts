/** Writes the file of a part. Its checksum is computed on the way: reading the file again would take longer. */
import type { ByteSink } from "@cfile/io";
import { fileSink } from "@cfile/io/file";
import { choosePageKernels } from "@cfile/kernels/pages";
import type { JoinedPart } from "./joined-file.js";

export interface PartSink extends ByteSink {
  /** CRC-32 of the bytes so far. */
  readonly checksum: number;
  /** Where the part is, once it is complete, if it is in the joined file. */
  readonly joined?: JoinedPart | undefined;
}

/**
 * @param isFinal whether the part is a file of the result. Other parts are usually joined and removed before they reach the disk, so they
 *   are not synced, and their writes only take the time of a copy: the checksum shows whether one survived a power cut
 */
export async function partSink(path: string, isFinal: boolean): Promise<PartSink> {
  const file = await fileSink(path, { sync: isFinal, blocking: !isFinal });
  let checksum = 0;
  return {
    ...file,
    get checksum() {
      return checksum;
    },
    write: (bytes, owned) => {
      checksum = choosePageKernels().crc32(bytes, checksum) >>> 0;
      return file.write(bytes, owned);
    },
  };
}

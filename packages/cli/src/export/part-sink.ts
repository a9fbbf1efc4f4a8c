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
 * Most parts are joined and removed before they reach the disk, so they are not synced, and their writes only take the time of a copy: the
 * checksum shows whether one survived a power cut. Data files of a table are synced before the table names them.
 */
export async function partSink(path: string): Promise<PartSink> {
  const file = await fileSink(path, { sync: false, blocking: true });
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

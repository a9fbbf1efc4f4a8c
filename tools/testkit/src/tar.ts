/** Tar archives with golden data that consists of many small files, in the POSIX format. */

/** The files of an archive. */
export interface Archive {
  /** Bytes by path, relative to the folder in the archive. */
  readonly files: Map<string, Uint8Array<ArrayBuffer>>;
  /** Modification time of each file, in milliseconds since 1970. */
  readonly times: Map<string, number>;
}

const BLOCK = 512;

/** Unpacks an uncompressed archive of one folder. */
export function unpackTar(bytes: Uint8Array): Archive {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const times = new Map<string, number>();
  const decoder = new TextDecoder();
  const text = (from: number, length: number): string =>
    decoder.decode(bytes.subarray(from, from + length)).replace(/\0[\s\S]*$/, "");
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    const prefix = text(at + 345, 155);
    const path = (prefix === "" ? "" : `${prefix}/`) + text(at, 100);
    if (text(at + 156, 1) === "0") {
      const relative = path.slice(path.indexOf("/") + 1);
      files.set(relative, Uint8Array.from(bytes.subarray(at + BLOCK, at + BLOCK + size)));
      times.set(relative, 1000 * Number.parseInt(text(at + 136, 12), 8));
    }
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return { files, times };
}

/** A file that is read by ranges, and the messages with which a web view reads it. */

export interface RangedFile {
  size(): Promise<number>;
  /** The bytes of a range; fewer at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A read of a range, or of the size without a length; as in the protocol of the explorer. */
export interface ReadMessage {
  readonly id: number;
  readonly file: number;
  readonly offset: number;
  readonly length?: number | undefined;
}

export interface ReadAnswer {
  readonly id: number;
  readonly size?: number;
  readonly bytes?: Uint8Array;
  readonly error?: { readonly code: string; readonly reason: string; readonly position: string };
}

/** Files by number, opened on their first read. */
export class OpenFiles {
  private readonly open: readonly (() => Promise<RangedFile>)[];
  private readonly opened = new Map<number, Promise<RangedFile>>();

  constructor(open: readonly (() => Promise<RangedFile>)[]) {
    this.open = open;
  }

  /** Never rejects: an error is an answer. */
  async answer({ id, file, offset, length }: ReadMessage): Promise<ReadAnswer> {
    try {
      const found = await this.fileOf(file);
      return length === undefined
        ? { id, size: await found.size() }
        : { id, bytes: await found.read(offset, length) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { id, error: { code: "E_IO", reason, position: "" } };
    }
  }

  private fileOf(number: number): Promise<RangedFile> {
    const open = this.open[number];
    if (open === undefined) {
      return Promise.reject(new RangeError(`no file ${number}`));
    }
    const file = this.opened.get(number) ?? open();
    this.opened.set(number, file);
    // The next read opens it again.
    file.catch(() => this.opened.delete(number));
    return file;
  }
}

/** A file whose bytes are all in memory. */
export function wholeFile(bytes: Uint8Array): RangedFile {
  return {
    size: async () => bytes.length,
    read: async (offset, length) => bytes.slice(offset, offset + length),
  };
}

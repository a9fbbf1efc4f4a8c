/** The files of a page, and the messages with which a web view reads them. */
import { CFileError, isCFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";

/** A file that is opened on its first read. */
export interface NamedFile {
  /** Its name, with its folders if there are any. */
  readonly path: string;
  readonly open: () => Promise<ByteSource>;
  /** Whether it is at a URL. */
  readonly isRemote?: boolean;
}

/** A read of a range, or, without a length, of the size; as in the protocol of the explorer. */
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
  private readonly files: readonly NamedFile[];
  private readonly opened = new Map<number, Promise<ByteSource>>();

  constructor(files: readonly NamedFile[]) {
    this.files = files;
  }

  /** Never rejects: an error is an answer. */
  async answer({ id, file, offset, length }: ReadMessage): Promise<ReadAnswer> {
    try {
      const found = await this.fileOf(file);
      return length === undefined
        ? { id, size: await found.size() }
        : { id, bytes: await found.read(offset, length) };
    } catch (error) {
      const { code, reason } = typedError(error);
      return { id, error: { code, reason, position: "" } };
    }
  }

  private fileOf(number: number): Promise<ByteSource> {
    const named = this.files[number];
    if (named === undefined) {
      return Promise.reject(new CFileError("E_NOT_FOUND", `no file ${number}`));
    }
    const file = this.opened.get(number) ?? named.open();
    this.opened.set(number, file);
    // The next read opens it again.
    file.catch(() => this.opened.delete(number));
    return file;
  }
}

/** A `CFileError` unchanged; `E_NOT_FOUND` for a file that the editor does not find; `E_IO` for everything else. */
export function typedError(error: unknown, path?: string): CFileError {
  if (isCFileError(error)) {
    return error;
  }
  const isMissing = error instanceof Error && "code" in error && error.code === "FileNotFound";
  const reason = error instanceof Error ? error.message : String(error);
  return new CFileError(isMissing ? "E_NOT_FOUND" : "E_IO", reason, { path, cause: error });
}

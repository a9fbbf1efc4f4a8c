/** An open file that is only read. */
import { CFileError } from "@cfile/bytes";
import { nodeModule } from "./node-files.js";
import type { SystemCalls } from "./system-calls.js";

/** Closes files that nothing refers to, although they were never closed. */
const forgotten = /* @__PURE__ */ new FinalizationRegistry<number>((fd) => {
  nodeModule("node:fs").close(fd, () => undefined);
});

/**
 * A file by its descriptor. A `FileHandle` is closed on another thread, which takes longer than closing a file
 * without changes.
 */
export class OpenFile {
  readonly fd: number;
  private readonly path: string;
  private users = 0;
  private closing: Promise<void> | undefined;
  private whenUnused: (() => void) | undefined;

  private constructor(fd: number, path: string) {
    this.fd = fd;
    this.path = path;
    forgotten.register(this, fd, this);
  }

  /** @param flags flags of the system call */
  static async open(path: string, flags: number, calls: SystemCalls): Promise<OpenFile> {
    const { open, openSync } = nodeModule("node:fs");
    const fd = await calls.call(
      () => openSync(path, flags),
      (done) => open(path, flags, done),
    );
    return new OpenFile(fd, path);
  }

  /**
   * Runs `action` with the descriptor, which stays valid until it ends.
   *
   * @throws {CFileError} `E_IO` after {@link close}
   */
  async use<T>(action: (fd: number) => Promise<T>): Promise<T> {
    if (this.closing !== undefined) {
      throw new CFileError("E_IO", "cannot read the file: it is closed", { path: this.path });
    }
    this.users++;
    try {
      return await action(this.fd);
    } finally {
      this.users--;
      if (this.users === 0) {
        this.whenUnused?.();
      }
    }
  }

  /** Waits for its users: the system may give the descriptor to another file at once. */
  close(): Promise<void> {
    this.closing ??= this.closeUnused();
    return this.closing;
  }

  private async closeUnused(): Promise<void> {
    if (this.users > 0) {
      await new Promise<void>((resolve) => {
        this.whenUnused = resolve;
      });
    }
    forgotten.unregister(this);
    nodeModule("node:fs").closeSync(this.fd);
  }
}

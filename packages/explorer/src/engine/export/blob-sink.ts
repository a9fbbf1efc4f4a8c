/** A sink into a Blob, whose parts the browser may keep on disk. */
import type { ByteSink } from "@cfile/io";

/** Bytes collected per part. */
const PART_BYTES = 4 * 1024 * 1024;

export class BlobSink implements ByteSink {
  readonly name = "export";
  private readonly type: string;
  private parts: Blob[] = [];
  private pending: Uint8Array<ArrayBuffer>[] = [];
  private pendingBytes = 0;

  constructor(type: string) {
    this.type = type;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.pending.push(new Uint8Array(bytes));
    this.pendingBytes += bytes.length;
    if (this.pendingBytes >= PART_BYTES) {
      this.flush();
    }
  }

  writeText(text: string): Promise<void> {
    return this.write(new TextEncoder().encode(text));
  }

  async close(): Promise<void> {
    this.flush();
  }

  async abort(): Promise<void> {
    this.parts = [];
    this.pending = [];
  }

  blob(): Blob {
    this.flush();
    return new Blob(this.parts, { type: this.type });
  }

  private flush(): void {
    this.parts.push(new Blob(this.pending.splice(0)));
    this.pendingBytes = 0;
  }
}

/**
 * Fetches the beginning of a file as one stream, ahead of the reads. A read inside it waits until its last byte has arrived. If the
 * stream fails or is too far from the read, the read sends its own request.
 */
import { untilAborted } from "../source/until-aborted.js";
import { ArrivedBytes } from "./arrived-bytes.js";
import { contentRange } from "./content-range.js";
import { type FileVersion, versionOf } from "./file-version.js";
import type { RangeRequests } from "./range-requests.js";
import { eachPart, requirePlain } from "./response-body.js";

/** The stream pauses when it is this far ahead of the reads. */
const WINDOW = 16 * 1024 * 1024;

export class HttpPrefetch {
  /** The file that the bytes belong to, once the response has started. */
  file: { readonly size: number | undefined; readonly version: FileVersion } | undefined;
  private readonly length: number;
  private readonly controller = new AbortController();
  private arrived = new ArrivedBytes();
  /** The end of the bytes that reads asked for. */
  private requested = 0;
  private state: "new" | "running" | "ended" = "new";
  /** For each waiting read, the function that lets it continue, and the end of the bytes it needs. */
  private readonly waiting = new Map<() => void, number>();
  private resume: (() => void) | undefined;

  /** @param length maximum number of bytes */
  constructor(length: number) {
    this.length = length;
  }

  /** Starts the stream, once. If it fails, only the prefetch ends: reads then send their own requests. */
  async start({ url, onBytes, send }: RangeRequests): Promise<void> {
    if (this.state !== "new") {
      return;
    }
    this.state = "running";
    const { arrived, length } = this;
    try {
      await send(`bytes=0-${length - 1}`, this.controller.signal, async (response) => {
        requirePlain(response, url);
        const range = contentRange(response, url);
        if (response.status !== 206 || range?.from !== 0 || range.to >= length) {
          return;
        }
        this.file = { size: range.size, version: versionOf(response) };
        await eachPart(response, onBytes, (part) => {
          if (!arrived.append(part, range.to + 1)) {
            return false;
          }
          this.notify();
          return arrived.end <= this.requested + WINDOW || this.pause();
        });
      });
    } catch {
      // Reads report the failure when they send their own requests.
    } finally {
      this.end();
    }
  }

  /** The bytes from the beginning to `end` or beyond, if those from `start` have arrived or soon will; `undefined` otherwise. */
  async read(start: number, end: number, signal: AbortSignal | undefined): Promise<ArrivedBytes | undefined> {
    if (end > this.length || start > this.arrived.end + WINDOW) {
      return undefined;
    }
    this.requested = Math.max(this.requested, end);
    this.resume?.();
    if (end > this.arrived.end && this.state !== "ended") {
      const arrival = new Promise<void>((resolve) => this.waiting.set(resolve, end));
      await untilAborted(arrival, signal);
    }
    return end > this.arrived.end ? undefined : this.arrived;
  }

  /** Ends the stream and releases the bytes. */
  close(): void {
    this.controller.abort();
    this.resume?.();
    this.end();
    this.arrived = new ArrivedBytes();
  }

  private end(): void {
    this.state = "ended";
    this.notify();
  }

  /** Only reads whose bytes have arrived continue: waking the others for every piece would take long. */
  private notify(): void {
    for (const [resolve, end] of this.waiting) {
      if (end <= this.arrived.end || this.state === "ended") {
        this.waiting.delete(resolve);
        resolve();
      }
    }
  }

  private async pause(): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.resume = resolve;
    });
    this.resume = undefined;
    return !this.controller.signal.aborted;
  }
}

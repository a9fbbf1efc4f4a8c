/**
 * The beginning of a file, fetched as one stream ahead of the reads: for callers that read the file from its start. A read
 * inside it waits until its last byte has arrived. A read that cannot be served is a request of its own.
 *
 * | state | reads inside |
 * | --- | --- |
 * | under way | wait, if the stream comes there soon |
 * | all there | are views, or copies where several pieces of the stream meet |
 * | failed | are requests of their own |
 */

import type { ReadOptions } from "../source/byte-source.js";
import { untilAborted } from "../source/until-aborted.js";
import { ArrivedBytes } from "./arrived-bytes.js";
import { contentRange } from "./content-range.js";
import { type FileVersion, versionOf } from "./file-version.js";
import { eachPart, type OnBytes, requirePlain } from "./response-body.js";

/** So far the stream goes ahead of what was asked for last; then it pauses. */
const WINDOW = 16 * 1024 * 1024;

/** The file that the bytes belong to. */
export interface PrefetchedFile {
  readonly size: number | undefined;
  readonly version: FileVersion;
}

export class HttpPrefetch {
  /** Known as soon as bytes are there. */
  file: PrefetchedFile | undefined;
  isStarted = false;
  private readonly length: number;
  private readonly controller = new AbortController();
  private arrived = new ArrivedBytes();
  /** The end of what was asked for so far. */
  private asked = 0;
  private ended = false;
  private announce: (() => void) | undefined;
  /** Settled when more bytes have arrived, or when no more will. */
  private news = this.nextNews();
  private resume: (() => void) | undefined;

  /** @param length maximum number of bytes */
  constructor(length: number) {
    this.length = length;
  }

  /** The `Range` to be asked for; from then on it is started. */
  start(): string {
    this.isStarted = true;
    return `bytes=0-${this.length - 1}`;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Takes the answer to the request; any trouble ends the prefetch and nothing else. */
  async take(response: Response, path: string, onBytes: OnBytes): Promise<void> {
    requirePlain(response, path);
    const range = contentRange(response, path);
    if (response.status !== 206 || range?.from !== 0 || range.to >= this.length) {
      return;
    }
    const { arrived } = this;
    this.file = { size: range.size, version: versionOf(response) };
    await eachPart(response, onBytes, (part, at) => {
      if (at + part.length > range.to + 1) {
        return false;
      }
      arrived.append(part);
      this.tell();
      return arrived.length <= this.asked + WINDOW || this.pause();
    });
  }

  /** Nothing more arrives. */
  end(): void {
    this.ended = true;
    this.tell();
  }

  /** The bytes from `start` to `end`, when they are or soon will be there; they are not when the prefetch ends before. */
  async read(
    start: number,
    end: number,
    { signal, target }: ReadOptions = {},
  ): Promise<Uint8Array | undefined> {
    if (end > this.length || start > this.arrived.length + WINDOW) {
      return undefined;
    }
    this.asked = Math.max(this.asked, end);
    this.resume?.();
    while (end > this.arrived.length && !this.ended) {
      await untilAborted(this.news, signal);
    }
    return end > this.arrived.length ? undefined : this.arrived.between(start, end, target);
  }

  /** Ends the stream and forgets the bytes. */
  close(): void {
    this.controller.abort();
    this.resume?.();
    this.end();
    this.arrived = new ArrivedBytes();
  }

  private nextNews(): Promise<void> {
    return new Promise((resolve) => {
      this.announce = resolve;
    });
  }

  private tell(): void {
    this.announce?.();
    this.news = this.nextNews();
  }

  private async pause(): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.resume = resolve;
    });
    this.resume = undefined;
    return !this.signal.aborted;
  }
}

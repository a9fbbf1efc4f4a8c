/** The body of an answer of Node's client: pieces wait for who reads them, and the connection pauses when too many do. */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { CFileError } from "@cfile/bytes";
import { nodeModule } from "../file/node-files.js";
import { plainBytes } from "../source/byte-source.js";
import type { HttpBody, HttpBodyReader } from "./http-answer.js";

/** So many bytes may wait. */
const MOST_WAITING = 1 << 20;

type Piece = Awaited<ReturnType<HttpBodyReader["read"]>>;

interface Reading {
  readonly resolve: (piece: Piece) => void;
  readonly reject: (error: unknown) => void;
}

export class NodeBody implements HttpBody, HttpBodyReader {
  private readonly stream: Readable;
  private readonly pieces: Uint8Array[] = [];
  private waiting = 0;
  private reading: Reading | undefined;
  /** How it ended: an error, or `null`. */
  private end: unknown;

  /** @param path for errors */
  constructor(stream: Readable, path: string) {
    this.stream = stream;
    stream.on("data", (piece: Uint8Array) => this.take(plainBytes(piece)));
    stream.on("end", () => this.finish(null));
    stream.on("error", (error) => this.finish(error));
    stream.on("close", () => this.finish(brokenOff(path)));
  }

  getReader(): HttpBodyReader {
    return this;
  }

  /** One at a time. */
  read(): Promise<Piece> {
    const value = this.pieces.shift();
    if (value !== undefined) {
      this.waiting -= value.length;
      if (this.waiting < MOST_WAITING) {
        this.stream.resume();
      }
      return Promise.resolve({ done: false, value });
    }
    return new Promise((resolve, reject) => {
      this.reading = { resolve, reject };
      this.settle();
    });
  }

  releaseLock(): void {}

  /** Gives the connection up, unless everything is here. */
  async cancel(): Promise<void> {
    if (this.end === undefined) {
      this.stream.destroy();
    }
  }

  private take(value: Uint8Array): void {
    const { reading } = this;
    if (reading !== undefined) {
      this.reading = undefined;
      reading.resolve({ done: false, value });
      return;
    }
    this.pieces.push(value);
    this.waiting += value.length;
    if (this.waiting >= MOST_WAITING) {
      this.stream.pause();
    }
  }

  private finish(end: unknown): void {
    if (this.end === undefined) {
      this.end = end;
      this.settle();
    }
  }

  private settle(): void {
    const { reading, end } = this;
    if (reading !== undefined && end !== undefined) {
      this.reading = undefined;
      if (end === null) {
        reading.resolve({ done: true });
      } else {
        reading.reject(end);
      }
    }
  }
}

/**
 * The bytes of an answer with a whole file, out of its content coding as `fetch` takes them; a part of a coded file is nothing
 * that could be decoded.
 *
 * @throws CFileError `E_IO` for a coding that is not known
 */
export function plainBody(message: IncomingMessage, path: string): Readable {
  const coding = message.headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (message.statusCode !== 200 || coding === "" || coding === "identity") {
    return message;
  }
  const { createBrotliDecompress, createGunzip, createInflate } = nodeModule("node:zlib");
  const decoders = new Map<string, () => Readable & NodeJS.WritableStream>([
    ["gzip", createGunzip],
    ["x-gzip", createGunzip],
    ["deflate", createInflate],
    ["br", createBrotliDecompress],
  ]);
  const decoder = decoders.get(coding)?.();
  if (decoder === undefined) {
    message.destroy();
    throw new CFileError("E_IO", `the server sent the file in its ${coding} form`, {
      path,
      field: "Content-Encoding",
      actual: coding,
    });
  }
  // Errors are the decoder's too.
  nodeModule("node:stream").pipeline(message, decoder, () => undefined);
  return decoder;
}

/** What ended before it was complete. */
export function brokenOff(path: string): CFileError {
  return new CFileError("E_IO", "the connection broke off", { path, field: "body" });
}

/** Lines of a stream, of bounded length: a longer one is an error, and the next ones are read. */
import type { Readable } from "node:stream";
import { CFileError } from "@cfile/bytes";

export interface InputLine {
  /** From 1. */
  readonly number: number;
  readonly text: string | CFileError;
}

const MAX_BYTES = 64 * 1024 * 1024;
const LINE_END = 0x0a;

/** Skips empty lines. */
export async function* inputLines(
  stream: Readable,
  maxBytes = MAX_BYTES,
): AsyncGenerator<InputLine, void, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const add = (part: Uint8Array): void => {
    length += part.length;
    if (length <= maxBytes) {
      parts.push(part);
    } else {
      parts = [];
    }
  };
  const take = (): InputLine | undefined => {
    const reason = `line too long: ${length} bytes (maximum ${maxBytes})`;
    const text =
      length > maxBytes
        ? new CFileError("E_LIMIT", reason, { path: `line ${number}`, actual: length })
        : Buffer.concat(parts).toString("utf8");
    parts = [];
    length = 0;
    return typeof text === "string" && text.trim() === "" ? undefined : { number, text };
  };
  for await (const chunk of stream) {
    const bytes: Uint8Array = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      add(bytes.subarray(start, end));
      const line = take();
      if (line !== undefined) {
        yield line;
      }
      number++;
      start = end + 1;
    }
    add(bytes.subarray(start));
  }
  const line = take();
  if (line !== undefined) {
    yield line;
  }
}

/**
 * Reads the example of the front page, a file written by Kudu, in a worker. Answers include the byte ranges read.
 */
import { isCFileError } from "@cfile/bytes";
import { type CFileReader, openCFile } from "@cfile/format";
import { type ByteSource, memorySource } from "@cfile/io";
import type { Answer, ByteRange, Question } from "./example-messages.js";
import { partsOf } from "./file-map.js";

let reads: ByteRange[] = [];
let opened: Promise<CFileReader> | undefined;
/** Questions run one at a time, so that each read belongs to one of them. */
let answered: Promise<void> = Promise.resolve();

async function open(url: string): Promise<CFileReader> {
  const response = await fetch(url);
  const bytes = memorySource(new Uint8Array(await response.arrayBuffer()), "example.cfile");
  const source: ByteSource = {
    name: bytes.name,
    size: (options) => bytes.size(options),
    read: (offset, length, options) => {
      reads.push({ offset, length });
      return bytes.read(offset, length, options);
    },
  };
  // Without a cache of data blocks, so that every lookup shows all of its reads.
  return await openCFile(source, { cacheBytes: 0 });
}

async function answer(question: Question): Promise<Answer> {
  opened ??= open(question.url);
  const file = await opened;
  reads = [];
  if (question.ask === "map") {
    return { map: { parts: await partsOf(file), size: file.structure.fileSize, rows: file.rowCount } };
  }
  if (question.ask === "row") {
    const value = await file.get(question.row);
    return { text: JSON.stringify(value), reads };
  }
  const found = await file.find(question.value);
  const text = found ? `{ row: ${found.row}, exact: ${found.exact} }` : "nothing at or after it";
  return { text, reads };
}

async function respond(question: Question): Promise<void> {
  try {
    self.postMessage(await answer(question));
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    self.postMessage({ text: `${error.code}: ${error.message}`, reads } satisfies Answer);
  }
}

self.addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const answering = answered.then(() => respond(data));
  answered = answering.catch(reportError);
});

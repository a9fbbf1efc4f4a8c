/** Brotli streams, which our decoder and Node's must expand equally. */
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { attempt, equalBytes } from "@cfile/bytes";
import { loadBrotli } from "@cfile/compression";
import { defineHarness } from "../define-harness.js";
import { goldenSubjects } from "../files/golden-data.js";
import type { Harness, Subject } from "../harness.js";
import { mutateFields } from "../mutate-fields.js";

const LARGEST = 3000;
const QUALITIES = [1, 5, 9, 11];

function brotliSubjects(): Subject[] {
  return goldenSubjects("", ".cfile", LARGEST)
    .slice(0, 20)
    .flatMap(({ name, bytes }) =>
      QUALITIES.map((quality) => {
        const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
        return {
          name: `${name} at quality ${quality}`,
          bytes: Uint8Array.from(brotliCompressSync(bytes, { params })),
        };
      }),
    );
}

interface NodeOutput {
  readonly buffer: Uint8Array;
  /** Reports how much of the input was used. */
  readonly engine: { readonly bytesWritten: number };
}

/** `undefined` for a stream that is refused or has trailing bytes. */
function expandedByNode(bytes: Uint8Array): Uint8Array | undefined {
  try {
    const options = { maxOutputLength: 2 * LARGEST, info: true } as const;
    const { buffer, engine } = brotliDecompressSync(bytes, options) as unknown as NodeOutput;
    return engine.bytesWritten === bytes.length ? buffer : undefined;
  } catch {
    return undefined;
  }
}

const brotli = defineHarness({
  name: "Brotli streams, as Node expands them",
  share: 200,
  load: brotliSubjects,
  mutate: (subject, random) => mutateFields(subject.bytes, random),
  act: async (bytes) => {
    const decompress = await loadBrotli();
    const output = new Uint8Array(2 * LARGEST);
    const ours = attempt(() => output.subarray(0, decompress(bytes, output)));
    const theirs = expandedByNode(bytes);
    if ((ours && theirs ? equalBytes(ours, theirs) : ours === theirs) === false) {
      throw new RangeError(`ours: ${ours?.length ?? "refused"}; Node's: ${theirs?.length ?? "refused"}`);
    }
    return ours?.length;
  },
});

export const BROTLI_STREAMS: readonly Harness[] = [brotli];

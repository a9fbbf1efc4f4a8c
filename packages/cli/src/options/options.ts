/** Options and arguments that several commands have, in the form that yargs takes. */
import type { WriterOptions } from "cfile";
import { COMPRESSION_NAMES, ENCODING_NAMES } from "./names.js";
import { byteSize, wholeNumber } from "./option-values.js";

export const FILE = /* @__PURE__ */ Object.freeze({
  type: "string",
  demandOption: true,
  describe: "a CFile, as path or URL",
} as const);

export const FILES = /* @__PURE__ */ Object.freeze({
  type: "string",
  array: true,
  demandOption: true,
  describe: "CFiles, as paths or URLs",
} as const);

export const PATHS = /* @__PURE__ */ Object.freeze({
  type: "string",
  array: true,
  demandOption: true,
  describe: "columns, Bloom and delta files, as paths or URLs; folders of row sets",
} as const);

export const JSON_FLAG = /* @__PURE__ */ Object.freeze({
  type: "boolean",
  describe: "write JSON, errors too",
} as const);

export const BLOCKS_OPTION = /* @__PURE__ */ Object.freeze({
  type: "string",
  requiresArg: true,
  default: "20",
  describe: "most data blocks and most index blocks to list, or all",
} as const);

/** Where `recover` and `rewrite` write to, and what their new file is like where it is not as the source. */
export const NEW_FILE = /* @__PURE__ */ Object.freeze({
  type: "string",
  demandOption: true,
  describe: "path of the new file",
} as const);

export const CODING_FLAGS = {
  encoding: { type: "string", requiresArg: true, describe: ENCODING_NAMES },
  compression: { type: "string", requiresArg: true, describe: COMPRESSION_NAMES },
} as const;

export const SYNC_FLAG = /* @__PURE__ */ Object.freeze({
  type: "boolean",
  default: true,
  describe: "wait until what is written is on the disk, or --no-sync",
} as const);

export const COLOR_FLAG = /* @__PURE__ */ Object.freeze({
  type: "boolean",
  describe: "colours [default: on a terminal, unless NO_COLOR is set]",
} as const);

export const TIME_RANGE_FLAGS = {
  from: {
    type: "string",
    requiresArg: true,
    describe: "first timestamp: hybrid time, or a time like 2024-02-29T12:00:00Z",
  },
  to: { type: "string", requiresArg: true, describe: "the first timestamp not included" },
} as const;

export const DECODE_FLAGS = {
  decode: {
    type: "boolean",
    describe: "dates, timestamps, UTF-8, floats and (with --scale) decimals as readable text",
  },
  scale: {
    type: "string",
    requiresArg: true,
    describe: "digits after the point of decimals",
  },
} as const;

export const WRITER_FLAGS = {
  "block-size": {
    type: "string",
    requiresArg: true,
    describe: "bytes of encoded values in a data block, like 65536 or 64K [default: 256K]",
  },
  "index-block-size": {
    type: "string",
    requiresArg: true,
    describe: "bytes of an index block [default: 32K]",
  },
  "restart-interval": {
    type: "string",
    requiresArg: true,
    describe: "entries between restarts of prefix blocks [default: 16]",
  },
  "batch-rows": {
    type: "string",
    requiresArg: true,
    describe:
      "rows handed to the encoder at a time; plain, RLE and bitmap blocks end at such a unit [default: 100]",
  },
  posidx: { type: "boolean", describe: "positional index, or --no-posidx" },
  "optimize-index-keys": {
    type: "boolean",
    describe: "cut value index keys to what separates blocks [default], or --no-optimize-index-keys",
  },
  checksums: { type: "boolean", describe: "checksums, or --no-checksums" },
} as const;

export interface WriterFlags {
  readonly blockSize?: string | undefined;
  readonly indexBlockSize?: string | undefined;
  readonly restartInterval?: string | undefined;
  readonly batchRows?: string | undefined;
  readonly posidx?: boolean | undefined;
  readonly optimizeIndexKeys?: boolean | undefined;
  readonly checksums?: boolean | undefined;
}

/** @throws UsageError for values that are no numbers or sizes */
export function writerOptionsOfFlags(flags: WriterFlags): Partial<WriterOptions> {
  const { blockSize, indexBlockSize, restartInterval, batchRows, posidx, optimizeIndexKeys, checksums } =
    flags;
  return {
    blockSize: given(blockSize, (text) => byteSize("--block-size", text)),
    indexBlockSize: given(indexBlockSize, (text) => byteSize("--index-block-size", text)),
    restartInterval: given(restartInterval, (text) => wholeNumber("--restart-interval", text, 1)),
    batchRows: given(batchRows, (text) => wholeNumber("--batch-rows", text, 1)),
    posidx,
    optimizeIndexKeys,
    checksums,
  };
}

/** The value of an option, `undefined` where it is not on the command line. */
export function given<T>(text: string | undefined, parse: (text: string) => T): T | undefined {
  return text === undefined ? undefined : parse(text);
}

/** Decimals have at most this many digits. */
const MAX_SCALE = 38;

/** @throws UsageError for what is no scale */
export function scaleOf(text: string | undefined): number | undefined {
  return given(text, (digits) => wholeNumber("--scale", digits, 0, MAX_SCALE));
}

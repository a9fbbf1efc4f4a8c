import type { BenchCase } from "../bench-case.js";
import { readIntegers, readStrings, writeIntegers, writeStrings } from "./column.js";
import { memory } from "./memory.js";
import { seek } from "./seek.js";

/** Every benchmark, in the order of the report. */
export const benchCases: readonly BenchCase[] = [
  readIntegers,
  readStrings,
  writeIntegers,
  writeStrings,
  seek,
  memory,
];

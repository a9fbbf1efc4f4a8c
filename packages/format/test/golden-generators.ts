/** Formulas for the values of golden files that are too long to list. */
import { encodeCompositeKey } from "@cfile/encodings/keys";
import type { GoldenFile, GoldenValue } from "./golden.js";

const hex = (text: string): string => Buffer.from(text, "latin1").toString("hex");
const K = 7919;

function doubleBits(value: number): GoldenValue {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return { bits: bytes.toString("hex") };
}

function compositeKey(i: number): string {
  const group = Math.floor(i / 10) % 10;
  const text = `s${1000 + group}${group === 3 ? "\0x" : ""}`;
  return Buffer.from(
    encodeCompositeKey(
      ["INT32", "STRING", "INT64"],
      [Math.floor(i / 100) - 5, Buffer.from(text, "latin1"), BigInt((i % 10) - 4)],
    ),
  ).toString("hex");
}

type Formula = (i: number, wide: boolean) => GoldenValue;
const integer = (value: number, wide: boolean): GoldenValue => (wide ? String(value) : value);

/** Formulas by their text, without a trailing ", null when …", ", i in …" or ", K=…". */
const FORMULAS: Readonly<Record<string, Formula>> = {
  "i*3 - 5000": (i, wide) => integer(i * 3 - 5000, wide),
  "i*3 - 1000": (i, wide) => integer(i * 3 - 1000, wide),
  "(i*K) mod 1000003": (i, wide) => integer((i * K) % 1000003, wide),
  "(floor(i/37)*K) mod 1000003": (i, wide) => integer((Math.floor(i / 37) * K) % 1000003, wide),
  "((i*K) mod 1000003) * 0.25 - 1000": (i) => doubleBits(((i * K) % 1000003) * 0.25 - 1000),
  "((floor(i/11)*K) mod 3 == 0)": (i) => (Math.floor(i / 11) * K) % 3 === 0,
  "'value-' + decimal((i*K) mod 1009)": (i) => hex(`value-${(i * K) % 1009}`),
  "'row' + zeropad10(i*7)": (i) => hex(`row${String(i * 7).padStart(10, "0")}`),
  "'user_' + zeropad8(i*3) + '@host' + (i%3)": (i) =>
    hex(`user_${String(i * 3).padStart(8, "0")}@host${i % 3}`),
};

export function generateValues(file: GoldenFile): GoldenValue[] {
  const text = file.generator ?? "";
  if (text.startsWith("value[0] = 65535 elements")) {
    return [Array.from({ length: 65535 }, (_, j) => Math.floor(j / 1000)), [7]];
  }
  if (text.startsWith("values: [1048576 bytes")) {
    return [hex("abcdefghij".repeat(104858).slice(0, 1048576)), null, "", hex("tail"), "ff0080fe"];
  }
  const formula = formulaOf(text.replace(/^value\[i\] = /, ""));
  const nulls = text.includes("null when i%13==5");
  const wide = /INT64|INT128|UNIXTIME|DECIMAL64|DECIMAL128/.test(file.type);
  return Array.from({ length: file.rows }, (_, i) => (nulls && i % 13 === 5 ? null : formula(i, wide)));
}

function formulaOf(text: string): Formula {
  if (text.startsWith("composite encoded key")) {
    return compositeKey;
  }
  const words = /^'w' \+ \(i % (\d+)\) in decimal/.exec(text);
  if (words) {
    const count = Number(words[1]);
    return (i) => hex(`w${i % count}`);
  }
  const known = Object.keys(FORMULAS).find((formula) => text.startsWith(formula));
  const formula = known === undefined ? undefined : FORMULAS[known];
  if (formula === undefined) {
    throw new Error(`no generator for ${text}`);
  }
  return formula;
}

/** Golden bytes from JSON, and golden files, by their path in `fixtures/golden`. */
import { readdirSync, readFileSync } from "node:fs";
import { fromHex } from "@cfile/bytes";
import type { Subject } from "../harness.js";

const golden = new URL("../../../../fixtures/golden/", import.meta.url);

export function goldenJson<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, golden), "utf8")) as T;
}

export function goldenBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(path, golden)));
}

export function goldenNames(folder: string, ending: string): string[] {
  return readdirSync(new URL(folder, golden))
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}${name}`);
}

/** The files of a folder with at most `largest` bytes. */
export function goldenSubjects(folder: string, ending: string, largest: number): Subject[] {
  return goldenNames(folder, ending)
    .map((name) => ({ name, bytes: goldenBytes(name) }))
    .filter(({ bytes }) => bytes.length <= largest);
}

/** Bytes in hexadecimal digits, without duplicates. */
export function hexSubjects(name: string, texts: readonly string[], largest = 4096): Subject[] {
  return [...new Set(texts)]
    .filter((hex) => hex.length > 0 && hex.length <= 2 * largest)
    .map((hex, i) => ({ name: `${name} ${i}`, bytes: fromHex(hex) }));
}

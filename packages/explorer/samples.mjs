/**
 * Writes `dist/samples` from the test files: a file unchanged, a folder as one file `NAME.bin` with all its bytes
 * and a list `NAME.json` of `{ path, length }` in the same order.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** @typedef {{ name: string, fixture: string, flippedByte?: number }} Sample */

/**
 * @param {readonly Sample[]} samples
 * @param {string} fixtures folder of the test files
 * @param {string} target
 */
export function writeSamples(samples, fixtures, target) {
  mkdirSync(target, { recursive: true });
  for (const { name, fixture, flippedByte } of samples) {
    const source = join(fixtures, fixture);
    if (statSync(source).isDirectory()) {
      writeFolder(name, source, target);
      continue;
    }
    const bytes = readFileSync(source);
    if (flippedByte !== undefined) {
      bytes[flippedByte] = (bytes[flippedByte] ?? 0) ^ 1;
    }
    writeFileSync(join(target, name), bytes);
  }
}

/**
 * @param {string} name
 * @param {string} source
 * @param {string} target
 */
function writeFolder(name, source, target) {
  const paths = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const contents = paths.map((path) => readFileSync(path));
  const list = paths.map((path, i) => ({
    path: [name, ...relative(source, path).split(sep)].join("/"),
    length: contents[i]?.length ?? 0,
  }));
  writeFileSync(join(target, `${name}.json`), `${JSON.stringify(list)}\n`);
  writeFileSync(join(target, `${name}.bin`), Buffer.concat(contents));
}

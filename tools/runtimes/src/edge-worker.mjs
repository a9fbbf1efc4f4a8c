/**
 * Runs in workerd, which has no files: reads from memory and over HTTP, and returns the written file as
 * base64.
 */
import { memorySink } from "cfile";
import { readFiles, SCANNED, WRITTEN, writeFile } from "./exercise.mjs";

export const reader = {
  /**
   * @param {unknown} _controller
   * @param {{ URL: string }} env
   */
  async test(_controller, env) {
    const { URL: url } = env;
    /** @type {Map<string, Uint8Array>} */
    const files = new Map();
    for (const name of SCANNED) {
      files.set(name, new Uint8Array(await (await fetch(`${url}${name}.cfile`)).arrayBuffer()));
    }
    const inMemory = (/** @type {string} */ name) => files.get(name) ?? new Uint8Array(0);
    const fromFiles = await readFiles(inMemory);
    const fromUrls = await readFiles((name) => `${url}${name}.cfile`);
    const sink = memorySink();
    await writeFile(inMemory(WRITTEN), sink);
    const written = btoa(String.fromCharCode(...sink.bytes()));
    console.log(JSON.stringify({ fromFiles, fromUrls, written }));
  },
};

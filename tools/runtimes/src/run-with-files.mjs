/**
 * Runs in Node, Deno and Bun: `run-with-files.mjs GOLDEN-FOLDER URL-OF-GOLDEN TARGET` prints the values it
 * reads as JSON, and writes TARGET.
 */
import { argv } from "node:process";
import { readFiles, WRITTEN, writeFile } from "./exercise.mjs";

const [folder, url, target = ""] = argv.slice(2);
const fromFiles = await readFiles((name) => `${folder}/${name}.cfile`);
const fromUrls = await readFiles((name) => `${url}${name}.cfile`);
await writeFile(`${folder}/${WRITTEN}.cfile`, target);
console.log(JSON.stringify({ fromFiles, fromUrls }));

// Compiles the kernels to WebAssembly and embeds the module: `pnpm --filter @cfile/kernels build`.
// Embedded as text, it loads synchronously, without a fetch and without anything asked of a bundler.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const options = ["-O3", "--runtime", "stub", "--enable", "simd", "--enable", "bulk-memory", "--noAssert"];
const memory = ["--importMemory", "--initialMemory", "2", "--zeroFilledMemory"];
/** @type {Uint8Array | undefined} */
let module;
const { error, stderr } = await asc.main(["assembly/index.ts", "-o", "kernels.wasm", ...options, ...memory], {
  writeFile: (name, contents) => {
    if (name.endsWith(".wasm") && typeof contents !== "string") {
      module = contents;
    }
  },
});
if (error !== null || module === undefined) {
  process.stderr.write(stderr.toString());
  throw error ?? new Error("the compiler wrote no module");
}
const base64 = Buffer.from(module).toString("base64");
mkdirSync("src/generated", { recursive: true });
writeFileSync(
  "src/generated/kernels-wasm.ts",
  `// Compiled from assembly/ by assembly/build.mjs. Do not edit.\n/** The WebAssembly module, in base64. */\nexport const KERNELS_WASM: string =\n  "${base64}";\n`,
);

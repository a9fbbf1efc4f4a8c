// Compiles the kernels to WebAssembly and embeds the modules: `pnpm --filter @cfile/kernels build`.
// Embedded as text, they load synchronously, without a fetch and without bundler settings. The text is hexadecimal, because it
// compresses to a fifth less than base64.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const options = ["-O3", "--runtime", "stub", "--enable", "simd", "--enable", "bulk-memory", "--noAssert"];
const memory = ["--importMemory", "--initialMemory", "2", "--zeroFilledMemory"];
rmSync("src/generated", { recursive: true, force: true });
mkdirSync("src/generated", { recursive: true });
for (const name of ["decoders", "encoders", "words", "rows", "pages", "digest"]) {
  const hex = Buffer.from(await compiled(`assembly/${name}.ts`)).toString("hex");
  writeFileSync(
    `src/generated/${name}-wasm.ts`,
    `// Compiled from assembly/ by assembly/build.mjs. Do not edit.\n/** The WebAssembly module of the ${name}, as hexadecimal digits. */\nexport const ${name.toUpperCase()}_WASM: string =\n  "${hex}";\n`,
  );
}

/** @param {string} entry */
async function compiled(entry) {
  /** @type {Uint8Array | undefined} */
  let module;
  const { error, stderr } = await asc.main([entry, "-o", "kernels.wasm", ...options, ...memory], {
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
  return module;
}

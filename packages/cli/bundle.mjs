/**
 * Bundles the command into `dist/bundle`, in lazily loaded chunks. Node takes longer to find and open several hundred modules than
 * to run most commands (`npm run bench -- --only start`).
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = `${here}dist/bundle`;
const { peerDependencies } = JSON.parse(readFileSync(`${here}package.json`, "utf8"));
/** Defines the `require` with which CommonJS dependencies load modules of Node. */
const REQUIRE = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/** Threads load their scripts from the folder of the command. */
const THREADS = {
  "check-worker": "src/kudu/check/check-worker.ts",
  "export-worker": "src/export/export-worker.ts",
  "join-worker": "src/export/join-worker.ts",
};
/** @type {import("esbuild").BuildOptions} */
const settings = {
  absWorkingDir: here,
  outdir: target,
  bundle: true,
  metafile: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
  // Dependencies that users may leave out, and the explorer, which is served as files.
  external: [...Object.keys(peerDependencies), "@cfile/explorer"],
  plugins: [
    {
      name: "option-words",
      setup: (build) => build.onLoad({ filter: /program\/option-words\.ts$/ }, optionTable),
    },
  ],
};

rmSync(target, { recursive: true, force: true });
const built = [
  await build({
    ...settings,
    entryPoints: { cfile: "src/main.ts" },
    chunkNames: "chunk-[hash]",
    splitting: true,
  }),
  // A thread has one task and runs most of its code. A single file per thread halves its startup time.
  await build({ ...settings, entryPoints: THREADS }),
];
const namesIn = (/** @type {"inputs" | "outputs"} */ part) =>
  built.flatMap(({ metafile }) => Object.keys(metafile?.[part] ?? {}));
for (const name of namesIn("outputs")) {
  const code = readFileSync(`${here}${name}`, "utf8");
  if (code.includes("Dynamic require of")) {
    writeFileSync(`${here}${name}`, REQUIRE + code);
  }
}
writeFileSync(`${target}/LICENSES.txt`, licenses(namesIn("inputs")));

/** The options of all commands, by command name. Replaces the module that loads the command. */
async function optionTable() {
  const { COMMANDS } = await import("./dist/reference.js");
  const options = Object.fromEntries(await Promise.all(optionsBelow("cfile", COMMANDS)));
  return {
    loader: /** @type {const} */ ("js"),
    contents: `const OPTIONS = JSON.parse(${JSON.stringify(JSON.stringify(options))});
      export const optionWords = async (name) => OPTIONS[name] ?? {};`,
  };
}

/**
 * @param {string} name
 * @param {import("./dist/reference.js").CommandEntry} entry
 * @returns {Promise<[name: string, options: object]>[]}
 */
function optionsBelow(name, { commands = {}, load }) {
  const below = Object.entries(commands).flatMap(([word, entry]) => optionsBelow(`${name} ${word}`, entry));
  const own = load?.().then(({ options }) => {
    const words = Object.entries(options).map(([key, { short, hint, choices }]) => [
      key,
      { short, hint, choices },
    ]);
    return /** @type {[string, object]} */ ([name, Object.fromEntries(words)]);
  });
  return own === undefined ? below : [own, ...below];
}

/**
 * The licenses of bundled third-party packages.
 * @param {readonly string[]} inputs paths of all bundled modules
 */
function licenses(inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]
      .map((name) => `${here}${folder}/${name}`)
      .find((path) => existsSync(path));
    const { name, version, license } = JSON.parse(readFileSync(`${here}${folder}/package.json`, "utf8"));
    const text = file === undefined ? license : readFileSync(file, "utf8").trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/**
 * Bundles the command into `dist/bundle`, in lazily loaded chunks. Node takes longer to find and open several hundred modules than
 * to run most commands (`npm run bench -- --only start`).
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const target = `${here}dist/bundle`;
const { peerDependencies } = JSON.parse(readFileSync(`${here}package.json`, "utf8"));

/** Threads load their scripts from the folder of the command. */
const THREADS = {
  "check-worker": "src/kudu/check/check-worker.ts",
  "export-worker": "src/export/export-worker.ts",
};
/** Modules that at least this number of lazily loaded modules need are one chunk: opening a file takes Node a millisecond. */
const SHARE_COUNT = 25;

/** @type {import("rolldown").InputOptions} */
const input = {
  cwd: here,
  platform: "node",
  transform: { target: "node20" },
  // Dependencies that users may leave out, and the explorer, which is served as files.
  external: [...Object.keys(peerDependencies), /^@cfile\/explorer\b/],
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    {
      name: "option-words",
      load: { filter: { id: /program[\\/]option-words\.ts$/ }, handler: optionTable },
    },
  ],
};
/** @type {import("rolldown").OutputOptions} */
const output = { dir: target, format: "esm", minify: true, comments: false };

rmSync(target, { recursive: true, force: true });
const built = await build({
  ...input,
  input: { cfile: "src/main.ts" },
  output: {
    ...output,
    chunkFileNames: "chunk-[hash].js",
    codeSplitting: {
      groups: [
        // The entry is waiting for commands, which must not wait for it.
        { name: "start", tags: ["$initial"], test: (id) => !/[\\/]main\.ts$/.test(id), priority: 2 },
        { name: "shared", minShareCount: SHARE_COUNT, priority: 1 },
      ],
    },
  },
});
const bundles = [built];
// A thread has one task and runs most of its code. A single file per thread halves its startup time.
for (const [name, path] of Object.entries(THREADS)) {
  bundles.push(
    await build({ ...input, input: { [name]: path }, output: { ...output, codeSplitting: false } }),
  );
}
const modules = bundles.flatMap(({ output: files }) =>
  files.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])),
);
writeFileSync(`${target}/LICENSES.txt`, licenses(modules));

/** The options of all commands, by command name. Replaces the module that loads the command. */
async function optionTable() {
  const { COMMANDS } = await import("./dist/reference.js");
  const options = Object.fromEntries(await Promise.all(optionsBelow("cfile", COMMANDS)));
  return {
    moduleType: /** @type {const} */ ("js"),
    code: `const OPTIONS = JSON.parse(${JSON.stringify(JSON.stringify(options))});
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
 * @param {readonly string[]} modules paths of all bundled modules
 */
function licenses(modules) {
  const folders = new Set(
    modules.flatMap((path) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]
      .map((name) => `${folder}/${name}`)
      .find((path) => existsSync(path));
    const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const text = file === undefined ? license : readFileSync(file, "utf8").trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

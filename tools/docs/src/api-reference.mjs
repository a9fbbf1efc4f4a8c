/**
 * The API reference: a page for each package, made by typedoc from the sources and their comments. All packages are one
 * TypeScript program here, which takes a fifth of the time of one for each.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application, TSConfigReader } from "typedoc";
import { docsFolder, packages, root } from "./folders.mjs";

const CONFIG = {
  extends: "./tsconfig.base.json",
  compilerOptions: {
    composite: false,
    noEmit: true,
    types: ["node"],
    lib: ["ES2023", "ESNext.Disposable", "DOM"],
    paths: {
      cfile: ["./packages/cfile/src/index.ts"],
      "@cfile/workers/worker": ["./packages/workers/src/worker.ts"],
      "@cfile/*": ["./packages/*/src/index.ts"],
    },
  },
};

export async function writeApiReference() {
  const libraries = packages().filter(({ isLibrary }) => isLibrary);
  const sources = libraries.map(({ folder }) => `packages/${folder}/src/index.ts`);
  // The program's settings have to stand where `extends` and `paths` start from.
  const config = join(root, ".typedoc-program.json");
  const out = join(docsFolder, "api");
  mkdirSync(out, { recursive: true });
  writeFileSync(config, JSON.stringify({ ...CONFIG, files: sources.map((source) => `./${source}`) }));
  try {
    await writePages(config, sources, libraries, out);
  } finally {
    rmSync(config);
  }
}

/**
 * @param {string} config
 * @param {string[]} sources
 * @param {import("./folders.mjs").Package[]} libraries
 * @param {string} out
 */
async function writePages(config, sources, libraries, out) {
  /** @type {object} */
  const options = {
    plugin: ["typedoc-plugin-markdown"],
    tsconfig: config,
    entryPoints: sources.map((source) => join(root, source)),
    name: "API reference",
    readme: "none",
    excludeInternal: true,
    excludePrivate: true,
    skipErrorChecking: true,
    logLevel: "Warn",
    disableGit: true,
    sourceLinkTemplate: "{path}",
    outputs: [{ name: "markdown", path: out }],
    router: "module",
    entryFileName: "index",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hidePageTitle: false,
    useCodeBlocks: true,
    // Headings get other anchors in the site than the links of the reference have.
    useHTMLAnchors: true,
    sanitizeComments: true,
    expandObjects: true,
    interfacePropertiesFormat: "table",
    parametersFormat: "table",
    typeDeclarationFormat: "table",
    enumMembersFormat: "table",
  };
  const app = await Application.bootstrapWithPlugins(options, [new TSConfigReader()]);
  const project = await app.convert();
  if (project === undefined) {
    throw new Error("typedoc could not read the packages");
  }
  for (const module of project.children ?? []) {
    const source = module.sources?.[0]?.fileName ?? "";
    const found = libraries.find(
      ({ folder }) =>
        source.endsWith(`packages/${folder}/src/index.ts`) || source.endsWith(`${folder}/src/index.ts`),
    );
    module.name = found?.folder ?? module.name;
    delete module.comment;
  }
  for (const reflection of Object.values(project.reflections)) {
    delete (/** @type {{ sources?: unknown }} */ (reflection).sources);
  }
  await app.outputs.writeOutputs(project);
  for (const { folder, name } of libraries) {
    titlePage(join(out, `${folder}.md`), name, folder);
  }
}

/**
 * @param {string} page
 * @param {string} name
 * @param {string} folder
 */
function titlePage(page, name, folder) {
  const text = readFileSync(page, "utf8").replace(/^# .*\n/, "");
  const head = `---\noutline: [2, 3]\n---\n\n# API of ${name}\n\nEvery export. What it is for stands in the [README](../packages/${folder}.md).\n`;
  writeFileSync(page, head + text);
}

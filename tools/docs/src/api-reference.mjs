/**
 * Writes the API reference with typedoc: one page per entry of each package, from the sources and their
 * comments. All packages form one TypeScript program, which takes a fifth of the time of one program per
 * package. Warnings of typedoc, such as an undocumented export or a broken link, fail the build.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application, TSConfigReader } from "typedoc";
import { docsFolder, packages, root } from "./folders.mjs";

const COMPILER_OPTIONS = {
  composite: false,
  noEmit: true,
  types: ["node"],
  lib: ["ES2023", "ESNext.Disposable", "DOM"],
};

/** How comments refer to a section of the specification: relative to the root of the repository. */
const SPECIFICATION = /docs\/spec\/([\w-]+\.md#[\w-]+)/g;

export async function writeApiReference() {
  const libraries = packages().filter(({ isLibrary }) => isLibrary);
  const entries = libraries.flatMap((library) => library.entries);
  // `extends` and `paths` are resolved relative to the configuration file.
  const config = join(root, ".typedoc-program.json");
  const out = join(docsFolder, "api");
  mkdirSync(out, { recursive: true });
  const files = entries.map(({ source }) => `./${source}`);
  const paths = Object.fromEntries(entries.map(({ name, source }) => [name, [`./${source}`]]));
  const compilerOptions = { ...COMPILER_OPTIONS, paths };
  writeFileSync(config, JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions, files }));
  try {
    await writePages(config, libraries, out);
  } finally {
    rmSync(config);
  }
}

/**
 * @param {string} config
 * @param {import("./folders.mjs").Package[]} libraries
 * @param {string} out
 */
async function writePages(config, libraries, out) {
  const entries = libraries.flatMap((library) => library.entries);
  /** @type {object} */
  const options = {
    plugin: ["typedoc-plugin-markdown"],
    tsconfig: config,
    entryPoints: entries.map(({ source }) => join(root, source)),
    name: "API reference",
    readme: "none",
    excludeInternal: true,
    excludePrivate: true,
    skipErrorChecking: true,
    excludeProtected: true,
    logLevel: "Warn",
    validation: { invalidLink: true, notDocumented: true, notExported: false },
    requiredToBeDocumented: ["Enum", "Variable", "Function", "Class", "Interface", "Method", "TypeAlias"],
    packagesRequiringDocumentation: libraries.map(({ name }) => name),
    disableGit: true,
    sourceLinkTemplate: "{path}",
    outputs: [{ name: "markdown", path: out }],
    router: "module",
    entryFileName: "index",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    hidePageTitle: false,
    useCodeBlocks: true,
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
  app.validate(project);
  if (app.logger.hasWarnings() || app.logger.hasErrors()) {
    throw new Error("typedoc warns: see above");
  }
  for (const module of project.children ?? []) {
    const source = module.sources?.[0]?.fullFileName ?? "";
    const entry = entries.find((one) => source === join(root, one.source));
    module.name = entry?.page ?? module.name;
    delete module.comment;
  }
  for (const reflection of Object.values(project.reflections)) {
    delete (/** @type {{ sources?: unknown }} */ (reflection).sources);
  }
  await app.outputs.writeOutputs(project);
  for (const { folder, entries: own } of libraries) {
    for (const { name, page } of own) {
      titlePage(join(out, `${page}.md`), name, folder);
    }
  }
}

/**
 * @param {string} page
 * @param {string} name
 * @param {string} folder
 */
function titlePage(page, name, folder) {
  const text = readFileSync(page, "utf8")
    .replace(/^# .*\n/, "")
    .replace(SPECIFICATION, "[$1](../spec/$1)");
  const head = `---\noutline: [2, 3]\n---\n\n# API of ${name}\n\nEvery export. For its purpose, see the [README](../packages/${folder}.md).\n`;
  writeFileSync(page, head + text);
}

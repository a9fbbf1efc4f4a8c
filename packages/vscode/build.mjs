/**
 * Builds `dist/`: the extension for the desktop (`node.js`) and for the web (`web.js`), and the explorer's page in `page/`. A web view
 * cannot load the chunks of a worker, so the page and its worker are one script each.
 */
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { rolldown } from "rolldown";

const here = fileURLToPath(new URL(".", import.meta.url));
const explorer = fileURLToPath(new URL("../explorer/", import.meta.url));
const target = `${here}dist/`;

rmSync(target, { recursive: true, force: true });
mkdirSync(`${target}page`, { recursive: true });
const common = {
  bundle: true,
  format: /** @type {const} */ ("cjs"),
  external: ["vscode"],
  target: "es2022",
  minify: true,
  legalComments: /** @type {const} */ ("none"),
  logLevel: /** @type {const} */ ("warning"),
};
await build({
  ...common,
  platform: "node",
  entryPoints: [`${here}src/node.ts`],
  outfile: `${target}node.js`,
});
await build({
  ...common,
  platform: "browser",
  entryPoints: [`${here}src/web.ts`],
  outfile: `${target}web.js`,
});
await buildPage("page.js", `${explorer}src/view/webview.tsx`);
await buildPage("worker.js", `${explorer}src/engine/worker.ts`);
copyFileSync(`${explorer}dist/main.css`, `${target}page/page.css`);

/**
 * @param {string} name
 * @param {string} input
 */
async function buildPage(name, input) {
  const bundle = await rolldown({
    input,
    platform: "browser",
    transform: { target: "es2022", define: { "process.env.NODE_ENV": '"production"' } },
  });
  await bundle.write({ file: `${target}page/${name}`, format: "esm", minify: true, codeSplitting: false });
  await bundle.close();
}

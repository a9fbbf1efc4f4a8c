/** TypeScript made into ES modules that a page or a worker loads as it is. */
import { build } from "esbuild";

/** A file for `serveFiles` of `@cfile-tools/testkit`. */
export interface PageFile {
  readonly body: string;
  /** Its `Content-Type`. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file, or the text of one with the folder from which its imports are resolved. */
export type Script = string | { readonly contents: string; readonly resolveDir: string };

export interface BundleOptions {
  /** Import map of the bundle: names that stand for other modules, or other files. */
  readonly alias?: Readonly<Record<string, string>>;
}

/**
 * Bundles each script with everything that it imports.
 *
 * @param scripts by the path under which they are served, such as `page.js`; those of one call share no code
 * @returns files for `serveFiles`
 */
export async function bundleScripts(
  scripts: Readonly<Record<string, Script>>,
  { alias = {} }: BundleOptions = {},
): Promise<Record<string, PageFile>> {
  const bundled = await Promise.all(
    Object.entries(scripts).map(async ([path, script]) => {
      const { outputFiles } = await build({
        ...(typeof script === "string"
          ? { entryPoints: [script] }
          : { stdin: { contents: script.contents, resolveDir: script.resolveDir, loader: "ts" as const } }),
        bundle: true,
        format: "esm",
        platform: "browser",
        target: "es2022",
        write: false,
        legalComments: "none",
        logLevel: "silent",
        alias: { ...alias },
      });
      const text = outputFiles[0]?.text ?? "";
      return [path, { body: text, type: "text/javascript" }] as const;
    }),
  );
  return Object.fromEntries(bundled);
}

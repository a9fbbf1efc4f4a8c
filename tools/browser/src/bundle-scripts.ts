/** Bundles TypeScript into ES modules that a page or a worker can load directly. */
import { build } from "esbuild";

/** A file for `serveFiles` of `@cfile-tools/testkit`. */
export interface PageFile {
  readonly body: string;
  /** Its `Content-Type`. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A file, or source text with the folder in which to resolve its imports. */
export type Script = string | { readonly contents: string; readonly resolveDir: string };

export interface BundleOptions {
  /** Import map of the bundle: names and the modules or files that replace them. */
  readonly alias?: Readonly<Record<string, string>>;
}

/**
 * Bundles each script with all its imports.
 * @param scripts by the path at which they are served, such as `page.js`; scripts of one call share no code
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

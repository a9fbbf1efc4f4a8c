/** A page that runs one bundled script, and the content security policy under which it does. */
import { type BundleOptions, bundleScripts, type PageFile, type Script } from "./bundle-scripts.js";

export interface PageOptions extends BundleOptions {
  /** Scripts beside it, by path: those of workers. */
  readonly others?: Readonly<Record<string, Script>>;
  /** The policy; `strictPolicy()` by default, `null` for none. */
  readonly policy?: string | null;
}

/**
 * The strictest policy under which pages still do something: scripts, workers and requests of the own origin and nothing
 * else, no eval, and Trusted Types. A directive that is given replaces the one of that name; `null` drops it.
 */
export function strictPolicy(directives: Readonly<Record<string, string | null>> = {}): string {
  const all = {
    "default-src": "'none'",
    "script-src": "'self'",
    "worker-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "require-trusted-types-for": "'script'",
    ...directives,
  };
  return Object.entries(all)
    .filter(([, sources]) => sources !== null)
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; ");
}

/**
 * The files of a page at `/index.html` that runs `script` (at `/page.js`). What the script puts on `globalThis` can be
 * called by `page.evaluate`; it sets `globalThis.ready = true` when that is possible.
 */
export async function pageFiles(
  script: Script,
  { others = {}, policy = strictPolicy(), ...options }: PageOptions = {},
): Promise<Record<string, PageFile>> {
  const scripts = await bundleScripts({ "page.js": script, ...others }, options);
  const headers = policy === null ? {} : { "Content-Security-Policy": policy };
  return {
    ...Object.fromEntries(Object.entries(scripts).map(([path, file]) => [path, { ...file, headers }])),
    "index.html": {
      body: '<!doctype html><meta charset="utf-8"><title>test</title><script type="module" src="/page.js"></script>',
      type: "text/html; charset=utf-8",
      headers,
    },
  };
}

/** A page that runs one bundled script, with its content security policy. */
import { type BundleOptions, bundleScripts, type PageFile, type Script } from "./bundle-scripts.js";

export interface PageOptions extends BundleOptions {
  /** Other scripts by path, such as those of workers. */
  readonly others?: Readonly<Record<string, Script>>;
  /** The policy. Default: `strictPolicy()`; `null` for no policy. */
  readonly policy?: string | null;
}

/**
 * The strictest policy that still lets pages work: scripts, workers and requests of the same origin only, no
 * eval, and Trusted Types. A given directive replaces the default with the same name; `null` removes it.
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
 * The files of a page at `/index.html` that runs `script` (at `/page.js`). `page.evaluate` can call what the
 * script puts on `globalThis`; the script sets `globalThis.ready = true` when it is ready.
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

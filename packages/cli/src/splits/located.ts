/** Where splits find their source: they may run in another directory. */
import { resolve } from "node:path";

export function isUrl(name: string): boolean {
  return /^[a-z][a-z\d+.-]+:\/\//i.test(name);
}

/** An absolute path, or the URL. */
export function located(name: string): string {
  return isUrl(name) ? name : resolve(name);
}

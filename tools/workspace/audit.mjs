/** `npm run audit`: asks the registry for known vulnerabilities of the dependencies that users install. A registry that does not answer is no error. */
import { run, withPinnedPnpm } from "./pinned-pnpm.mjs";

withPinnedPnpm(import.meta.url, () => run("pnpm", ["audit", "--prod", "--ignore-registry-errors"]));

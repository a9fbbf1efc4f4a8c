/** `npm run audit`: asks the registry for known vulnerabilities of the users' dependencies. Succeeds if the registry does not answer. */
import { run, withPinnedPnpm } from "./pinned-pnpm.mjs";

withPinnedPnpm(import.meta.url, () => run("pnpm", ["audit", "--prod", "--ignore-registry-errors"]));

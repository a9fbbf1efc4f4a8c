/** The dependencies that users install, as listed in SECURITY.md. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { installedDependencies } from "../src/dependencies.mjs";
import { publishedPackages, root } from "../src/published-packages.mjs";

const LICENSES = /^\(?(?:Apache-2\.0|MIT|ISC|BSD-[23]-Clause|0BSD|Zlib)(?: AND (?:MIT|Zlib))?\)?$/;
const dependencies = installedDependencies();

test("SECURITY.md lists every dependency and its license", () => {
  const text = readFileSync(`${root}SECURITY.md`, "utf8");
  const listed = [...text.matchAll(/^\| `(.+)` \| (.+) \|$/gm)].map(([, name, license]) => [name, license]);
  expect(listed).toEqual(dependencies.map(({ name, license }) => [name, license]));
});

test.each(dependencies)("$name has a permissive license and runs nothing on installation", (dependency) => {
  expect(dependency.license).toMatch(LICENSES);
  expect(dependency.scripts).toEqual([]);
});

test.each(publishedPackages)("$name runs nothing on installation", ({ folder }) => {
  const { scripts } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  expect(Object.keys(scripts)).not.toContainEqual(expect.stringMatching(/^(?:pre|post)?install$|^prepare$/));
});

/**
 * Compares the map in CONTRIBUTING and the walk with the folders, and with what packages and files import.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packages, root } from "../src/folders.mjs";

const LINES_OF_A_SCREEN = 50;
const contributing = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** `folder  description  dependencies`, separated by at least two spaces. */
const mapped = new Map(
  (/^```text\n(cli [\s\S]*?)^```$/m.exec(contributing)?.[1] ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/))
    .map(([folder = "", , below = ""]) => [folder, below.split(" ").filter(Boolean)]),
);

const folderOf = new Map(packages().map(({ folder, name }) => [name, folder]));
const real = new Map(
  packages().map(({ folder }) => {
    const file = join(root, "packages", folder, "package.json");
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(file, "utf8")) as Manifest;
    const names = Object.keys({ ...dependencies, ...peerDependencies });
    return [folder, names.flatMap((name) => folderOf.get(name) ?? [])];
  }),
);

function allBelow(graph: ReadonlyMap<string, readonly string[]>, folder: string): string[] {
  const found = new Set<string>();
  const visit = (one: string): void => {
    for (const below of graph.get(one) ?? []) {
      if (!found.has(below)) {
        found.add(below);
        visit(below);
      }
    }
  };
  visit(folder);
  return [...found].sort();
}

describe("the map of CONTRIBUTING", () => {
  it("fits on a screen", () => {
    const [, map = ""] = /^## Map\n([\s\S]*?)^## /m.exec(contributing) ?? [];
    expect(map.split("\n").length).toBeGreaterThan(20);
    expect(map.split("\n").length).toBeLessThanOrEqual(LINES_OF_A_SCREEN);
  });

  it("lists every package above its dependencies", () => {
    expect([...mapped.keys()].sort()).toEqual([...real.keys()].sort());
    const lines = [...mapped.keys()];
    const upwards = [...mapped].flatMap(([folder, below]) =>
      below.filter((one) => lines.indexOf(one) < lines.indexOf(folder)).map((one) => `${folder} → ${one}`),
    );
    expect(upwards).toEqual([]);
  });

  it.each([...real.keys()])("lists the dependencies of %s", (folder) => {
    expect(allBelow(mapped, folder)).toEqual(allBelow(real, folder));
    expect((mapped.get(folder) ?? []).filter((below) => !real.get(folder)?.includes(below))).toEqual([]);
  });

  it("lists every folder of tools", () => {
    const [, row = ""] = /^\| `tools\/` \| (.*) \|$/m.exec(contributing) ?? [];
    const named = Array.from(row.matchAll(/`([\w-]+)`/g), ([, name = ""]) => name);
    const tools = readdirSync(join(root, "tools"), { withFileTypes: true });
    expect(named.sort()).toEqual(
      tools
        .filter((one) => one.isDirectory())
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("names only existing files", () => {
    const named = Array.from(
      contributing.matchAll(/`((?:packages|tools|docs|fixtures)\/[\w./-]+)`/g),
      ([, path = ""]) => path,
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe("the walk", () => {
  const walk = readFileSync(join(root, "docs/walk.md"), "utf8");
  const steps = Array.from(
    walk.matchAll(/^\d+\. \[`([^`]*)`\]\(\.\.\/([^)]*)\) .*$/gm),
    ([, name = "", link = ""]) => ({ name, link }),
  );
  const files = steps.map(({ link }) => link);

  it("names only existing files", () => {
    const named = Array.from(walk.matchAll(/\]\(\.\.\/([^)]*)\)/g), ([, path = ""]) => path);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("has ten steps, each in an existing file", () => {
    expect(steps.length).toBe(10);
    expect(steps.filter(({ name, link }) => name !== link || !existsSync(join(root, link)))).toEqual([]);
  });

  it.each(files.slice(0, 6).map((file, i) => [file, files.slice(i + 1, 6)] as const))(
    "reads: %s does not import later steps",
    (file, later) => {
      expect(later.filter((one) => reach(file).has(one))).toEqual([]);
    },
  );

  it.each(files.slice(6).map((file, i) => [file, files.slice(6, 6 + i)] as const))(
    "writes: %s does not import earlier steps",
    (file, before) => {
      expect(before.filter((one) => reach(file).has(one))).toEqual([]);
    },
  );
});

/** The files that a module loads, directly or through other modules of its package. */
function reach(file: string, found = new Set<string>()): Set<string> {
  const text = readFileSync(join(root, file), "utf8");
  for (const [, target = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]*)\.js";/gm)) {
    const path = join(dirname(file), `${target}.ts`);
    if (!found.has(path) && existsSync(join(root, path))) {
      found.add(path);
      reach(path, found);
    }
  }
  return found;
}

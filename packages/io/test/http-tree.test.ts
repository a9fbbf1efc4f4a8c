import { serveFiles } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { httpTree } from "../src/http.js";

describe("folders on a web server", () => {
  let server: Awaited<ReturnType<typeof serveFiles>>;
  const page = (...links: string[]): string =>
    `<html><a href="../">up</a>${links.map((link) => `<a class="x" href="${link}">name</a>`).join("\n")}`;

  beforeAll(async () => {
    server = await serveFiles({
      "t/": {
        type: "text/html",
        body: page(
          "a%20b.txt",
          "sub/",
          "?C=N;O=D",
          "/t/c%2520d",
          "https://example.org/t/x",
          "/other",
          "sub/deep",
        ),
      },
      "t/a b.txt": { body: "hello" },
      "t/sub/": {
        type: "application/json",
        body: JSON.stringify([
          { name: "ü.txt", type: "file" },
          { name: "x", type: "directory" },
          { name: "../y", type: "file" },
        ]),
      },
      "t/broken/": { type: "application/json", body: "{" },
    });
  });

  test("are listed from links to names in them", async () => {
    expect(await httpTree(`${server.url}t/`).list("")).toEqual([
      { name: "a b.txt", kind: "file" },
      { name: "sub", kind: "folder" },
      { name: "c%20d", kind: "file" },
    ]);
  });

  test("are listed from JSON", async () => {
    expect(await httpTree(`${server.url}t`).list("sub")).toEqual([
      { name: "ü.txt", kind: "file" },
      { name: "x", kind: "folder" },
    ]);
  });

  test("have files", async () => {
    const source = await httpTree(`${server.url}t`).openSource("a b.txt");
    expect(new TextDecoder().decode(await source.read(1, 3))).toBe("ell");
  });

  test("throw typed errors", async () => {
    const tree = httpTree(`${server.url}t`);
    await expect(tree.list("absent")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(tree.list("broken")).rejects.toMatchObject({ code: "E_CORRUPT" });
    await expect(async () => tree.list("../x")).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });
});

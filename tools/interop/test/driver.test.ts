import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DriverError, JavaDriver } from "../src/java-driver.js";

const folder = temporaryFolder();
const path = process.env["PATH"];
const PROGRAM = { classPath: "", main: "Nobody", classes: "" };

/** Replaces Java: answers, and exits at the second line. */
const SCRIPT = "#!/bin/sh\nread line\necho R\necho OK\nread line\necho it is full >&2\nexit 3\n";

beforeAll(() => {
  writeFileSync(join(folder, "java"), SCRIPT);
  chmodSync(join(folder, "java"), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${path}`;
});

afterAll(() => {
  process.env["PATH"] = path;
});

describe("a driver that has exited", () => {
  it("fails the current request and later ones", async () => {
    const driver = new JavaDriver(PROGRAM);
    expect(await driver.ask(["first"])).toEqual(["R"]);
    await expect(driver.ask(["second"])).rejects.toThrow(/Nobody exited with 3: it is full/);
    await expect(driver.ask(["third"])).rejects.toThrow(DriverError);
  });

  it("fails requests after it was stopped", async () => {
    const driver = new JavaDriver(PROGRAM);
    await driver.stop();
    await expect(driver.ask(["first"])).rejects.toThrow(DriverError);
  });
});

/** Threads get their settings after their start, and report failures at their next task. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MessageChannel } from "node:worker_threads";
import { CFileError } from "@cfile/bytes";
import { temporaryFolder } from "@cfile-tools/testkit";
import { expect, it } from "vitest";
import { answerTasks, inTurn, WorkerThread } from "../src/program/worker-thread.js";

async function threadOf(code: string): Promise<WorkerThread<string, number, unknown>> {
  const path = join(temporaryFolder(), "thread.mjs");
  await writeFile(path, code);
  return new WorkerThread(pathToFileURL(path), undefined);
}

it.each([
  ["throws", "throw new Error('no such code');", "no such code"],
  ["ends", "process.exit(7);", "7"],
])("a thread that %s before it has a task fails the task", async (_, code, reason) => {
  const thread = await threadOf(code);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await expect(thread.ask(1)).rejects.toMatchObject({
    code: "E_IO",
    reason: expect.stringContaining(reason),
  });
  await thread.close();
});

it("a thread that ends during a task fails it", async () => {
  const thread = await threadOf(
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3));",
  );
  await expect(thread.ask(1)).rejects.toMatchObject({ code: "E_IO" });
  await thread.close();
});

/** The answers from the other end of a channel to messages, in order. */
async function answersTo(
  messages: readonly unknown[],
  open: Parameters<typeof answerTasks<string, number, string>>[1],
): Promise<unknown[]> {
  const { port1, port2 } = new MessageChannel();
  const answering = answerTasks<string, number, string>(port1, open);
  answering.catch(() => undefined);
  const answers: unknown[] = [];
  for (const message of messages) {
    port2.postMessage(message);
    if ((message as { readonly kind: string }).kind === "task") {
      answers.push((await once(port2, "message"))[0]);
    }
  }
  port1.close();
  return answers;
}

it("all tasks have the settings, and what they need stays open", async () => {
  let isOpen = false;
  const answers = await answersTo(
    [
      { kind: "settings", settings: "a" },
      { kind: "task", number: 0, task: 1 },
      { kind: "task", number: 1, task: 2 },
    ],
    async (settings, use) => {
      isOpen = true;
      try {
        return await use(async (task) => `${settings}${task} ${isOpen}`);
      } finally {
        isOpen = false;
      }
    },
  );
  expect(answers).toEqual([
    { number: 0, kind: "done", result: "a1 true" },
    { number: 1, kind: "done", result: "a2 true" },
  ]);
});

it("a source that cannot be opened fails the tasks with its error", async () => {
  const [answer] = await answersTo(
    [
      { kind: "settings", settings: "a" },
      { kind: "task", number: 0, task: 1 },
    ],
    async () => {
      throw new CFileError("E_NOT_FOUND", "no such directory", { path: "there" });
    },
  );
  expect(answer).toMatchObject({
    kind: "failed",
    error: { code: "E_NOT_FOUND", reason: "no such directory", path: "there" },
  });
});

it("each of several tasks gets its own result, progress and error, in whatever order they end", async () => {
  const thread = await threadOf(`
    import { parentPort } from "node:worker_threads";
    const waiting = [];
    parentPort.on("message", ({ kind, number, task }) => {
      if (kind === "task") {
        parentPort.postMessage({ number, kind: "progress", progress: task });
        waiting.push({ number, task });
      }
      for (const { number, task } of waiting.length === 3 ? waiting.reverse() : []) {
        parentPort.postMessage(
          task === 20
            ? { number, kind: "failed", error: { code: "E_CHECKSUM", reason: "damaged" } }
            : { number, kind: "done", result: 2 * task },
        );
      }
    });
  `);
  const seen: unknown[] = [];
  const asked = [10, 20, 30].map((task) => thread.ask(task, (progress) => seen.push([task, progress])));
  expect(await Promise.allSettled(asked)).toMatchObject([
    { value: 20 },
    { reason: { code: "E_CHECKSUM", reason: "damaged" } },
    { value: 60 },
  ]);
  expect(seen).toEqual([
    [10, 10],
    [20, 20],
    [30, 30],
  ]);
  await thread.close();
});

it("has any number of tasks at a time, without a warning", async () => {
  const thread = await threadOf(`
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", ({ number, task }) => parentPort.postMessage({ number, kind: "done", result: task }));
  `);
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on("warning", hear);
  const tasks = Array.from({ length: 20 }, (_, i) => i);
  expect(await Promise.all(tasks.map((task) => thread.ask(task)))).toEqual(tasks);
  process.off("warning", hear);
  expect(warnings).toEqual([]);
  await thread.close();
});

it("fails all tasks when it is interrupted, with the reason", async () => {
  const controller = new AbortController();
  const path = join(temporaryFolder(), "thread.mjs");
  await writeFile(
    path,
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => undefined);",
  );
  const thread = new WorkerThread<string, number, unknown>(pathToFileURL(path), controller.signal);
  const asked = [1, 2].map((task) => thread.ask(task));
  controller.abort("interrupted");
  expect(await Promise.allSettled(asked)).toMatchObject([
    { reason: "interrupted" },
    { reason: "interrupted" },
  ]);
  await thread.close();
});

it("tasks in turn never run at the same time; one that fails does not stop the next", async () => {
  let running = 0;
  const run = inTurn(async (task: number) => {
    running++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(running--).toBe(1);
    if (task === 1) {
      throw new CFileError("E_CHECKSUM", "damaged");
    }
    return task;
  });
  const ended = await Promise.allSettled([0, 1, 2].map((task) => run(task, () => undefined)));
  expect(ended).toMatchObject([{ value: 0 }, { reason: { code: "E_CHECKSUM" } }, { value: 2 }]);
});

/** The built extension for the web: its code in a worker, and its panels as frames, in Chromium. */
import { type findChromium, launchChromium } from "@cfile-tools/browser";
import type { FileServer } from "@cfile-tools/testkit";
import type { Browser, FrameLocator, Page } from "playwright-core";
import type { FromHost, ToHost } from "./extension-host.js";

export class WebEditor {
  readonly web: FileServer;
  readonly page: Page;
  /** Messages that the extension showed. */
  readonly shownErrors: string[] = [];
  readonly saved: string[] = [];
  /** Errors of the extension, of its pages and of the console. */
  readonly complaints: string[] = [];
  private readonly browser: Browser;

  private constructor(web: FileServer, browser: Browser, page: Page) {
    this.web = web;
    this.browser = browser;
    this.page = page;
  }

  static async start(web: FileServer, chromium: ReturnType<typeof findChromium>): Promise<WebEditor> {
    const browser = await launchChromium(chromium);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    page.setDefaultTimeout(15_000);
    const editor = new WebEditor(web, browser, page);
    page.on("pageerror", ({ message }) => editor.complaints.push(message));
    page.on("console", (message) => message.type() === "error" && editor.complaints.push(message.text()));
    await page.exposeFunction("addView", (name: string, body: string) => {
      web.files.set(name, { body, type: "text/html" });
    });
    await page.exposeFunction("report", (message: { saved?: string; error?: string }) => {
      editor.shownErrors.push(...(message.error === undefined ? [] : [message.error]));
      editor.saved.push(...(message.saved === undefined ? [] : [message.saved]));
    });
    await page.addInitScript(giveEditorToFrames);
    await page.goto(web.url);
    await page.evaluate(startHost);
    return editor;
  }

  async run(command: string, argument: string): Promise<void> {
    await this.send({ command, argument });
  }

  /** Opens a file or a folder of the file system `golden:`. */
  async open(path: string): Promise<void> {
    await this.run("cfile.open", `golden:/${path}`);
  }

  /** The active panel. */
  get view(): FrameLocator {
    return this.page.frameLocator("iframe");
  }

  async click(name: string | RegExp): Promise<void> {
    await this.view.getByRole("button", { name }).first().click();
  }

  async tab(name: string): Promise<void> {
    await this.view.getByRole("tablist", { name: "Views" }).getByRole("tab", { name, exact: true }).click();
  }

  async search(text: string): Promise<void> {
    await this.view.locator('input[name="value"]').fill(text);
    await this.click("Search");
  }

  /** The cells of at least `rows` rows, once all visible ones are loaded. */
  async cells(rows: number): Promise<string[][]> {
    const { view } = this;
    const shown = view.locator(".grid-row");
    await shown.nth(rows - 1).waitFor();
    await view.locator(".grid:not(:has(.pending))").first().waitFor();
    return shown.evaluateAll((found) =>
      found.map((row) =>
        [...row.querySelectorAll('[role="gridcell"]')].map((cell) => cell.textContent ?? ""),
      ),
    );
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  private send(message: ToHost): Promise<void> {
    return this.page.evaluate((data) => {
      document.querySelector("iframe")?.remove();
      (globalThis as { host?: Worker }).host?.postMessage(data);
    }, message);
  }
}

function giveEditorToFrames(): void {
  if (parent !== self) {
    const postMessage = (message: unknown): void => parent.postMessage(message, "*");
    Object.assign(globalThis, { acquireVsCodeApi: () => ({ postMessage }) });
  }
}

/** Starts the extension host, and connects it with the frames of its panels. */
async function startHost(): Promise<void> {
  const { addView, report } = globalThis as unknown as {
    addView: (name: string, html: string) => Promise<void>;
    report: (message: object) => Promise<void>;
  };
  const host = new Worker("extension-host.js", { type: "module" });
  const frames = new Map<Window, number>();
  const windows = new Map<number, Window>();
  addEventListener("message", ({ data, source }) => {
    host.postMessage({ panel: frames.get(source as Window), message: data });
  });
  const ready = new Promise<void>((resolve) => {
    host.addEventListener("message", async ({ data }: MessageEvent<FromHost>) => {
      if ("ready" in data) {
        resolve();
      } else if ("html" in data) {
        const name = `view-${data.panel}.html`;
        await addView(name, data.html);
        const frame = document.createElement("iframe");
        frame.title = data.title;
        frame.style.cssText = "position:fixed;inset:0;width:100%;height:100%;border:0";
        document.body.append(frame);
        if (frame.contentWindow !== null) {
          frames.set(frame.contentWindow, data.panel);
          windows.set(data.panel, frame.contentWindow);
        }
        frame.src = name;
      } else if ("message" in data) {
        windows.get(data.panel)?.postMessage(data.message, "*");
      } else {
        await report("saved" in data ? { saved: data.saved } : data);
      }
    });
  });
  host.addEventListener("error", ({ message }) => report({ error: `worker: ${message}` }));
  Object.assign(globalThis, { host });
  await ready;
}

/** Checks a CFile part by part, so that the map can show it, then as a whole. */
import { isCFileError } from "@cfile/bytes";
import { annotateIndexBlock } from "@cfile/format/blocks";
import { surveyCFile } from "@cfile/format/recover";
import type { CheckView, Health, HealthView, PartView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";
import { errorView, placeText } from "../error-view.js";
import type { CFileDoc } from "./cfile-doc.js";
import { recoveryView } from "./recover.js";

/** Parts after which the page is told. */
const PARTS_A_MESSAGE = 16;
const MESSAGE_MILLISECONDS = 50;

export async function checkCFile(doc: CFileDoc, work: Work<HealthView>): Promise<CheckView> {
  const { file } = doc;
  const { parts } = await doc.parts({ ...work, progress: () => undefined });
  let told: { index: number; health: Health; problem?: string }[] = [];
  let last = performance.now();
  let isDamaged = false;
  for (const [checked, part] of parts.entries()) {
    work.signal.throwIfAborted();
    const problem = part.problem ?? (await problemOf(doc, part, work.signal));
    isDamaged ||= problem !== undefined;
    told.push(
      problem === undefined
        ? { index: part.index, health: "sound" }
        : { index: part.index, health: "damaged", problem },
    );
    if (told.length >= PARTS_A_MESSAGE || performance.now() - last > MESSAGE_MILLISECONDS) {
      work.progress({ checked: checked + 1, total: parts.length, parts: told });
      told = [];
      last = performance.now();
    }
  }
  work.progress({ checked: parts.length, total: parts.length, parts: told });
  const report = await file.verify({ signal: work.signal });
  const survey =
    file.kind === "column" && (isDamaged || !report.ok)
      ? await surveyCFile(file.source, { signal: work.signal })
      : undefined;
  return {
    ok: report.ok && !isDamaged,
    checksums: report.checksums,
    problems: report.problems.map((problem) => ({ ...problem, place: placeText(problem) })),
    recovery: survey && recoveryView(survey.ledger),
  };
}

async function problemOf(doc: CFileDoc, part: PartView, signal: AbortSignal): Promise<string | undefined> {
  const { file, blocks } = doc;
  try {
    switch (part.kind) {
      case "data": {
        const block = await file.dataBlock(part, { signal });
        block.check();
        break;
      }
      case "posidx":
      case "validx": {
        const content = await blocks.read(part, { signal });
        const note = annotateIndexBlock(content, "posidx", { mostNotes: 0 }).find(
          ({ role }) => role === "problem",
        );
        return note && note.text !== undefined ? note.text : undefined;
      }
      case "header":
      case "footer":
      case "unknown":
        break;
      case "lost":
        return "its bytes cannot be read as a block";
      default:
        await blocks.read(part, { signal });
    }
    return undefined;
  } catch (error) {
    if (!isCFileError(error) || error.code === "E_IO") {
      throw error;
    }
    const { code, reason } = errorView(error);
    return `${code}: ${reason}`;
  }
}

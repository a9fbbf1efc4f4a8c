/** A CFile that does not open: what the search in it finds, and the rows that can be saved. */
import { CFileError, findingOf } from "@cfile/bytes";
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import type { CFileReader } from "@cfile/format";
import { type RecoverableFile, scanDamagedCFile } from "@cfile/format/recover";
import { type ByteSource, sizeOf } from "@cfile/io";
import { openCFile } from "cfile";
import type { CheckView, Exported, HealthView, MapView, PartDetail, RowsView } from "../../protocol.js";
import { cellsOf, columnView, countText, sizeText } from "../cells.js";
import { Doc, type DocDescription, describe, type Work } from "../docs/doc.js";
import { shownBytes, storedPart } from "../docs/stored-part.js";
import { errorView } from "../error-view.js";
import { type CFileMap, mapOf, partOf } from "./cfile-map.js";
import { recoverBlob, recoveryView } from "./recover.js";
import { ledgerMap } from "./survey-map.js";

interface Found {
  readonly survey: RecoverableFile | undefined;
  readonly problem: CFileError;
  readonly type: string | undefined;
}

export class DamagedDoc extends Doc {
  readonly view: DocDescription;
  readonly source: ByteSource;
  private readonly found: Found;
  private readonly mapped: CFileMap;
  private readonly size: number;
  private saved: Promise<CFileReader> | undefined;

  private constructor(source: ByteSource, title: string, size: number, found: Found) {
    super();
    this.source = source;
    this.size = size;
    this.found = found;
    const { survey, problem } = found;
    this.mapped =
      survey === undefined
        ? mapOf([
            {
              kind: "unknown",
              offset: 0,
              size,
              label: "The whole file",
              health: "damaged",
              problem: problem.reason,
            },
          ])
        : ledgerMap(survey.ledger);
    const column = survey?.ledger.column;
    const ledger = survey?.ledger;
    this.view = describe({
      title,
      kind: "damaged",
      problem: errorView(problem),
      needsType: survey === undefined,
      tabs: survey === undefined ? ["map"] : ["map", "data"],
      columns: column === undefined ? [] : [columnView("value", column.type, column.array, true)],
      rowCount: ledger === undefined ? 0 : ledger.rowsKept + ledger.rowsLost,
      facts: [
        { label: "Size", value: sizeText(size) },
        ...(column === undefined
          ? []
          : (["type", "encoding", "compression"] as const).map((name) => ({
              label: name[0]?.toUpperCase() + name.slice(1),
              value: `${column[name]} (${column.knownFrom[name]})`,
            }))),
        ...(ledger === undefined
          ? []
          : [
              { label: "Rows saved", value: countText(ledger.rowsKept) },
              { label: "Rows lost", value: countText(ledger.rowsLost) },
            ]),
      ],
    });
  }

  /** @param type of the column, when the user had to say it */
  static async open(
    source: ByteSource,
    { title, problem }: { readonly title: string; readonly problem: CFileError },
    type: string | undefined,
    { signal }: Work,
  ): Promise<DamagedDoc> {
    const size = await sizeOf(source, { signal });
    try {
      const given = type === undefined ? {} : { type: checkedType(type) };
      const survey = await scanDamagedCFile(source, { signal, ...given });
      return new DamagedDoc(source, title, size, { survey, problem, type });
    } catch (error) {
      findingOf(error);
      return new DamagedDoc(source, title, size, { survey: undefined, problem, type });
    }
  }

  retype(type: string, work: Work): Promise<DamagedDoc> {
    return DamagedDoc.open(this.source, { title: this.view.title, problem: this.found.problem }, type, work);
  }

  override async map(): Promise<MapView> {
    return { fileSize: this.size, parts: this.mapped.parts, trees: [] };
  }

  override async part(index: number, { signal }: Work): Promise<PartDetail> {
    const part = partOf(this.mapped, index);
    const bytes = await shownBytes(this.source, part, signal);
    const role = part.health === "damaged" ? "problem" : "value";
    return storedPart(part, bytes, {
      fields: [
        { label: "Place", value: `${countText(part.offset)} to ${countText(part.offset + part.size)}` },
        { label: "Bytes", value: countText(part.size) },
      ],
      explanation: part.problem ?? "This part is sound. Save the rows to see its values in a sound file.",
      notes: [{ start: 0, end: bytes.length, role, label: part.label, text: part.problem }],
    });
  }

  override async check(work: Work<HealthView>): Promise<CheckView> {
    const { parts } = this.mapped;
    const { survey, problem } = this.found;
    work.progress({
      checked: parts.length,
      total: parts.length,
      parts: parts.map((part) => ({
        index: part.index,
        health: part.health,
        ...(part.problem === undefined ? {} : { problem: part.problem }),
      })),
    });
    return {
      ok: false,
      checksums: survey?.ledger.column.checksums ?? false,
      problems: [errorView(problem)],
      recovery: survey && recoveryView(survey.ledger),
    };
  }

  override async rows(from: number, to: number, work: Work): Promise<RowsView> {
    const file = await this.savedFile(work);
    const rows: RowsView["rows"][number][] = [];
    for await (const batch of file.scan({
      rows: { from, to: Math.min(to, file.rowCount) },
      signal: work.signal,
    })) {
      rows.push(...cellsOf(batch).map((cell) => [cell]));
    }
    return { from, rows, end: to >= file.rowCount };
  }

  override recover(type: string | undefined, work: Work): Promise<Exported> {
    return recoverBlob(this.source, this.view.title, type ?? this.found.type, work);
  }

  /** The rows that can be saved, as a file of their own. */
  private savedFile(work: Work): Promise<CFileReader> {
    const steady = { ...work, signal: new AbortController().signal, progress: () => undefined };
    this.saved ??= this.recover(undefined, steady).then(({ blob }) => openCFile(blob));
    return this.saved;
  }
}

/** The same file, read as a column of another type. */
export async function retype(doc: Doc, type: string, work: Work): Promise<Doc> {
  if (!(doc instanceof DamagedDoc)) {
    throw new CFileError("E_INVALID_ARGUMENT", "the type of this file is known");
  }
  return doc.retype(type, work);
}

function checkedType(type: string): DataType {
  if (!Object.hasOwn(DATA_TYPES, type)) {
    throw new CFileError("E_INVALID_ARGUMENT", `${type} is no type`, { field: "type" });
  }
  return type as DataType;
}

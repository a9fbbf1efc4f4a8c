/** A reader with and without tolerance of damage, and the damaged input of both. */
import type { TableBatch } from "@cfile/encodings/batches";
import type { Subject } from "../harness.js";

/** Rows as text, in order. */
export type Rows = readonly string[];

/** Files by path. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** The result of a tolerant reader. */
export interface Tolerated {
  readonly rows: Rows;
  /** Number of lost rows; `undefined` if the reader says that it does not know. */
  readonly lost: number | undefined;
  /** Whether the reader claims that nothing is lost. */
  readonly complete: boolean;
}

/** The arguments of the commands that read a folder with the files of a table. */
export interface TableCommands {
  /** Prints each row on a line of its own, or fails. */
  readonly strict: (folder: string, subject: Subject) => readonly string[];
  /** Prints recovered data, and fails if rows may be missing. */
  readonly tolerant?: (folder: string, subject: Subject) => readonly string[];
  /** Number of rows that the commands print for the rows of the library. Default: the same number. */
  readonly countOf?: (rows: Rows) => number;
  /** Whether the strict command compares the table with the undamaged one in {@link undamagedOf}. It then prints no rows. */
  readonly compares?: boolean;
  /** Whether the commands print splits, which `cfile run-split` reads, with `--recover` after `tolerant`. Default `false`. */
  readonly arePlanned?: boolean;
}

/** The folder of the undamaged table. */
export function undamagedOf(folder: string): string {
  return `${folder}-undamaged`;
}

export interface TolerantReader {
  readonly name: string;
  readonly load: () => readonly Subject[] | Promise<readonly Subject[]>;
  /** @throws {CFileError} for damage */
  readonly strict: (bytes: Uint8Array, subject: Subject) => Promise<Rows>;
  /** Absent if no reader tolerates damage. @throws {CFileError} if nothing can be read */
  readonly tolerant?: ((bytes: Uint8Array, subject: Subject) => Promise<Tolerated>) | undefined;
  /** All rows that may be returned, including rows that reappear when others are lost. Default: the rows of the table, in their order. */
  readonly stored?: ((subject: Subject) => Promise<Rows>) | undefined;
  /** Extension of the file, if `cfile recover` writes it. */
  readonly extension?: string;
  /** The command that prints the recovered file. Default: `cat`. */
  readonly cat?: readonly string[];
  /** Options of `cfile recover`. */
  readonly recoverOptions?: readonly string[];
  /** Whether the file that `cfile recover` writes has exactly the rows of `tolerant`. */
  readonly keepsRows?: boolean;
  /** The files of a table including the damaged one, for its commands. */
  readonly files?: (bytes: Uint8Array, subject: Subject) => Promise<Files>;
  readonly commands?: TableCommands | undefined;
  /** Whether checksums cover all bytes that determine rows. If not, single bits and bytes are not damaged. */
  readonly checksums: boolean;
  /** Whether readers must detect that the file is missing. Default: files are never removed. */
  readonly canMiss?: ((subject: Subject) => boolean) | undefined;
}

/** The bytes of a file that is missing. */
export const MISSING_FILE = new Uint8Array(0);

/** A file of a table, with all files of the table. */
export interface FileOfTable extends Subject {
  readonly files: Files;
  /** Path in `files`. Default: the name. */
  readonly path?: string;
}

/** How to read the rows of a table from its files. */
export interface TableReading<S extends FileOfTable>
  extends Pick<TolerantReader, "name" | "stored" | "canMiss" | "commands"> {
  readonly checksums?: boolean;
  readonly load: () => readonly S[] | Promise<readonly S[]>;
  readonly strict: (files: Files, subject: S) => Promise<Rows>;
  readonly tolerant?: (files: Files, subject: S) => Promise<Tolerated>;
}

/** Reads a table of several files with a single damaged one. */
export function tableReader<S extends FileOfTable>({
  load,
  strict,
  tolerant,
  checksums = true,
  ...others
}: TableReading<S>): TolerantReader {
  let loaded: Promise<ReadonlyMap<string, S>> | undefined;
  const all = (): Promise<ReadonlyMap<string, S>> => {
    loaded ??= Promise.resolve(load()).then((found) => new Map(found.map((one) => [one.name, one])));
    return loaded;
  };
  const ofTable = async ({ name }: Subject): Promise<S> => {
    const found = (await all()).get(name);
    if (found === undefined) {
      throw new TypeError(`no file ${name}`);
    }
    return found;
  };
  const filesWith = async (bytes: Uint8Array, subject: Subject): Promise<Files> => {
    const { files, path = subject.name } = await ofTable(subject);
    const changed = new Map(files).set(path, bytes);
    if (bytes === MISSING_FILE) {
      changed.delete(path);
    }
    return changed;
  };
  return {
    ...others,
    checksums,
    files: filesWith,
    load: async () => [...(await all()).values()],
    strict: async (bytes, subject) => strict(await filesWith(bytes, subject), await ofTable(subject)),
    tolerant:
      tolerant &&
      (async (bytes, subject) => tolerant(await filesWith(bytes, subject), await ofTable(subject))),
  };
}

/** The rows of batches, their cells separated by tabs. */
export async function linesOf(
  batches: AsyncIterable<Pick<TableBatch, "columns" | "length">>,
): Promise<string[]> {
  const lines: string[] = [];
  for await (const { columns, length } of batches) {
    const cells = columns.map((column) => column.toArray().map(String));
    for (let row = 0; row < length; row++) {
      lines.push(cells.map((column) => column[row]).join("\t"));
    }
  }
  return lines;
}

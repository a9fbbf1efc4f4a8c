/** A file of a pool, in a worker: opened by its first task, together with the function to call. */
import type { CodecSet } from "@cfile/compression";
import { type CFileReader, openCFile } from "@cfile/format";
import type { CallWork, OpenMessage } from "../messages/messages.js";
import { checkIdentity } from "../pool/file-identity.js";
import { openInput } from "../pool/file-input.js";
import type { MapFunction } from "../pool/map-function.js";
import { findFunction, type WorkerFunctions } from "./find-function.js";

/** What the worker's script provides. */
export interface ScriptParts {
  readonly codecs: CodecSet | undefined;
  readonly functions: WorkerFunctions;
}

export class ServedFile {
  readonly message: OpenMessage;
  private readonly parts: ScriptParts;
  private opened: Promise<CFileReader> | undefined;
  private found: Promise<MapFunction> | undefined;

  constructor(message: OpenMessage, parts: ScriptParts) {
    this.message = message;
    this.parts = parts;
  }

  /** @throws {CFileError} for a file that cannot be opened, at each call */
  reader(): Promise<CFileReader> {
    this.opened ??= this.open();
    return this.opened;
  }

  /** @throws {CFileError} `E_INVALID_ARGUMENT` if there is no such function, at each call */
  function(work: CallWork): Promise<MapFunction> {
    this.found ??= findFunction(work, this.parts.functions);
    return this.found;
  }

  /** Closes the file. If it cannot be opened, tasks have already reported that. */
  close(): void {
    this.opened?.then((file) => file.close()).catch(() => undefined);
  }

  private async open(): Promise<CFileReader> {
    const { input, identity, options } = this.message;
    // The pool waits for the worker, which has no other work during a read.
    const source = await openInput(input, { file: { blocking: true } });
    try {
      const file = await openCFile(source, { ...options, codecs: this.parts.codecs });
      checkIdentity(file, identity);
      return file;
    } catch (error) {
      await source.close?.();
      throw error;
    }
  }
}

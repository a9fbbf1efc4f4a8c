/**
 * Replaces Node's files while something is written. Records every operation, can make one of them fail, and
 * shows the remains of a power cut after any of them. Also runs in a browser, where a page of the documentation uses it.
 */

export type Operation =
  | { readonly kind: "create"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly bytes: Uint8Array }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "close"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "link"; readonly path: string; readonly to: string }
  | { readonly kind: "remove"; readonly path: string }
  /** Without a path: all directories. */
  | { readonly kind: "sync directory"; readonly path?: string };

/** How a disk operation fails. */
export type DiskFault = "EIO" | "ENOSPC" | "writes half and fails" | "writes nothing";

export interface DiskOptions {
  /** Whether the file already exists. */
  readonly exists: boolean;
  readonly fault?: { readonly at: number; readonly kind: DiskFault } | undefined;
}

export type Files = ReadonlyMap<string, Uint8Array>;

interface NodeProcess {
  getBuiltinModule?: ((id: string) => unknown) | undefined;
}

/** Paths with slashes. */
const PATHS = {
  dirname: (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/",
  join: (...parts: readonly string[]): string => parts.join("/"),
};

const missing = (): never => {
  throw Object.assign(new Error("ENOENT: no such file or directory"), { code: "ENOENT", syscall: "open" });
};

export class SimulatedDisk {
  readonly operations: Operation[] = [];
  private readonly options: DiskOptions;
  private attempts = 0;

  constructor(options: DiskOptions) {
    this.options = options;
  }

  /** Runs `action` with this disk instead of Node's files. */
  async use<T>(action: () => Promise<T>): Promise<T> {
    const host = globalThis as { process?: NodeProcess };
    // A browser has no process.
    host.process ??= {};
    const { process } = host;
    const original = process.getBuiltinModule;
    const modules: Readonly<Record<string, object>> = {
      "node:fs/promises": this.files(),
      "node:path": PATHS,
    };
    process.getBuiltinModule = (id) => modules[id] ?? original?.call(process, id);
    try {
      return await action();
    } finally {
      process.getBuiltinModule = original;
    }
  }

  /** @throws `EIO` or `ENOSPC` if this is the operation that fails */
  perform(operation: Operation): void {
    const { fault } = this.options;
    if (fault !== undefined && this.attempts++ === fault.at) {
      const isHalf = fault.kind === "writes half and fails" && operation.kind === "write";
      if (isHalf) {
        const { bytes } = operation;
        this.operations.push({ ...operation, bytes: bytes.subarray(0, bytes.length >> 1) });
      }
      const code = fault.kind === "ENOSPC" ? "ENOSPC" : "EIO";
      throw Object.assign(new Error(`${code}: failed`), { code, syscall: operation.kind });
    }
    this.operations.push(operation);
  }

  /** Whether this is the write that accepts no bytes and reports that. */
  private takesNothing(): boolean {
    const { fault } = this.options;
    return fault?.kind === "writes nothing" && this.attempts === fault.at;
  }

  private files(): object {
    const { exists } = this.options;
    return {
      stat: async () => (exists ? { isFile: () => true, isDirectory: () => false, mode: 0o644 } : missing()),
      realpath: async (path: string) => path,
      open: async (path: string, flags: string) => {
        if (flags === "r") {
          return {
            sync: async () => this.perform({ kind: "sync directory" }),
            close: async () => undefined,
          };
        }
        this.perform({ kind: "create", path });
        return {
          chmod: async () => undefined,
          write: async (bytes: Uint8Array, offset: number, length: number) => {
            if (this.takesNothing()) {
              return { bytesWritten: 0 };
            }
            this.perform({ kind: "write", path, bytes: bytes.slice(offset, offset + length) });
            return { bytesWritten: length };
          },
          sync: async () => this.perform({ kind: "sync", path }),
          close: async () => this.perform({ kind: "close", path }),
        };
      },
      rename: async (path: string, to: string) => this.perform({ kind: "rename", path, to }),
      // Cleaning up after a fault must not cause another fault.
      rm: async (path: string) => this.operations.push({ kind: "remove", path }),
    };
  }
}

/** How much unsynced data a disk keeps. */
export const DISKS = {
  "keeps only what was synced": { names: false, bytes: 0 },
  "keeps names, but no bytes": { names: true, bytes: 0 },
  "keeps names and half of the bytes": { names: true, bytes: 0.5 },
  "keeps everything": { names: true, bytes: 1 },
} as const;

export type DiskKind = keyof typeof DISKS;

/** Which unsynced data a disk keeps, in detail. */
export interface DiskRemains {
  /** Whether it keeps unsynced changes of directories. */
  readonly names: boolean;
  /** The bytes of a file that it keeps. @param synced number of pieces that it must keep */
  readonly bytes: (pieces: readonly Uint8Array[], synced: number) => Uint8Array;
}

interface StoredFile {
  readonly pieces: Uint8Array[];
  /** Number of pieces that are on the disk. */
  synced: number;
}

/** The files that remain after the operations and a power cut. */
export function afterPowerCut(
  operations: readonly Operation[],
  before: Files,
  kind: DiskKind | DiskRemains,
): Files {
  const disk = typeof kind === "string" ? remainsOf(kind) : kind;
  let names = new Map<string, StoredFile>(
    [...before].map(([name, bytes]) => [name, { pieces: [bytes], synced: 1 }]),
  );
  let synced = new Map(names);
  for (const operation of operations) {
    const file = operation.path === undefined ? undefined : names.get(operation.path);
    if (operation.kind === "create") {
      names.set(operation.path, { pieces: [], synced: 0 });
    } else if (operation.kind === "write") {
      file?.pieces.push(operation.bytes);
    } else if (operation.kind === "sync" && file !== undefined) {
      file.synced = file.pieces.length;
    } else if (operation.kind === "link" && file !== undefined) {
      names.set(operation.to, file);
    } else if (operation.kind === "rename" && file !== undefined) {
      names = new Map([...names].filter(([name]) => name !== operation.path).concat([[operation.to, file]]));
    } else if (operation.kind === "remove") {
      names.delete(operation.path);
    } else if (operation.kind === "sync directory") {
      const isOther = ([name]: readonly [string, StoredFile]): boolean =>
        operation.path !== undefined && PATHS.dirname(name) !== operation.path;
      synced = new Map([...[...synced].filter(isOther), ...[...names].filter((entry) => !isOther(entry))]);
    }
  }
  const left = disk.names ? names : synced;
  return new Map([...left].map(([name, { pieces, synced: whole }]) => [name, disk.bytes(pieces, whole)]));
}

function remainsOf(kind: DiskKind): DiskRemains {
  const { names, bytes: share } = DISKS[kind];
  return {
    names,
    bytes: (pieces, synced) => {
      const kept = joined(pieces.slice(0, synced));
      const rest = joined(pieces.slice(synced));
      return joined([kept, rest.subarray(0, Math.floor(share * rest.length))]);
    },
  };
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

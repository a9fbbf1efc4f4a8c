/** Blocks of either block manager. They hold the files of row sets. */
import type { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";

/** A block and the location of its bytes. */
export interface StoredBlock {
  readonly id: bigint;
  /** The file that holds it. */
  readonly path: string;
  /** Offset in the file. In a container it includes the encryption header; if the block has its own file, it is 0. */
  readonly offset: number;
  /** When it was finished, in microseconds since 1970, if known. */
  readonly createdAt: bigint | undefined;
  /** Its bytes. The file is opened when they are read. */
  readonly source: ByteSource;
}

/** Blocks by ID. */
export interface BlockStore {
  /** @throws {CFileError} `E_CORRUPT` if two blocks have this ID */
  find(id: bigint): Promise<StoredBlock | undefined>;
  /** All blocks, ordered by ID. */
  list(): Promise<readonly StoredBlock[]>;
  /** Problems of containers and folders that were read. */
  problems(): Promise<readonly CFileError[]>;
}

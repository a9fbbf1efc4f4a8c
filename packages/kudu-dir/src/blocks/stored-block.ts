/** Blocks of either block manager: what is in a row set's files. */
import type { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";

/** A block, and where its bytes are. */
export interface StoredBlock {
  readonly id: bigint;
  /** The file it is in. */
  readonly path: string;
  /** Where it begins in the file, behind the header of an encrypted file. */
  readonly offset: number;
  /** When it was finished, in microseconds since 1970, if that is known. */
  readonly createdAt: bigint | undefined;
  /** Its bytes. The file is opened when they are read. */
  readonly source: ByteSource;
}

/** Blocks by id. */
export interface BlockStore {
  /** @throws CFileError when two blocks have the id */
  find(id: bigint): Promise<StoredBlock | undefined>;
  /** All blocks, by id. */
  list(): Promise<readonly StoredBlock[]>;
  /** What is wrong with containers and folders, after they were read. */
  problems(): Promise<readonly CFileError[]>;
}

/**
 * The files that identify a server's roots (docs/spec/kudu-data-dir.md#2-instance-messages): `instance` and
 * `data/block_manager_instance`.
 */
import { MessageReader } from "@cfile/protobuf/read";
import { decodeDirInstanceMetadataPB, decodeInstanceMetadataPB } from "../generated/decode.js";

/** A key of the server, as wrapped by its key provider. */
export interface WrappedKey {
  /** Hexadecimal. */
  readonly key: string;
  readonly iv: string | undefined;
  readonly version: string | undefined;
}

/** `InstanceMetadataPB` */
export interface Instance {
  readonly uuid: string;
  readonly formatStamp: string;
  /** The key of an encrypted server. */
  readonly serverKey: WrappedKey | undefined;
}

/** `DirInstanceMetadataPB` */
export interface DataDirInstance {
  readonly uuid: string;
  /** All data directories of the server, in the order that block IDs refer to. */
  readonly allUuids: readonly string[];
  /** `log`, `file` or `logr`. */
  readonly type: string;
  readonly blockSize: number | undefined;
}

const DEFAULT_TENANT = "0".repeat(32);

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` naming the field */
export function parseInstance(bytes: Uint8Array): Instance {
  const message = decodeInstanceMetadataPB(new MessageReader(bytes, "InstanceMetadataPB"));
  const { uuid, formatStamp = "", tenants } = message;
  const keyed = tenants.filter(({ tenantKey = "" }) => tenantKey !== "");
  const tenant = keyed.findLast(({ tenantId }) => tenantId === DEFAULT_TENANT) ?? keyed[0];
  const serverKey =
    wrappedKey(tenant?.tenantKey, tenant?.tenantKeyIv, tenant?.tenantKeyVersion) ??
    wrappedKey(message.serverKey, message.serverKeyIv, message.serverKeyVersion);
  return { uuid, formatStamp, serverKey };
}

function wrappedKey(key = "", iv?: string, version?: string): WrappedKey | undefined {
  return key === "" ? undefined : { key, iv: iv || undefined, version: version || undefined };
}

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` naming the field */
export function parseDataDirInstance(bytes: Uint8Array): DataDirInstance {
  const message = decodeDirInstanceMetadataPB(new MessageReader(bytes, "DirInstanceMetadataPB"));
  return {
    uuid: message.dirSet.uuid,
    allUuids: message.dirSet.allUuids,
    type: message.dirType,
    blockSize: message.filesystemBlockSizeBytes,
  };
}

/**
 * Identity files of a server's roots (docs/spec/kudu-data-dir.md#2-instance-messages): `instance` and
 * `data/block_manager_instance`.
 */
import { MessageReader, required } from "./protobuf-message.js";

/** A key of the server, as its provider wrapped it. */
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
  /** Of all data directories of the server, in the order in which block ids number them. */
  readonly allUuids: readonly string[];
  /** `log`, `file` or `logr`. */
  readonly type: string;
  readonly blockSize: number | undefined;
}

const DEFAULT_TENANT = "0".repeat(32);

/** @throws CFileError `E_CORRUPT` or `E_TRUNCATED` naming the field */
export function parseInstance(bytes: Uint8Array): Instance {
  const message = new MessageReader(bytes, "InstanceMetadataPB");
  let uuid: string | undefined;
  let formatStamp = "";
  const keys = [0, 1].map(() => ({ key: "", iv: "", version: "" }));
  const [server, tenant] = keys as [(typeof keys)[0], (typeof keys)[0]];
  for (let field = message.next(); field !== 0; field = message.next()) {
    switch (field) {
      case 1:
        uuid = message.text("uuid");
        break;
      case 2:
        formatStamp = message.text("format_stamp");
        break;
      case 3:
        server.key = message.text("server_key");
        break;
      case 4:
        server.iv = message.text("server_key_iv");
        break;
      case 5:
        server.version = message.text("server_key_version");
        break;
      case 6: {
        const found = parseTenant(message.message("tenants"));
        if (found.id === DEFAULT_TENANT || tenant.key === "") {
          Object.assign(tenant, found);
        }
        break;
      }
      default:
        message.skip();
    }
  }
  const chosen = tenant.key === "" ? server : tenant;
  return {
    uuid: required(uuid, message.name, "uuid"),
    formatStamp,
    serverKey:
      chosen.key === ""
        ? undefined
        : { key: chosen.key, iv: chosen.iv || undefined, version: chosen.version || undefined },
  };
}

function parseTenant(message: MessageReader): { id: string; key: string; iv: string; version: string } {
  const values = ["", "", "", "", "", ""];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field <= 5) {
      values[field] = message.text(`tenants field ${field}`);
    } else {
      message.skip();
    }
  }
  const [, , id = "", key = "", iv = "", version = ""] = values;
  return { id, key, iv, version };
}

/** @throws CFileError `E_CORRUPT` or `E_TRUNCATED` naming the field */
export function parseDataDirInstance(bytes: Uint8Array): DataDirInstance {
  const message = new MessageReader(bytes, "DirInstanceMetadataPB");
  let uuid: string | undefined;
  let type: string | undefined;
  let blockSize: number | undefined;
  const allUuids: string[] = [];
  for (let field = message.next(); field !== 0; field = message.next()) {
    switch (field) {
      case 1: {
        const set = message.message("dir_set");
        for (let part = set.next(); part !== 0; part = set.next()) {
          if (part === 1) {
            uuid = set.text("uuid");
          } else if (part === 2) {
            allUuids.push(set.text("all_uuids"));
          } else {
            set.skip();
          }
        }
        break;
      }
      case 2:
        type = message.text("dir_type");
        break;
      case 3:
        blockSize = message.count("filesystem_block_size_bytes");
        break;
      default:
        message.skip();
    }
  }
  return {
    uuid: required(uuid, message.name, "uuid"),
    allUuids,
    type: required(type, message.name, "dir_type"),
    blockSize,
  };
}

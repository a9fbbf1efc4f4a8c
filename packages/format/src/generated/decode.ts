// Generated from the files in proto/ by `pnpm proto`. Do not edit.
import type { MessageReader } from "@cfile/protobuf/read";

export interface MetadataPair {
  readonly key: string;
  readonly value: Uint8Array;
}

export function decodeMetadataPair(reader: MessageReader, into?: MetadataPair): MetadataPair {
  let key = into?.key;
  let value = into?.value;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        key = reader.text("key");
        break;
      case 2:
        value = reader.bytes("value");
        break;
      default:
        reader.skip();
    }
  }
  return {
    key: reader.required(key, "key"),
    value: reader.required(value, "value"),
  };
}

export interface Header {
  readonly metadata: readonly MetadataPair[];
}

export function decodeHeader(reader: MessageReader, into?: Header): Header {
  const metadata: MetadataPair[] = into ? [...into.metadata] : [];
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 3:
        metadata.push(decodeMetadataPair(reader.message("metadata")));
        break;
      default:
        reader.skip();
    }
  }
  return {
    metadata,
  };
}

export interface BlockPointer {
  readonly offset: bigint;
  readonly size: number;
}

export function decodeBlockPointer(reader: MessageReader, into?: BlockPointer): BlockPointer {
  let offset = into?.offset;
  let size = into?.size;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        offset = reader.int64("offset");
        break;
      case 2:
        size = reader.int32("size");
        break;
      default:
        reader.skip();
    }
  }
  return {
    offset: reader.required(offset, "offset"),
    size: reader.required(size, "size"),
  };
}

export interface IndexTreeInfo {
  readonly rootBlock: BlockPointer;
}

export function decodeIndexTreeInfo(reader: MessageReader, into?: IndexTreeInfo): IndexTreeInfo {
  let rootBlock = into?.rootBlock;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        rootBlock = decodeBlockPointer(reader.message("root_block"), rootBlock);
        break;
      default:
        reader.skip();
    }
  }
  return {
    rootBlock: reader.required(rootBlock, "root_block"),
  };
}

export interface Footer {
  readonly dataType: number;
  readonly encoding: number;
  readonly numValues: bigint;
  readonly posidxInfo?: IndexTreeInfo | undefined;
  readonly validxInfo?: IndexTreeInfo | undefined;
  readonly compression?: number | undefined;
  readonly metadata: readonly MetadataPair[];
  readonly isTypeNullable?: boolean | undefined;
  readonly dictBlockPtr?: BlockPointer | undefined;
  readonly incompatibleFeatures?: number | undefined;
  readonly compatibleFeatures?: number | undefined;
  readonly isTypeArray?: boolean | undefined;
}

export function decodeFooter(reader: MessageReader, into?: Footer): Footer {
  let dataType = into?.dataType;
  let encoding = into?.encoding;
  let numValues = into?.numValues;
  let posidxInfo = into?.posidxInfo;
  let validxInfo = into?.validxInfo;
  let compression = into?.compression;
  const metadata: MetadataPair[] = into ? [...into.metadata] : [];
  let isTypeNullable = into?.isTypeNullable;
  let dictBlockPtr = into?.dictBlockPtr;
  let incompatibleFeatures = into?.incompatibleFeatures;
  let compatibleFeatures = into?.compatibleFeatures;
  let isTypeArray = into?.isTypeArray;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    switch (number) {
      case 1:
        dataType = reader.int32("data_type");
        break;
      case 2:
        encoding = reader.int32("encoding");
        break;
      case 3:
        numValues = reader.int64("num_values");
        break;
      case 4:
        posidxInfo = decodeIndexTreeInfo(reader.message("posidx_info"), posidxInfo);
        break;
      case 5:
        validxInfo = decodeIndexTreeInfo(reader.message("validx_info"), validxInfo);
        break;
      case 6:
        compression = reader.int32("compression");
        break;
      case 7:
        metadata.push(decodeMetadataPair(reader.message("metadata")));
        break;
      case 8:
        isTypeNullable = reader.bool("is_type_nullable");
        break;
      case 9:
        dictBlockPtr = decodeBlockPointer(reader.message("dict_block_ptr"), dictBlockPtr);
        break;
      case 10:
        incompatibleFeatures = reader.uint32("incompatible_features");
        break;
      case 11:
        compatibleFeatures = reader.uint32("compatible_features");
        break;
      case 12:
        isTypeArray = reader.bool("is_type_array");
        break;
      default:
        reader.skip();
    }
  }
  return {
    dataType: reader.required(dataType, "data_type"),
    encoding: reader.required(encoding, "encoding"),
    numValues: reader.required(numValues, "num_values"),
    posidxInfo,
    validxInfo,
    compression,
    metadata,
    isTypeNullable,
    dictBlockPtr,
    incompatibleFeatures,
    compatibleFeatures,
    isTypeArray,
  };
}

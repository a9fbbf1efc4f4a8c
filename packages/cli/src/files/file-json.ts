/** The structure of a file as JSON, in the form of `fixtures/golden`. */
import { toHex } from "@cfile/bytes";
import type { IndexLayout } from "@cfile/format";
import type { CFileLayout, CFileReader, MetadataPair } from "cfile";

/** `kind`, `type`, `encoding`, `compression`, `nullable`, `array`, `rows`, `header_metadata`, `footer` and `layout`. */
export async function fileJson(
  file: CFileReader,
  options: { readonly signal?: AbortSignal | undefined },
): Promise<object> {
  await file.loadHeader(options);
  return {
    kind: file.kind,
    type: file.type,
    encoding: file.structure.footer.encoding,
    compression: file.compression,
    nullable: file.nullable,
    array: file.array,
    rows: file.rowCount,
    header_metadata: file.headerMetadata.map(metadataJson),
    footer: footerJson(file),
    layout: layoutJson(await file.layout(options)),
  };
}

/** The fields of the footer under the names of its protobuf message, without absent ones. */
function footerJson(file: CFileReader): object {
  const { footer } = file.structure;
  return {
    data_type: footer.dataType,
    encoding: footer.encoding,
    num_values: footer.rowCount,
    posidx_info: footer.posidx && { root_block: footer.posidx },
    validx_info: footer.validx && { root_block: footer.validx },
    compression: footer.compression,
    metadata: footer.metadata.map(metadataJson),
    is_type_nullable: footer.nullable,
    dict_block_ptr: footer.dictionary,
    incompatible_features: footer.incompatibleFeatures,
    compatible_features: footer.compatibleFeatures,
    is_type_array: footer.array,
  };
}

function layoutJson({ posidx, validx, dictionary }: CFileLayout): object {
  return {
    posidx: posidx && indexJson(posidx),
    validx: validx && indexJson(validx),
    dict_block: dictionary,
  };
}

function indexJson({ levels, indexBlocks, entries }: IndexLayout): object {
  return {
    levels,
    index_blocks: indexBlocks,
    entries: entries.map(({ key, offset, size }) => ({ key: toHex(key), offset, size })),
  };
}

function metadataJson({ key, value }: MetadataPair): object {
  return { key, value: toHex(value) };
}

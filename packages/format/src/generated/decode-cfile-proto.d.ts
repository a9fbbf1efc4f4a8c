// Generated from proto/cfile.proto by `pnpm --filter @cfile/format proto`. Do not edit.
import type * as $protobuf from "../file/protobuf-runtime.js";
type Long = bigint;

/** Namespace cfile. */
export namespace cfile {

    /** Namespace format. */
    namespace format {

        /**
         * Properties of a MetadataPair.
         * @deprecated Use cfile.format.MetadataPair.$Properties instead.
         */
        interface IMetadataPair extends cfile.format.MetadataPair.$Properties {
        }

        /** Represents a MetadataPair. */
        class MetadataPair {

            /**
             * Constructs a new MetadataPair.
             * @param [properties] Properties to set
             */
            constructor(properties?: cfile.format.MetadataPair.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** MetadataPair key. */
            key: string;

            /** MetadataPair value. */
            value: Uint8Array;

            /**
             * Decodes a MetadataPair message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {cfile.format.MetadataPair & cfile.format.MetadataPair.$Shape} MetadataPair
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): cfile.format.MetadataPair & cfile.format.MetadataPair.$Shape;
        }

        namespace MetadataPair {

            /** Properties of a MetadataPair. */
            interface $Properties {

                /** MetadataPair key */
                key: string;

                /** MetadataPair value */
                value: Uint8Array;

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a MetadataPair. */
            type $Shape = cfile.format.MetadataPair.$Properties;
        }

        /**
         * Properties of a Header.
         * @deprecated Use cfile.format.Header.$Properties instead.
         */
        interface IHeader extends cfile.format.Header.$Properties {
        }

        /** Represents a Header. */
        class Header {

            /**
             * Constructs a new Header.
             * @param [properties] Properties to set
             */
            constructor(properties?: cfile.format.Header.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Header metadata. */
            metadata: cfile.format.MetadataPair.$Properties[];

            /**
             * Decodes a Header message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {cfile.format.Header & cfile.format.Header.$Shape} Header
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): cfile.format.Header & cfile.format.Header.$Shape;
        }

        namespace Header {

            /** Properties of a Header. */
            interface $Properties {

                /** Header metadata */
                metadata?: (cfile.format.MetadataPair.$Properties[]|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Header. */
            type $Shape = cfile.format.Header.$Properties;
        }

        /**
         * Properties of a BlockPointer.
         * @deprecated Use cfile.format.BlockPointer.$Properties instead.
         */
        interface IBlockPointer extends cfile.format.BlockPointer.$Properties {
        }

        /** Represents a BlockPointer. */
        class BlockPointer {

            /**
             * Constructs a new BlockPointer.
             * @param [properties] Properties to set
             */
            constructor(properties?: cfile.format.BlockPointer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** BlockPointer offset. */
            offset: (number|Long);

            /** BlockPointer size. */
            size: number;

            /**
             * Decodes a BlockPointer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {cfile.format.BlockPointer & cfile.format.BlockPointer.$Shape} BlockPointer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): cfile.format.BlockPointer & cfile.format.BlockPointer.$Shape;
        }

        namespace BlockPointer {

            /** Properties of a BlockPointer. */
            interface $Properties {

                /** BlockPointer offset */
                offset: (number|Long);

                /** BlockPointer size */
                size: number;

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a BlockPointer. */
            type $Shape = cfile.format.BlockPointer.$Properties;
        }

        /**
         * Properties of an IndexTreeInfo.
         * @deprecated Use cfile.format.IndexTreeInfo.$Properties instead.
         */
        interface IIndexTreeInfo extends cfile.format.IndexTreeInfo.$Properties {
        }

        /** Represents an IndexTreeInfo. */
        class IndexTreeInfo {

            /**
             * Constructs a new IndexTreeInfo.
             * @param [properties] Properties to set
             */
            constructor(properties?: cfile.format.IndexTreeInfo.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** IndexTreeInfo rootBlock. */
            rootBlock: cfile.format.BlockPointer.$Properties;

            /**
             * Decodes an IndexTreeInfo message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {cfile.format.IndexTreeInfo & cfile.format.IndexTreeInfo.$Shape} IndexTreeInfo
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): cfile.format.IndexTreeInfo & cfile.format.IndexTreeInfo.$Shape;
        }

        namespace IndexTreeInfo {

            /** Properties of an IndexTreeInfo. */
            interface $Properties {

                /** IndexTreeInfo rootBlock */
                rootBlock: cfile.format.BlockPointer.$Properties;

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of an IndexTreeInfo. */
            type $Shape = cfile.format.IndexTreeInfo.$Properties;
        }

        /**
         * Properties of a Footer.
         * @deprecated Use cfile.format.Footer.$Properties instead.
         */
        interface IFooter extends cfile.format.Footer.$Properties {
        }

        /** Represents a Footer. */
        class Footer {

            /**
             * Constructs a new Footer.
             * @param [properties] Properties to set
             */
            constructor(properties?: cfile.format.Footer.$Properties);

            /** Unknown fields preserved while decoding when enabled */
            $unknowns?: Uint8Array[];

            /** Footer dataType. */
            dataType: number;

            /** Footer encoding. */
            encoding: number;

            /** Footer numValues. */
            numValues: (number|Long);

            /** Footer posidxInfo. */
            posidxInfo?: (cfile.format.IndexTreeInfo.$Properties|null);

            /** Footer validxInfo. */
            validxInfo?: (cfile.format.IndexTreeInfo.$Properties|null);

            /** Footer compression. */
            compression: number;

            /** Footer metadata. */
            metadata: cfile.format.MetadataPair.$Properties[];

            /** Footer isTypeNullable. */
            isTypeNullable: boolean;

            /** Footer dictBlockPtr. */
            dictBlockPtr?: (cfile.format.BlockPointer.$Properties|null);

            /** Footer incompatibleFeatures. */
            incompatibleFeatures: number;

            /** Footer compatibleFeatures. */
            compatibleFeatures: number;

            /** Footer isTypeArray. */
            isTypeArray: boolean;

            /**
             * Decodes a Footer message from the specified reader or buffer.
             * @param reader Reader or buffer to decode from
             * @param [length] Message length if known beforehand
             * @returns {cfile.format.Footer & cfile.format.Footer.$Shape} Footer
             * @throws {Error} If the payload is not a reader or valid buffer
             * @throws {$protobuf.util.ProtocolError} If required fields are missing
             */
            static decode(reader: ($protobuf.Reader|Uint8Array), length?: number): cfile.format.Footer & cfile.format.Footer.$Shape;
        }

        namespace Footer {

            /** Properties of a Footer. */
            interface $Properties {

                /** Footer dataType */
                dataType: number;

                /** Footer encoding */
                encoding: number;

                /** Footer numValues */
                numValues: (number|Long);

                /** Footer posidxInfo */
                posidxInfo?: (cfile.format.IndexTreeInfo.$Properties|null);

                /** Footer validxInfo */
                validxInfo?: (cfile.format.IndexTreeInfo.$Properties|null);

                /** Footer compression */
                compression?: (number|null);

                /** Footer metadata */
                metadata?: (cfile.format.MetadataPair.$Properties[]|null);

                /** Footer isTypeNullable */
                isTypeNullable?: (boolean|null);

                /** Footer dictBlockPtr */
                dictBlockPtr?: (cfile.format.BlockPointer.$Properties|null);

                /** Footer incompatibleFeatures */
                incompatibleFeatures?: (number|null);

                /** Footer compatibleFeatures */
                compatibleFeatures?: (number|null);

                /** Footer isTypeArray */
                isTypeArray?: (boolean|null);

                /** Unknown fields preserved while decoding when enabled */
                $unknowns?: Uint8Array[];
            }

            /** Shape of a Footer. */
            type $Shape = cfile.format.Footer.$Properties;
        }
    }
}

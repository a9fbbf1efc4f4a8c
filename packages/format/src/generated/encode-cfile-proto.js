// Generated from proto/cfile.proto by `pnpm --filter @cfile/format proto`. Do not edit.
/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import $protobuf from "protobufjs/minimal.js";

const $Writer = $protobuf.Writer, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error;

const $root = $protobuf.roots["cfile.format.encode"] || ($protobuf.roots["cfile.format.encode"] = {});

export const cfile = $root.cfile = (() => {

    const cfile = {};

    cfile.format = (function() {

        const format = {};

        format.MetadataPair = (function() {

            const MetadataPair = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            MetadataPair.prototype.key = "";
            MetadataPair.prototype.value = $util.newBuffer([]);

            MetadataPair.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(10).string(message.key);
                writer.uint32(18).bytes(message.value);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            return MetadataPair;
        })();

        format.Header = (function() {

            const Header = function (properties) {
                this.metadata = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Header.prototype.metadata = $util.emptyArray;

            Header.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                if (message.metadata != null && message.metadata.length)
                    for (let i = 0; i < message.metadata.length; ++i)
                        $root.cfile.format.MetadataPair.encode(message.metadata[i], writer.uint32(26).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            return Header;
        })();

        format.BlockPointer = (function() {

            const BlockPointer = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            BlockPointer.prototype.offset = $util.Long ? $util.Long.fromBits(0,0,false) : 0;
            BlockPointer.prototype.size = 0;

            BlockPointer.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).int64(message.offset);
                writer.uint32(16).int32(message.size);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            return BlockPointer;
        })();

        format.IndexTreeInfo = (function() {

            const IndexTreeInfo = function (properties) {
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            IndexTreeInfo.prototype.rootBlock = null;

            IndexTreeInfo.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                $root.cfile.format.BlockPointer.encode(message.rootBlock, writer.uint32(10).fork(), _depth + 1).ldelim();
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            return IndexTreeInfo;
        })();

        format.Footer = (function() {

            const Footer = function (properties) {
                this.metadata = [];
                if (properties)
                    for (let keys = $Object.keys(properties), i = 0; i < keys.length; ++i)
                        if (properties[keys[i]] != null && keys[i] !== "__proto__")
                            this[keys[i]] = properties[keys[i]];
            };

            Footer.prototype.dataType = 0;
            Footer.prototype.encoding = 0;
            Footer.prototype.numValues = $util.Long ? $util.Long.fromBits(0,0,false) : 0;
            Footer.prototype.posidxInfo = null;
            Footer.prototype.validxInfo = null;
            Footer.prototype.compression = 1;
            Footer.prototype.metadata = $util.emptyArray;
            Footer.prototype.isTypeNullable = false;
            Footer.prototype.dictBlockPtr = null;
            Footer.prototype.incompatibleFeatures = 0;
            Footer.prototype.compatibleFeatures = 0;
            Footer.prototype.isTypeArray = false;

            Footer.encode = function (message, writer, _depth) {
                if (!writer)
                    writer = $Writer.create();
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $util.recursionLimit)
                    throw $Error("max depth exceeded");
                writer.uint32(8).int32(message.dataType);
                writer.uint32(16).int32(message.encoding);
                writer.uint32(24).int64(message.numValues);
                if (message.posidxInfo != null && $Object.hasOwnProperty.call(message, "posidxInfo"))
                    $root.cfile.format.IndexTreeInfo.encode(message.posidxInfo, writer.uint32(34).fork(), _depth + 1).ldelim();
                if (message.validxInfo != null && $Object.hasOwnProperty.call(message, "validxInfo"))
                    $root.cfile.format.IndexTreeInfo.encode(message.validxInfo, writer.uint32(42).fork(), _depth + 1).ldelim();
                if (message.compression != null && $Object.hasOwnProperty.call(message, "compression"))
                    writer.uint32(48).int32(message.compression);
                if (message.metadata != null && message.metadata.length)
                    for (let i = 0; i < message.metadata.length; ++i)
                        $root.cfile.format.MetadataPair.encode(message.metadata[i], writer.uint32(58).fork(), _depth + 1).ldelim();
                if (message.isTypeNullable != null && $Object.hasOwnProperty.call(message, "isTypeNullable"))
                    writer.uint32(64).bool(message.isTypeNullable);
                if (message.dictBlockPtr != null && $Object.hasOwnProperty.call(message, "dictBlockPtr"))
                    $root.cfile.format.BlockPointer.encode(message.dictBlockPtr, writer.uint32(74).fork(), _depth + 1).ldelim();
                if (message.incompatibleFeatures != null && $Object.hasOwnProperty.call(message, "incompatibleFeatures"))
                    writer.uint32(80).uint32(message.incompatibleFeatures);
                if (message.compatibleFeatures != null && $Object.hasOwnProperty.call(message, "compatibleFeatures"))
                    writer.uint32(88).uint32(message.compatibleFeatures);
                if (message.isTypeArray != null && $Object.hasOwnProperty.call(message, "isTypeArray"))
                    writer.uint32(96).bool(message.isTypeArray);
                if (message.$unknowns != null && $Object.hasOwnProperty.call(message, "$unknowns"))
                    for (let i = 0; i < message.$unknowns.length; ++i)
                        writer.raw(message.$unknowns[i]);
                return writer;
            };

            return Footer;
        })();

        return format;
    })();

    return cfile;
})();

export {
  $root as default
};

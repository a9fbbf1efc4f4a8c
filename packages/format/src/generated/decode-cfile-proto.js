// Generated from proto/cfile.proto by `pnpm --filter @cfile/format proto`. Do not edit.
/*eslint-disable block-scoped-var, id-length, no-control-regex, no-magic-numbers, no-mixed-operators, no-prototype-builtins, no-redeclare, no-shadow, no-var, sort-vars, default-case, jsdoc/require-param*/
import * as $protobuf from "../file/protobuf-runtime.js";

const $Reader = $protobuf.Reader, $util = $protobuf.util;
const $Object = $util.global.Object, $undefined = $util.global.undefined, $Error = $util.global.Error, $RangeError = $util.global.RangeError;

const $root = $protobuf.roots["cfile.format.decode"] || ($protobuf.roots["cfile.format.decode"] = {});

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

            MetadataPair.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.cfile.format.MetadataPair();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.key = reader.string();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 2)
                                break;
                            message.value = reader.bytes();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "key"))
                    throw $util.ProtocolError("missing required 'key'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "value"))
                    throw $util.ProtocolError("missing required 'value'", { instance: message });
                return message;
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

            Header.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.cfile.format.Header();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 3: {
                            if (wireType !== 2)
                                break;
                            if (!(message.metadata && message.metadata.length))
                                message.metadata = [];
                            message.metadata.push($root.cfile.format.MetadataPair.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                return message;
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

            BlockPointer.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.cfile.format.BlockPointer();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.offset = reader.int64();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.size = reader.int32();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "offset"))
                    throw $util.ProtocolError("missing required 'offset'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "size"))
                    throw $util.ProtocolError("missing required 'size'", { instance: message });
                return message;
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

            IndexTreeInfo.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.cfile.format.IndexTreeInfo();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 2)
                                break;
                            message.rootBlock = $root.cfile.format.BlockPointer.decode(reader, reader.size(), $undefined, _depth + 1, message.rootBlock);
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "rootBlock"))
                    throw $util.ProtocolError("missing required 'rootBlock'", { instance: message });
                return message;
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

            Footer.decode = function (reader, length, _end, _depth, _target) {
                if (!(reader instanceof $Reader))
                    reader = $Reader.create(reader);
                if (_depth === $undefined)
                    _depth = 0;
                if (_depth > $Reader.recursionLimit)
                    throw $Error("max depth exceeded");
                let end, message;
                if (length === $undefined)
                    end = reader.len;
                else {
                    end = reader.pos + length;
                    if (end > reader.len)
                        throw $RangeError("index out of range");
                    length = reader.len;
                    reader.len = end;
                }
                message = _target || new $root.cfile.format.Footer();
                while (reader.pos < end) {
                    let start = reader.pos;
                    let tag = reader.tag();
                    if (tag === _end) {
                        _end = $undefined;
                        break;
                    }
                    let wireType = tag & 7;
                    switch (tag >>>= 3) {
                    case 1: {
                            if (wireType !== 0)
                                break;
                            message.dataType = reader.int32();
                            continue;
                        }
                    case 2: {
                            if (wireType !== 0)
                                break;
                            message.encoding = reader.int32();
                            continue;
                        }
                    case 3: {
                            if (wireType !== 0)
                                break;
                            message.numValues = reader.int64();
                            continue;
                        }
                    case 4: {
                            if (wireType !== 2)
                                break;
                            message.posidxInfo = $root.cfile.format.IndexTreeInfo.decode(reader, reader.size(), $undefined, _depth + 1, message.posidxInfo);
                            continue;
                        }
                    case 5: {
                            if (wireType !== 2)
                                break;
                            message.validxInfo = $root.cfile.format.IndexTreeInfo.decode(reader, reader.size(), $undefined, _depth + 1, message.validxInfo);
                            continue;
                        }
                    case 6: {
                            if (wireType !== 0)
                                break;
                            message.compression = reader.int32();
                            continue;
                        }
                    case 7: {
                            if (wireType !== 2)
                                break;
                            if (!(message.metadata && message.metadata.length))
                                message.metadata = [];
                            message.metadata.push($root.cfile.format.MetadataPair.decode(reader, reader.size(), $undefined, _depth + 1));
                            continue;
                        }
                    case 8: {
                            if (wireType !== 0)
                                break;
                            message.isTypeNullable = reader.bool();
                            continue;
                        }
                    case 9: {
                            if (wireType !== 2)
                                break;
                            message.dictBlockPtr = $root.cfile.format.BlockPointer.decode(reader, reader.size(), $undefined, _depth + 1, message.dictBlockPtr);
                            continue;
                        }
                    case 10: {
                            if (wireType !== 0)
                                break;
                            message.incompatibleFeatures = reader.uint32();
                            continue;
                        }
                    case 11: {
                            if (wireType !== 0)
                                break;
                            message.compatibleFeatures = reader.uint32();
                            continue;
                        }
                    case 12: {
                            if (wireType !== 0)
                                break;
                            message.isTypeArray = reader.bool();
                            continue;
                        }
                    }
                    reader.skipType(wireType, _depth, tag);
                    if (!reader.discardUnknown) {
                        $util.makeProp(message, "$unknowns", false);
                        (message.$unknowns || (message.$unknowns = [])).push(reader.raw(start, reader.pos));
                    }
                }
                if (length !== $undefined) {
                    if (reader.pos !== end)
                        throw $RangeError("index out of range");
                    reader.len = length;
                }
                if (_end !== $undefined)
                    throw $Error("missing end group");
                if (!$Object.hasOwnProperty.call(message, "dataType"))
                    throw $util.ProtocolError("missing required 'dataType'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "encoding"))
                    throw $util.ProtocolError("missing required 'encoding'", { instance: message });
                if (!$Object.hasOwnProperty.call(message, "numValues"))
                    throw $util.ProtocolError("missing required 'numValues'", { instance: message });
                return message;
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

// What of protobufjs/minimal.js decoding needs: without its writers, and without its services.
import reader from "protobufjs/src/reader.js";
import bufferReader from "protobufjs/src/reader_buffer.js";
import util from "protobufjs/src/util/minimal.js";

const protobuf = { Reader: reader, util, roots: {} };

util.LongBits._configure(util.Long);
reader._configure(bufferReader);

export default protobuf;

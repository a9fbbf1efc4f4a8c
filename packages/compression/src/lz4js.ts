/** @module @cfile/compression/lz4js: the LZ4 decoder of the `lz4js` library. */

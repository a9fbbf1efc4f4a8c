/** @module @cfile/io/http: files and folders on web servers and objects in S3, read by ranges. */
export { type HttpSourceOptions, httpSource } from "./http/http-source.js";
export { httpTree } from "./http/http-tree.js";
export {
  type S3Client,
  type S3FetchOptions,
  type S3SdkOptions,
  type S3SourceOptions,
  s3Source,
} from "./s3/s3-source.js";

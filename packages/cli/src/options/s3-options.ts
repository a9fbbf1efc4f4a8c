/** Settings of `s3:` URLs: the environment variables of the AWS tools. */
import type { S3FetchOptions } from "@cfile/io/http";
import { UsageError } from "../program/exit-code.js";
import type { CliIo } from "../program/io.js";

/**
 * `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. Without keys requests are not signed, as for public buckets.
 *
 * @throws UsageError when only one of the two keys is set
 */
export async function s3OptionsOf(env: CliIo["env"]): Promise<S3FetchOptions> {
  const region = env["AWS_REGION"] || env["AWS_DEFAULT_REGION"] || "us-east-1";
  const endpoint = env["AWS_ENDPOINT_URL_S3"] || env["AWS_ENDPOINT_URL"] || undefined;
  const accessKeyId = env["AWS_ACCESS_KEY_ID"] || undefined;
  const secretAccessKey = env["AWS_SECRET_ACCESS_KEY"] || undefined;
  const sessionToken = env["AWS_SESSION_TOKEN"];
  if (accessKeyId === undefined && secretAccessKey === undefined) {
    return { region, endpoint, client: { fetch: (url, init) => fetch(url, init) } };
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new UsageError(
      `${accessKeyId === undefined ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY"} is not set (set both keys, or neither)`,
    );
  }
  const { AwsClient } = await import("aws4fetch");
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  // The source repeats requests itself.
  return { region, endpoint, client: new AwsClient({ ...keys, region, service: "s3", retries: 0 }) };
}

/** Checks requests like S3: recomputes the AWS Signature Version 4 of the header `Authorization` from the request. */
import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";

interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
}

const MAX_SKEW = 15 * 60 * 1000;

/** For `refuse` of `serveFiles`: 403 unless the request is signed with these credentials. */
export function requireSignature(
  credentials: S3Credentials,
): (request: IncomingMessage) => number | undefined {
  return (request) => (isSigned(request, credentials) ? undefined : 403);
}

function isSigned(request: IncomingMessage, credentials: S3Credentials): boolean {
  const { authorization = "", host } = request.headers;
  const [, key, day, region, names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const header = (name: string): string => String(request.headers[name] ?? "");
  const date = header("x-amz-date");
  const sent = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const signed = names.split(";");
  if (
    key !== credentials.accessKeyId ||
    region !== credentials.region ||
    day !== date.slice(0, 8) ||
    !(Math.abs(Date.now() - sent) < MAX_SKEW) ||
    !["host", "x-amz-content-sha256", "x-amz-date"].every((name) => signed.includes(name)) ||
    header("x-amz-security-token") !== (credentials.sessionToken ?? "")
  ) {
    return false;
  }
  const { pathname, searchParams } = new URL(request.url ?? "/", `http://${host}`);
  const query = [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const canonical = [
    request.method,
    pathname,
    query,
    ...signed.map((name) => `${name}:${header(name).trim().replace(/ +/g, " ")}`),
    "",
    names,
    header("x-amz-content-sha256"),
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", date, scope, createHash("sha256").update(canonical).digest("hex")];
  const signingKey = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${credentials.secretAccessKey}`,
  );
  return createHmac("sha256", signingKey).update(text.join("\n")).digest("hex") === signature;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

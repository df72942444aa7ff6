/** Keys and values a reader may expect, with what to write instead: other versions, other hosts, other places. */

const NOT_YET = 'not in this version of Gatehouse';
const STDIO_ONLY = 'only an upstream with a "command" (stdio) has this';

/** Unknown keys that deserve more than "unknown key". */
export const KEY_HINTS: Readonly<Record<string, string>> = {
  tls: `${NOT_YET}; end TLS in a proxy in front`,
  trustedProxies: NOT_YET,
  profiles: NOT_YET,
  jwt: NOT_YET,
  redis: NOT_YET,
  keys: NOT_YET,
  questionTimeout: NOT_YET,
  concurrency: NOT_YET,
  scrub: NOT_YET,
  allowMetadata: NOT_YET,
  url: 'only an upstream without a "command" (streamable-http, sse) has this',
  command: 'only an upstream without a "url" (stdio) has this',
  args: STDIO_ONLY,
  env: STDIO_ONLY,
  cwd: STDIO_ONLY,
  inheritEnv: STDIO_ONLY,
  headers: 'write it as credentials: { type: header, name: …, value: … }',
  servers: 'put the entries of a host under "mcpServers"',
  inputs: 'the gateway cannot ask for values; use ${env:NAME} or ${file:/path} where they are needed',
  envFile: 'env files are not read; write the variables under "env", as ${env:NAME}',
  '<<': 'YAML merge keys are not part of YAML 1.2; use an alias for the whole value',
};

/** Values of fixed choices that a later version has. */
export const VALUE_HINTS: Readonly<Record<string, string>> = {
  shadow: NOT_YET,
  'oauth-client-credentials': NOT_YET,
  header: 'only an upstream with a "url" is sent headers',
  headers: 'only an upstream with a "url" is sent headers',
  environment: 'only an upstream with a "command" has an environment',
};

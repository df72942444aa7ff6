/** What an upstream with a URL is configured with. */
import { z } from 'zod';

function withoutUserinfo(text: string): boolean {
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

export const serverUrl = z
  .url({ protocol: /^https?$/, abort: true })
  .refine(withoutUserinfo, 'a url carries no user or password; write them as credentials');

export const streamableHttpShape = { url: serverUrl.describe('Endpoint of the MCP server') };
export type StreamableHttpPiece = z.output<z.ZodObject<typeof streamableHttpShape>>;

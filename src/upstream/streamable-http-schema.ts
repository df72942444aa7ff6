/** What an upstream over Streamable HTTP is configured with. */
import { z } from 'zod';

function withoutUserinfo(text: string): boolean {
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

export const streamableHttpShape = {
  url: z
    .url({ protocol: /^https?$/, abort: true })
    .refine(withoutUserinfo, 'a url carries no user or password; write them as credentials')
    .describe('Endpoint of the MCP server'),
};
export type StreamableHttpPiece = z.output<z.ZodObject<typeof streamableHttpShape>>;

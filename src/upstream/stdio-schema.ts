/** What an upstream over stdio is configured with. */
import { z } from 'zod';

const variable = z.string().regex(/^[^=\s]+$/, 'a variable name holds neither "=" nor spaces');

export const stdioShape = {
  command: z
    .string({
      error: ({ input }) =>
        input === undefined
          ? 'required: an upstream has a "command" (stdio) or a "url" (streamable-http)'
          : undefined,
    })
    .min(1)
    .describe('Program to start; looked up on the PATH of the gateway'),
  args: z.array(z.string()).default([]).describe('Arguments, passed as they are: no shell is involved'),
  env: z.record(variable, z.string()).default({}).describe('Variables added to the minimal base environment'),
  inheritEnv: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Names or globs (`HTTPS_PROXY`, `UV_*`) of variables passed on from the environment of the gateway',
    ),
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe('Working folder; without it the folder of the configuration file'),
};
export type StdioPiece = z.output<z.ZodObject<typeof stdioShape>>;

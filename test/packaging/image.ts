/**
 * Builds the image of a Dockerfile without a container engine: each stage is a folder, COPY copies, RUN runs there. It knows
 * the instructions our Dockerfile uses and no other; RUN steps must stay inside WORKDIR, for the root of the file system
 * is that of this machine.
 */
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { run } from './process.ts';

export interface Image {
  /** Where the image's file system lies. */
  readonly root: string;
  readonly workdir: string;
  readonly user: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  /** Paths that COPY gave to the user. */
  readonly owned: readonly string[];
}

type Stage = { -readonly [K in keyof Image]: Image[K] };

/** `context` is the folder of the build, `scratch` an empty one for the stages. */
export function buildImage(context: string, scratch: string): Image {
  const stages = new Map<string, Stage>();
  let stage = newStage(scratch);
  const instructions: Record<string, (rest: string) => void> = {
    ARG: () => undefined,
    EXPOSE: () => undefined,
    VOLUME: () => undefined,
    FROM(rest) {
      const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'image';
      stage = newStage(join(scratch, name));
      stages.set(name, stage);
    },
    WORKDIR(path) {
      stage.workdir = path;
      mkdirSync(join(stage.root, path), { recursive: true });
    },
    ENV(rest) {
      const [name = '', value = ''] = rest.split('=');
      stage.env = { ...stage.env, [name]: value };
    },
    COPY: (rest) => copy(rest, context, stage, stages),
    RUN: (shell) => void run('sh', ['-ec', shell], join(stage.root, stage.workdir)),
    USER: (name) => void (stage.user = name),
    HEALTHCHECK: (rest) => void (stage.healthcheck = list(rest.slice(rest.indexOf('CMD') + 'CMD'.length))),
    ENTRYPOINT: (rest) => void (stage.entrypoint = list(rest)),
    CMD: (rest) => void (stage.command = list(rest)),
  };
  for (const [name, rest] of readInstructions(join(context, 'Dockerfile'))) {
    const instruction = instructions[name];
    if (instruction === undefined) throw new Error(`This builder does not know ${name}.`);
    instruction(rest);
  }
  return stage;
}

export function readInstructions(file: string): [name: string, rest: string][] {
  const text = readFileSync(file, 'utf8').replaceAll(/\\\n/g, '');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]);
}

function newStage(root: string): Stage {
  return {
    root,
    workdir: '/',
    user: 'root',
    env: {},
    entrypoint: [],
    command: [],
    healthcheck: [],
    owned: [],
  };
}

function copy(rest: string, context: string, stage: Stage, stages: ReadonlyMap<string, Stage>): void {
  const words = rest.split(/\s+/);
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
  const paths = words.filter((word) => !word.startsWith('--'));
  const from = option('from');
  const source = from === undefined ? context : stages.get(from)!.root;
  const written = paths.pop()!;
  const target = join(stage.root, resolve(stage.workdir, written));
  for (const path of paths) {
    const original = join(source, path);
    const into = written.endsWith('/') && statSync(original).isFile() ? join(target, basename(path)) : target;
    cpSync(original, into, { recursive: true, verbatimSymlinks: true });
  }
  if (option('chown') !== undefined) stage.owned = [...stage.owned, target];
}

const list = (json: string): string[] => JSON.parse(json) as string[];

#!/usr/bin/env node
// Checks the Node version before any newer syntax is loaded, then runs the command: the sources in a checkout, the build
// in an installed package.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `gatehouse needs Node 22.19 or newer; this is Node ${process.versions.node}. In a checkout, "npm ci" brings one (its install scripts must be allowed to run) and "npm start" uses it.`,
  );
  process.exit(3);
}
const source = new URL('../src/cli/main.ts', import.meta.url);
if (existsSync(source)) {
  // Types are stripped once, not at every start and in every thread: half a second and 30 MB less.
  module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url)));
  process.env.NODE_COMPILE_CACHE = module.getCompileCacheDir();
  await import(source.href);
  module.flushCompileCache();
} else {
  await import(new URL('../dist/cli/main.js', import.meta.url).href);
}

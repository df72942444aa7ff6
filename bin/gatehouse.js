#!/usr/bin/env node
// Checks the Node version before any newer syntax is loaded, then runs the command: the sources in a checkout, the build
// in an installed package.
import { existsSync } from 'node:fs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `gatehouse needs Node 22.19 or newer; this is Node ${process.versions.node}. In a checkout, "npm ci" brings one (its install scripts must be allowed to run) and "npm start" uses it.`,
  );
  process.exit(3);
}
const source = new URL('../src/cli/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : new URL('../dist/cli/main.js', import.meta.url).href);

/**
 * One instance of a compiled policy, over @open-policy-agent/opa-wasm.
 *
 * Only the package's evaluation loop is used. Its own imports are not: they put its builtins before ours (its sprintf
 * prints `[object Object]`), find a missing builtin only when a rule reaches it, and throw plain strings. Its falsy-input
 * rule is avoided by always passing bytes.
 */
import * as opa from '@open-policy-agent/opa-wasm';
import { type Evaluation, HOST_BUILTINS, type HostBuiltin, type Result } from './builtins.ts';
import { parseValue } from './values.ts';

/** 256 MiB: what one evaluation may use before it fails. */
const MAX_PAGES = 4096;

interface Exports extends WebAssembly.Exports {
  builtins(): number;
  opa_malloc(size: number): number;
  opa_value_dump(address: number): number;
  opa_json_dump(address: number): number;
  opa_json_parse(address: number, size: number): number;
  opa_wasm_abi_version: WebAssembly.Global;
  opa_wasm_abi_minor_version: WebAssembly.Global;
}

interface Loaded {
  setData(data: ArrayBuffer): void;
  /** A list of results, each with the entrypoint's value; empty when it is undefined. */
  evaluate(input: ArrayBuffer): readonly { readonly result?: unknown }[];
}

type LoadedConstructor = new (
  instance: WebAssembly.Instance,
  memory: WebAssembly.Memory,
  minor: number,
) => Loaded;
/** The declared types put the class beside the default export; at run time it is a member of it. */
const { LoadedPolicy } = (opa as unknown as { default: { LoadedPolicy: LoadedConstructor } }).default;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Decides inputs given as JSON text. Throws whatever stopped the evaluation, always as an Error. */
export type Evaluate = (input: string) => unknown;

/**
 * Instantiates a policy. Throws when the module needs a builtin that the table does not have or has another ABI.
 * `data` is the data document as JSON text.
 */
export function instantiate(module: WebAssembly.Module, data: string): Evaluate {
  const host = new Host();
  const instance = new WebAssembly.Instance(module, host.imports());
  const exports = instance.exports as Exports;
  if (exports.opa_wasm_abi_version.value !== 1)
    throw new Error('the compiled policy has an unknown ABI version');
  host.bind(exports);
  const policy = new LoadedPolicy(instance, host.memory, Number(exports.opa_wasm_abi_minor_version.value));
  policy.setData(bytes(data));
  return (input) => {
    host.evaluation = new Moment();
    return policy.evaluate(bytes(input))[0]?.result;
  };
}

/** The time is taken when first asked for: most policies never do. */
class Moment implements Evaluation {
  #now: bigint | undefined;
  get now(): bigint {
    this.#now ??= BigInt(Date.now()) * 1_000_000n;
    return this.#now;
  }
}

function bytes(text: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = encoder.encode(text);
  return buffer.slice(byteOffset, byteOffset + byteLength);
}

/** What the module imports: its memory, and calls of builtins by number. */
class Host {
  readonly memory = new WebAssembly.Memory({ initial: 5, maximum: MAX_PAGES });
  evaluation: Evaluation = new Moment();
  #exports: Exports | undefined;
  #builtins: readonly HostBuiltin[] = [];

  imports(): WebAssembly.Imports {
    const call = (id: number, _context: number, ...args: number[]): number => this.#call(id, args);
    return {
      env: {
        memory: this.memory,
        opa_abort: (address: number) => {
          throw new Error(this.#text(address));
        },
        opa_println: () => undefined,
        opa_builtin0: call,
        opa_builtin1: call,
        opa_builtin2: call,
        opa_builtin3: call,
        opa_builtin4: call,
      },
    };
  }

  /** Looks up every builtin the module asks for, before any rule runs. */
  bind(exports: Exports): void {
    this.#exports = exports;
    const wanted = JSON.parse(this.#text(exports.opa_json_dump(exports.builtins()))) as Record<
      string,
      number
    >;
    const missing = Object.keys(wanted).filter((name) => !Object.hasOwn(HOST_BUILTINS, name));
    if (missing.length > 0)
      throw new Error(`the compiled policy needs builtins that are not given: ${missing.join(', ')}`);
    const builtins: HostBuiltin[] = [];
    for (const [name, id] of Object.entries(wanted)) builtins[id] = HOST_BUILTINS[name] as HostBuiltin;
    this.#builtins = builtins;
  }

  /** Zero is the module's "undefined". */
  #call(id: number, args: readonly number[]): number {
    const exports = this.#exports as Exports;
    const values = args.map((address) => parseValue(this.#text(exports.opa_value_dump(address))));
    const result = this.#builtins[id]?.call(values, this.evaluation);
    return result === undefined ? 0 : this.#store(exports, jsonOf(result));
  }

  #store(exports: Exports, json: string): number {
    const encoded = encoder.encode(json);
    const address = exports.opa_malloc(encoded.length);
    new Uint8Array(this.memory.buffer).set(encoded, address);
    return exports.opa_json_parse(address, encoded.length);
  }

  #text(address: number): string {
    const memory = new Uint8Array(this.memory.buffer);
    return decoder.decode(memory.subarray(address, memory.indexOf(0, address)));
  }
}

function jsonOf(result: Exclude<Result, undefined>): string {
  if (typeof result === 'bigint') return String(result);
  return Array.isArray(result) ? `[${result.map(jsonOf).join(',')}]` : JSON.stringify(result);
}

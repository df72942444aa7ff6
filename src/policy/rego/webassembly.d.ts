/** The part of the WebAssembly JavaScript interface used here; Node's types leave it to the DOM's, which we do not want. */
declare namespace WebAssembly {
  class Module {
    #module;
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Instance {
    constructor(module: Module, imports: Imports);
    readonly exports: Exports;
  }
  class Memory {
    constructor(limits: { initial: number; maximum?: number });
    readonly buffer: ArrayBuffer;
  }
  class Global {
    #global;
    readonly value: unknown;
  }
  interface Imports {
    [module: string]: { [name: string]: unknown };
  }
  interface Exports {
    [name: string]: unknown;
  }
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
  function instantiate(module: Module, imports: Imports): Promise<Instance>;
}

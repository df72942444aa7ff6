/** What the clients are given and give back: JSON on stdin and lines on stdout, the same in every language. */

/** The features, in the order of the table. */
export const FEATURES = {
  tools: 'list tools',
  tool: 'call tool',
  unicode: 'Unicode arguments',
  resource: 'read resource',
  prompt: 'get prompt',
  completion: 'completion',
  progress: 'progress',
  logging: 'logging',
  elicitation: 'elicitation',
  cancellation: 'cancellation',
} as const;
export type Feature = keyof typeof FEATURES;
export const FEATURE_IDS = Object.keys(FEATURES) as Feature[];

/** What a server has for a feature: what to ask for, and a piece of text that must come back. Each feature uses some of it. */
export interface Offer {
  readonly name?: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly expect?: string;
  /** How many reports of progress must arrive: for a server that sends the last one together with the answer, one less. */
  readonly steps?: number;
  /** A piece of the log message that must arrive. */
  readonly logged?: string;
  readonly uri?: string;
  readonly argument?: { readonly name: string; readonly value: string };
}
export type Offers = Readonly<Partial<Record<Feature, Offer>>>;

/** Where a server is: a URL, or a command that a client starts for itself. */
export interface Address {
  readonly url?: string;
  /** The URL is of the transport HTTP+SSE. */
  readonly sse?: boolean;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Target extends Address {
  readonly id: string;
  readonly offers: Offers;
}

/** One line of a client. `connect` stands for all features of a target that could not be reached. */
export interface Line {
  readonly target: string;
  readonly feature: Feature | 'connect';
  readonly ok: boolean;
  readonly detail: string;
}

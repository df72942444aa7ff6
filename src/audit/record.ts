/**
 * The record of one request: opened when the request arrives, filled on the way, closed exactly once.
 *
 *   const record = audit.open(call, bytes);
 *   try { …; record.target(…); record.decision(…) } catch (thrown) { record.error(…) } finally { record.close(outcome, bytes) }
 */
import type { GatewayError } from '../errors.ts';
import type { Call, Decision, JsonObject, Outcome, Principal, Target } from '../model.ts';
import { VERSION, type AuditError, type AuditEvent, type AuditPrincipal } from './event.ts';
import { maskArguments, type MaskOptions, type ArgumentsRule, type Masked } from './mask.ts';

export interface AuditRecord {
  /** The request id of the first record of a call that takes several rounds. */
  continues(requestId: string): void;
  target(target: Target, exposed?: string): void;
  arguments(value: JsonObject | undefined): void;
  /** Fields to mask add up over several decisions; of the rest the last one stands. */
  decision(decision: Decision, policyVersion: string): void;
  limit(rule: string): void;
  /** How many entries of a list the caller saw. */
  listed(count: number): void;
  error(error: GatewayError): void;
  /** Writes the record; `responseBytes` is the size of the result or error. A second call changes nothing and is reported. */
  close(outcome: Outcome, responseBytes: number): void;
}

/** What a record begins with: a `Call` has it all. */
export type AuditFacts = Pick<
  Call,
  'requestId' | 'method' | 'principal' | 'client' | 'era' | 'profile' | 'source'
>;

export interface RecordContext {
  readonly rule: ArgumentsRule;
  readonly scrub: MaskOptions['scrub'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly write: (event: AuditEvent) => void;
  readonly closedTwice: (requestId: string) => void;
}

type Filled = {
  -readonly [
    K in 'continues' | 'upstream' | 'target' | 'decision' | 'limit' | 'listed' | 'error'
  ]?: AuditEvent[K];
};

export function openRecord(facts: AuditFacts, requestBytes: number, context: RecordContext): AuditRecord {
  const time = context.now();
  const started = context.elapsed();
  const filled: Filled = {};
  const mask = new Set<string>();
  let given: JsonObject | undefined;
  let closed = false;

  function recordedArguments(): Masked | undefined {
    if (given === undefined) return undefined;
    return maskArguments(given, {
      rule: ruleFor(context.rule, filled.decision),
      paths: [...mask],
      scrub: context.scrub,
    });
  }

  return {
    continues: (requestId) => void (filled.continues = requestId),
    target({ upstream, kind, name }, exposed) {
      filled.upstream = upstream;
      filled.target = { kind, name, exposed };
    },
    arguments: (value) => void (given = value),
    decision({ allow, reasons, tags, failed, mask: paths }, policyVersion) {
      filled.decision = { allow, reasons, policyVersion, tags, failed: failed || undefined };
      for (const path of paths) mask.add(path);
    },
    limit: (rule) => void (filled.limit = rule),
    listed: (count) => void (filled.listed = count),
    error: (error) => void (filled.error = describe(error)),
    close(outcome, responseBytes) {
      if (closed) return context.closedTwice(facts.requestId);
      closed = true;
      const recorded = recordedArguments();
      context.write({
        v: VERSION,
        kind: 'request',
        time: new Date(time).toISOString(),
        requestId: facts.requestId,
        continues: filled.continues,
        principal: principalOf(facts.principal),
        client: facts.client,
        source: facts.source,
        era: facts.era,
        profile: facts.profile,
        method: facts.method.slice(0, MAX_METHOD),
        upstream: filled.upstream,
        target: filled.target,
        decision: filled.decision,
        limit: filled.limit,
        outcome,
        error: filled.error,
        listed: filled.listed,
        durationMs: milliseconds(context.elapsed() - started),
        sizes: { request: requestBytes, response: responseBytes },
        arguments: recorded?.arguments,
        masked: recorded?.masked.length ? recorded.masked : undefined,
        cut: recorded?.cut || undefined,
      });
    },
  };
}

/** A request that was refused before it became a call: its record has the same fields, as far as they are known. */
export function refusedEvent(
  about: { readonly requestId: string; readonly error: GatewayError; readonly source: string },
  now: number,
): AuditEvent {
  return {
    v: VERSION,
    kind: 'request',
    time: new Date(now).toISOString(),
    requestId: about.requestId,
    principal: null,
    client: null,
    source: about.source,
    era: null,
    profile: null,
    method: null,
    outcome: about.error.outcome,
    error: describe(about.error),
    durationMs: 0,
    sizes: { request: 0, response: 0 },
  };
}

/** Methods and messages may carry a caller's text; a record stays short. */
const MAX_METHOD = 200;
const MAX_MESSAGE = 2_000;

/** Microseconds are kept, what is finer is noise. */
const milliseconds = (elapsed: number): number => Math.round(elapsed * 1000) / 1000;

/** While no policy has said what to mask, values stay out. */
function ruleFor(rule: ArgumentsRule, decision: AuditEvent['decision']): ArgumentsRule {
  const unsaid = decision === undefined || decision.failed === true;
  return unsaid && rule !== 'none' ? 'keys' : rule;
}

function principalOf({ id, kind, issuer, tenant, roles }: Principal): AuditPrincipal {
  return { id, kind, issuer, tenant, roles };
}

function describe({ code, message, details }: GatewayError): AuditError {
  return { code, message: message.slice(0, MAX_MESSAGE), hidden: details.hidden?.slice(0, MAX_MESSAGE) };
}

/** Calls per tool, with a bound on how many tools are told apart. */
import type { Registry } from 'prom-client';
import { countFamily, type Count } from '../tally.ts';

export interface ToolMetrics {
  /** `tool` is the original name, from a catalog. The first 500 tools called get series of their own, the rest share `other`. */
  toolCall(upstream: string, tool: string, ok: boolean): void;
}

const NAMED_TOOLS = 500;
const OTHER = 'other';
const LABELS = ['gatehouse_upstream', 'gen_ai_tool_name'];

interface Counts {
  readonly calls: Count;
  readonly errors: Count;
}

export function toolMetrics(registry: Registry): ToolMetrics {
  const calls = countFamily({
    registry,
    name: 'gatehouse_tool_calls_total',
    help: 'Calls of a tool.',
    labels: LABELS,
  });
  const errors = countFamily({
    registry,
    name: 'gatehouse_tool_errors_total',
    help: 'Calls of a tool that did not end well.',
    labels: LABELS,
  });
  const named = new Map<string, Counts>();
  const countsOf = (upstream: string, tool: string): Counts => ({
    calls: calls.of(upstream, tool),
    errors: errors.of(upstream, tool),
  });

  function enter(upstream: string, tool: string, key: string): Counts {
    if (named.size >= NAMED_TOOLS) return countsOf(upstream, OTHER);
    const counts = countsOf(upstream, tool);
    named.set(key, counts);
    return counts;
  }
  return {
    toolCall(upstream, tool, ok) {
      const key = `${upstream}\n${tool}`;
      const counts = named.get(key) ?? enter(upstream, tool, key);
      counts.calls.value++;
      if (!ok) counts.errors.value++;
    },
  };
}

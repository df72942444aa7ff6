/**
 * Counters and histograms for the hot route: their series are plain numbers, read when Prometheus asks. prom-client's own
 * rebuild a key from the labels on every use, pre-bound or not: 0.2 µs a counter and 0.9 µs a histogram, against 0.1 here.
 */
import type { Metric, Registry } from 'prom-client';

export interface FamilyOptions {
  readonly registry: Registry;
  readonly name: string;
  readonly help: string;
  /** Three at most. */
  readonly labels: readonly string[];
}

/** All series of one name. Values of labels must come from a bounded set; only the last may hold a line feed. */
export interface Family<Series> {
  /** The series with these values of the labels, made when it is new. */
  of(first: string, second?: string, third?: string): Series;
}

export interface Count {
  value: number;
}

/** Register of a counter: increase `of(…).value`. */
export function countFamily(options: FamilyOptions): Family<Count> {
  const samples = ({ value }: Count, labels: Labels): Sample[] => [{ labels, value }];
  return createFamily(options, 'counter', () => ({ value: 0 }), samples);
}

export interface Distribution {
  observe(value: number): void;
}

/** Register of a histogram; `bounds` are the upper bounds of its buckets, ascending, without infinity. */
export function distributionFamily(options: FamilyOptions, bounds: readonly number[]): Family<Distribution> {
  return createFamily(
    options,
    'histogram',
    () => new Buckets(bounds),
    (buckets, labels) => buckets.samples(options.name, labels),
  );
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

class Buckets implements Distribution {
  readonly #bounds: readonly number[];
  /** One per bound, the last for what is above them all. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.#bounds.length && value > this.#bounds[i]!) i++;
    this.#counts[i]!++;
    this.#sum += value;
  }

  samples(name: string, labels: Labels): Sample[] {
    let total = 0;
    const buckets = [...this.#bounds, '+Inf'].map((le, i) => {
      total += this.#counts[i]!;
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: total },
    ];
  }
}

function createFamily<Series>(
  { registry, name, help, labels }: FamilyOptions,
  type: 'counter' | 'histogram',
  create: () => Series,
  samples: (series: Series, labels: Labels) => Sample[],
): Family<Series> {
  const members = new Map<string, { readonly series: Series; readonly labels: Labels }>();
  const values = (): Sample[] =>
    [...members.values()].flatMap((member) => samples(member.series, member.labels));
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ name, help, type, aggregator: 'sum', values: values() }),
  };
  registry.registerMetric(metric as unknown as Metric); // all that a registry asks of a metric

  function add(key: string, given: readonly string[]): Series {
    const series = create();
    members.set(key, {
      series,
      labels: Object.fromEntries(labels.map((label, i) => [label, given[i] ?? ''])),
    });
    return series;
  }
  return {
    of(first, second = '', third = '') {
      const key = `${first}\n${second}\n${third}`;
      return members.get(key)?.series ?? add(key, [first, second, third]);
    },
  };
}

/** The cells as Markdown: a table for each client, servers down, features across. */
import type { Accepted } from './accepted.ts';
import { FEATURE_IDS, FEATURES, type Feature } from './plan.ts';
import { covers, type Cell } from './results.ts';

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** `–` also stands for a feature that no client gets from the server directly. */
function textOf(cell: Cell | undefined, cells: readonly Cell[], accepted: readonly Accepted[]): string {
  if (cell === undefined) return '–';
  if (cell.through === '') return cell.direct === '' ? 'yes' : 'yes ¹';
  const others = cells.filter(({ server, feature }) => server === cell.server && feature === cell.feature);
  if (!others.some(({ direct }) => direct === '')) return '–';
  const line = accepted.findIndex((one) => covers(one, cell));
  return line >= 0 ? `no, see ${line + 1}` : 'no';
}

function tableOf(client: string, all: readonly Cell[], accepted: readonly Accepted[]): string {
  const cells = all.filter((cell) => cell.client.id === client);
  const servers = new Set(cells.map(({ server }) => server));
  const rows = [...servers].map((server) => {
    const find = (feature: Feature) =>
      cells.find((cell) => cell.server === server && cell.feature === feature);
    return [
      server.title,
      server.transport,
      ...FEATURE_IDS.map((feature) => textOf(find(feature), all, accepted)),
    ];
  });
  const head = ['Server', 'Transport', ...FEATURE_IDS.map((feature) => FEATURES[feature])];
  return `### Client: ${cells[0]!.client.title}\n\n${table(head, rows)}\n`;
}

export function page(
  cells: readonly Cell[],
  accepted: readonly Accepted[],
  versions: readonly string[],
): string {
  const clients = [...new Set(cells.map(({ client }) => client.id))].sort();
  const reasons = accepted.map(({ reason }, index) => `${index + 1}. ${reason}`).join('\n');
  const tables = clients.map((client) => tableOf(client, cells, accepted)).join('\n');
  return `Measured: ${versions.join(', ')}.\n\n${tables}\n### Known differences\n\n${reasons || 'None.'}\n`;
}

/** One request on its route: what every step is given. */
import type { AuditRecord } from '../audit/record.ts';
import type { Entry } from '../catalog/catalog.ts';
import type { Call } from '../model.ts';
import type { Snapshot } from './snapshot.ts';

export interface Attempt {
  readonly snapshot: Snapshot;
  readonly call: Call;
  readonly record: AuditRecord;
  /** Set by `resolve`: the target that this caller may know of. */
  entry: Entry | undefined;
}

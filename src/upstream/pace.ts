/** How fast an upstream is brought back, asked again and given up, in milliseconds. */
export interface Pace {
  /** Wait before the first attempt to come back; doubled with each failure up to the last. */
  readonly backoffFirst: number;
  readonly backoffLast: number;
  /** Up for this long, and the next failure counts as the first. */
  readonly stable: number;
  /** At most one refetch of the lists in this time, however many changes are announced. */
  readonly refetch: number;
  /** Longest wait for each step of the handshake. */
  readonly handshake: number;
  /** How long a connection of one caller is kept without a call. */
  readonly laneIdle: number;
}

export const PACE: Pace = {
  backoffFirst: 500,
  backoffLast: 30_000,
  stable: 20_000,
  refetch: 500,
  handshake: 30_000,
  laneIdle: 120_000,
};

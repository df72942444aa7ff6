/** Many requests for the same work become few runs of it, and the last request is never lost. */

export interface Coalesced {
  /** Runs the task within the period, unless such a run is already due. */
  ask(): void;
  /** Forgets the run that is due. */
  cancel(): void;
}

/** At most one start of `task` in `period` milliseconds and never two at once; what is asked during a run leads to another. */
export function coalesce(task: () => Promise<void>, period: number): Coalesced {
  let due: NodeJS.Timeout | undefined;
  let running = false;
  let again = false;

  async function run(): Promise<void> {
    due = undefined;
    running = true;
    try {
      await task();
    } finally {
      running = false;
      if (again) ask();
      again = false;
    }
  }

  function ask(): void {
    if (running) again = true;
    else due ??= setTimeout(() => void run(), period);
  }

  function cancel(): void {
    clearTimeout(due);
    due = undefined;
    again = false;
  }

  return { ask, cancel };
}

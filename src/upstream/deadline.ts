/** A deadline that stands still while somebody is asked: human time does not count against a call. */

export interface Deadline {
  /** The clock stands until the returned function is called; several may hold it. */
  hold(): () => void;
  clear(): void;
}

/** `expired` is called once, after `ms` of time that nobody held. 0 = never. */
export function startDeadline(ms: number, expired: () => void): Deadline {
  let left = ms;
  let started = 0;
  let holders = 0;
  let timer: NodeJS.Timeout | undefined;
  let over = ms === 0;

  function run(): void {
    if (over) return;
    started = performance.now();
    timer = setTimeout(expired, left);
  }

  run();
  return {
    hold() {
      if (holders++ === 0 && timer) {
        clearTimeout(timer);
        left = Math.max(1, left - (performance.now() - started));
      }
      let held = true;
      return () => {
        if (held && --holders === 0) run();
        held = false;
      };
    },
    clear() {
      over = true;
      clearTimeout(timer);
    },
  };
}

/** Globs of the configuration: `*` stands for any characters, everything else for itself. Case counts. */

/**
 * A test for one glob. No regular expression is made of it: each piece is searched once, left to right, so that no glob
 * and no name can make it slow.
 */
export function compileGlob(glob: string): (text: string) => boolean {
  const [head = '', ...rest] = glob.split('*');
  const tail = rest.pop();
  if (tail === undefined) return (text) => text === glob;
  return (text) => {
    const end = text.length - tail.length;
    if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
    let at = head.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found < 0 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}

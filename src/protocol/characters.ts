/** The characters that give JSON its structure, as codes: the same in text and in UTF-8 bytes. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN = 0x7b;
export const CLOSE = 0x7d;

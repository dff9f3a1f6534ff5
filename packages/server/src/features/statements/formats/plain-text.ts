// User's texts in files of one line per text.

/** Controls, line and paragraph separators, marks of direction, and code points without a character. */
const unprintable =
  /[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]+/gu

/** Returns a text on one line, without characters that are invisible or change the direction of others. */
export const toPlainText = (text: string): string =>
  text
    .replaceAll(unprintable, ' ')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim()

/** Returns at most `length` code units of a text, without half a character at the end. */
export const cutText = (text: string, length: number): string =>
  text.length <= length
    ? text
    : text
        .slice(0, length)
        .replace(/[\ud800-\udbff]$/, '')
        .trimEnd()

// Links as they arrive from mails, chats and codes: wrapped over lines, in brackets, with the sentence's signs around them.

/** What the signed ids of payment, receipt and tracking links take: 32 bytes in base64url. */
const dataLength = 43

/** Signs without width that mail programs and chats put into long words, and those that direct text. */
const invisibleSigns = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

export const withoutInvisible = (text: string): string => text.replaceAll(invisibleSigns, '')

/** What may stand between the pieces of a wrapped word; an equals sign ends a line of a quoted-printable mail. */
const wrap = /=?\s+/

/**
 * The signed id in the text of an address: its first word in base64url, without signs around it, and put together again where
 * a mail program wrapped it. "" without one.
 */
export function readLinkData(text: string): string {
  const [first = '', ...more] = withoutInvisible(text)
    .replace(/^[^\w-]+/, '')
    .split(wrap)
  let joined = first
  for (const piece of more) {
    if (joined.length >= dataLength) break
    joined += piece
  }
  const wordOf = (written: string): string => /^[\w-]*/.exec(written)?.[0] ?? ''
  const whole = wordOf(joined)
  const word = whole.length >= dataLength && isOneWord(joined) ? whole : wordOf(first)
  // Letters of the alphabet that are no part of it: a quoted-printable equals sign before it, and behind it the emphasis of a
  // chat, such as _link_, or the beginning of the same link pasted twice.
  return /^(?:3D)?([\w-]{43})(?:[_-]+|https?)?$/.exec(word)?.[1] ?? word
}

const isOneWord = (joined: string): boolean => new RegExp(`^[\\w-]{${dataLength}}(?![A-Za-z0-9])`).test(joined)

/** A value of a mailed link, such as a token or a path, without what a mail program or a sentence has put around it. */
export const trimLinkValue = (text: string): string =>
  withoutInvisible(text)
    .replaceAll(/\s/g, '')
    .replaceAll(/^[^\w/-]+|[^\w/-]+$/g, '')

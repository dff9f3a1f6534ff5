// Links as they arrive in mails, chats and QR codes: wrapped over lines, in brackets, with punctuation around them.

/** Length of the signed ids in payment, receipt and tracking links: 32 bytes in base64url. */
const dataLength = 43

/** Zero-width characters that mail programs and chats insert into long words, and marks of text direction. */
const invisibleSigns = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g

export const removeInvisible = (text: string): string => text.replaceAll(invisibleSigns, '')

/** Separator between the pieces of a wrapped word; a quoted-printable mail ends lines with an equals sign. */
const wrapPattern = /=?\s+/

/**
 * Extracts the signed id from the text of an address: its first base64url word, without punctuation around it, rejoined
 * where a mail program wrapped it. Returns "" without one.
 */
export function readLinkData(text: string): string {
  const [first = '', ...otherParts] = removeInvisible(text)
    .replace(/^[^\w-]+/, '')
    .split(wrapPattern)
  let joinedText = first
  for (const piece of otherParts) {
    if (joinedText.length >= dataLength) break
    joinedText += piece
  }
  const readWord = (rawText: string): string => /^[\w-]*/.exec(rawText)?.[0] ?? ''
  const wholeWord = readWord(joinedText)
  const word = wholeWord.length >= dataLength && isOneWord(joinedText) ? wholeWord : readWord(first)
  // Characters of the alphabet that are not part of the id: `3D` of quoted-printable before it; after it the emphasis
  // of a chat, such as _link_, or the start of the same link pasted twice.
  return /^(?:3D)?([\w-]{43})(?:[_-]+|https?)?$/.exec(word)?.[1] ?? word
}

const isOneWord = (text: string): boolean => new RegExp(`^[\\w-]{${dataLength}}(?![A-Za-z0-9])`).test(text)

/** Value of a mailed link, such as a token or a path, without characters added by a mail program or a sentence. */
export const trimLinkValue = (text: string): string =>
  removeInvisible(text)
    .replaceAll(/\s/g, '')
    .replaceAll(/^[^\w/-]+|[^\w/-]+$/g, '')

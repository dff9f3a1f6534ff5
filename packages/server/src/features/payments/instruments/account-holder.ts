import { plainLetters } from '@tern/contract/protocol/text/plain-letters'

/** Two-letter spellings of German and Scandinavian letters. */
const pairs: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' }

const splitWords = (name: string, letters: Readonly<Record<string, string>>): string[] =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\p{L}/gu, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** Words of a name in each plain-letter spelling, with and without hyphens and apostrophes. */
const listSpellings = (name: string): string[][] =>
  [name, name.replaceAll(/['’ʼ`‐‑-]/g, '')].flatMap((text) => [
    splitWords(text, plainLetters),
    splitWords(text, { ...plainLetters, ...pairs }),
  ])

const isSameWord = (a: string, b: string): boolean =>
  a === b || (a.length === 1 && b.startsWith(a)) || (b.length === 1 && a.startsWith(b))

/**
 * Compares a bank account's holder with the verified person: the first and last word of the verified name must appear
 * in the holder's name, one of them in full and the other at least as an initial. Order, accents, plain-letter
 * spellings, middle names and joint holders do not matter.
 */
export const isSameHolder = (holderName: string, verifiedName: string): boolean =>
  listSpellings(holderName).some((holder) =>
    listSpellings(verifiedName).some((verified) => matchesWords(holder, verified)),
  )

function matchesWords(holder: readonly string[], verified: readonly string[]): boolean {
  const ends = [verified[0], verified.at(-1)].filter((word) => word !== undefined)
  if (ends.length === 0) return false
  const hasFullWord = ends.some((word) => holder.includes(word))
  return hasFullWord && ends.every((word) => holder.some((other) => isSameWord(word, other)))
}

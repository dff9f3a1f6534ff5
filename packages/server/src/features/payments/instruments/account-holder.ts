import { plainLetters } from '@tern/contract/protocol/text/plain-letters'

/** As many write them in German and Scandinavian names. */
const pairs: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' }

const wordsOf = (name: string, letters: Readonly<Record<string, string>>): string[] =>
  name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/\p{L}/gu, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/** The words of a name, in each way to write them in plain letters, with hyphens and apostrophes or without. */
const spellingsOf = (name: string): string[][] =>
  [name, name.replaceAll(/['’ʼ`‐‑-]/g, '')].flatMap((text) => [
    wordsOf(text, plainLetters),
    wordsOf(text, { ...plainLetters, ...pairs }),
  ])

const isSameWord = (one: string, other: string): boolean =>
  one === other || (one.length === 1 && other.startsWith(one)) || (other.length === 1 && one.startsWith(other))

/**
 * Whether a bank account can be the verified person's: their first and last word stand in the holder's name, one of them
 * whole and the other at least as its initial. Order, accents, letters written as plain ones, middle names and joint
 * holders do not matter.
 */
export const isSameHolder = (holderName: string, verifiedName: string): boolean =>
  spellingsOf(holderName).some((holder) =>
    spellingsOf(verifiedName).some((verified) => isSameInWords(holder, verified)),
  )

function isSameInWords(holder: readonly string[], verified: readonly string[]): boolean {
  const ends = [verified[0], verified.at(-1)].filter((word) => word !== undefined)
  if (ends.length === 0) return false
  const hasWhole = ends.some((word) => holder.includes(word))
  return hasWhole && ends.every((word) => holder.some((other) => isSameWord(word, other)))
}

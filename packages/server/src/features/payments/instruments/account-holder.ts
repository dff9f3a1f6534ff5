// Letters without an accent to take off, as banks write them.
const written: Readonly<Record<string, string>> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  ı: 'i',
  æ: 'ae',
  œ: 'oe',
}

/** Without case and accents. Banks write ü as u or as ue, so both are one here. */
const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[łøđðþßıæœ]/g, (letter) => written[letter] ?? letter)
    .replaceAll(/([aou])e|aa/g, (pair) => pair.charAt(0))

const wordsOf = (name: string): string[] => name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)

/** A name's words, those with hyphens and apostrophes first apart, then as one: banks write both. */
const readingsOf = (name: string): string[][] =>
  [plain(name), plain(name).replaceAll(/['’ʼ`‐‑-]/g, '')].map((text) => wordsOf(text))

const isSameWord = (one: string, other: string): boolean =>
  one === other || (one.length === 1 && other.startsWith(one)) || (other.length === 1 && one.startsWith(other))

/**
 * Whether a bank account can be the verified person's: their first and last word stand in the holder's name, one of them
 * whole and the other at least as its initial. Order, accents, middle names and joint holders do not matter.
 */
export const isSameHolder = (holderName: string, verifiedName: string): boolean =>
  readingsOf(verifiedName).some((verified) => readingsOf(holderName).some((holder) => areSame(holder, verified)))

function areSame(holder: readonly string[], verified: readonly string[]): boolean {
  const ends = [verified[0], verified.at(-1)].filter((word) => word !== undefined)
  if (ends.length === 0) return false
  const hasWhole = ends.some((word) => holder.includes(word))
  return hasWhole && ends.every((word) => holder.some((other) => isSameWord(word, other)))
}

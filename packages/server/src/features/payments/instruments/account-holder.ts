const wordsOf = (name: string): string[] =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

const isSameWord = (one: string, other: string): boolean =>
  one === other || (one.length === 1 && other.startsWith(one)) || (other.length === 1 && one.startsWith(other))

/**
 * Whether a bank account can be the verified person's: their first and last word stand in the holder's name, one of them
 * whole and the other at least as its initial. Order, accents, middle names and joint holders do not matter.
 */
export function isSameHolder(holderName: string, verifiedName: string): boolean {
  const [holder, verified] = [wordsOf(holderName), wordsOf(verifiedName)]
  const ends = [verified[0], verified.at(-1)].filter((word) => word !== undefined)
  if (ends.length === 0) return false
  const hasWhole = ends.some((word) => holder.includes(word))
  return hasWhole && ends.every((word) => holder.some((other) => isSameWord(word, other)))
}

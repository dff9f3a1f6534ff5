const prefixScale = 0.1
const longestPrefix = 4

/** Reused marks of matched letters; longer words get arrays of their own. */
const ownMarks = new Uint8Array(64)
const otherMarks = new Uint8Array(64)
function clearMarks(marks: Uint8Array, length: number): Uint8Array {
  if (length > marks.length) return new Uint8Array(length)
  for (let index = 0; index < length; index += 1) marks[index] = 0
  return marks
}

/**
 * Returns the similarity of two words from 0 to 1: the share of letters found near their place, less for transpositions
 * (Jaro 1989), more for a common prefix (Winkler 1990).
 */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1)
  const isFound = clearMarks(ownMarks, a.length)
  const isTaken = clearMarks(otherMarks, b.length)
  let common = 0
  for (let index = 0; index < a.length; index += 1) {
    const letter = a.charCodeAt(index)
    const last = Math.min(b.length - 1, index + reach)
    for (let place = Math.max(0, index - reach); place <= last; place += 1) {
      if (isTaken[place] || letter !== b.charCodeAt(place)) continue
      isTaken[place] = 1
      isFound[index] = 1
      common += 1
      break
    }
  }
  if (common === 0) return 0
  let outOfOrder = 0
  let place = 0
  for (let index = 0; index < a.length; index += 1) {
    if (!isFound[index]) continue
    while (!isTaken[place]) place += 1
    if (b.charCodeAt(place) !== a.charCodeAt(index)) outOfOrder += 1
    place += 1
  }
  const jaro = (common / a.length + common / b.length + (common - outOfOrder / 2) / common) / 3
  let prefix = 0
  while (prefix < longestPrefix && prefix < a.length && a[prefix] === b[prefix]) prefix += 1
  return jaro + prefix * prefixScale * (1 - jaro)
}

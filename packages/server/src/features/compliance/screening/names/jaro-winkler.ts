const prefixScale = 0.1
const longestPrefix = 4

/** Marks of matched letters, reused by every comparison; longer words get arrays of their own. */
const ownMarks = new Uint8Array(64)
const otherMarks = new Uint8Array(64)
function resetMarks(marks: Uint8Array, length: number): Uint8Array {
  if (length > marks.length) return new Uint8Array(length)
  for (let index = 0; index < length; index += 1) marks[index] = 0
  return marks
}

/**
 * Returns the similarity of two words from 0 to 1: higher for more letters in common near the same position, lower for
 * transpositions (Jaro 1989), higher for a common prefix (Winkler 1990).
 */
export function jaroWinkler(a: string, b: string): number {
  if (a === b) return 1
  const matchWindow = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1)
  const foundMarks = resetMarks(ownMarks, a.length)
  const usedMarks = resetMarks(otherMarks, b.length)
  let commonLetters = 0
  for (let index = 0; index < a.length; index += 1) {
    const letter = a.charCodeAt(index)
    const last = Math.min(b.length - 1, index + matchWindow)
    for (let place = Math.max(0, index - matchWindow); place <= last; place += 1) {
      if (usedMarks[place] || letter !== b.charCodeAt(place)) continue
      usedMarks[place] = 1
      foundMarks[index] = 1
      commonLetters += 1
      break
    }
  }
  if (commonLetters === 0) return 0
  let transpositions = 0
  let place = 0
  for (let index = 0; index < a.length; index += 1) {
    if (!foundMarks[index]) continue
    while (!usedMarks[place]) place += 1
    if (b.charCodeAt(place) !== a.charCodeAt(index)) transpositions += 1
    place += 1
  }
  const jaro =
    (commonLetters / a.length + commonLetters / b.length + (commonLetters - transpositions / 2) / commonLetters) / 3
  let prefix = 0
  while (prefix < longestPrefix && prefix < a.length && a[prefix] === b[prefix]) prefix += 1
  return jaro + prefix * prefixScale * (1 - jaro)
}

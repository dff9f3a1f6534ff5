/** Bits that can be added without overflow; longer texts all count as near. */
const maxLetters = 30
/** Letters of large alphabets share places, which only makes texts look nearer. */
const letterPlaces = 128
const placeMask = letterPlaces - 1

/**
 * Counts typing errors like `typingErrors`, for all letters of `text` at once (Hyyrö 2003, "A bit-vector algorithm for
 * computing Levenshtein and Damerau edit distances"). Returns a lower bound of the number of errors.
 */
export function createErrorCount(text: string): (other: string) => number {
  const { length } = text
  if (length === 0 || length > maxLetters) return () => 0
  const places = new Int32Array(letterPlaces)
  for (let index = 0; index < length; index += 1) {
    const letter = text.charCodeAt(index) & placeMask
    places[letter] = (places[letter] ?? 0) | (1 << index)
  }
  const all = (1 << length) - 1
  const last = 1 << (length - 1)
  return (other) => {
    let moreBits = all
    let fewerBits = 0
    let equal = 0
    let previousBits = 0
    let errors = length
    for (let index = 0; index < other.length; index += 1) {
      const matchBits = places[other.charCodeAt(index) & placeMask] ?? 0
      const swapBits = ((~equal & matchBits) << 1) & previousBits
      equal = ((((matchBits & moreBits) + moreBits) ^ moreBits) | matchBits | fewerBits | swapBits) & all
      const added = (fewerBits | ~(equal | moreBits)) & all
      const deletionBits = equal & moreBits
      if (added & last) errors += 1
      if (deletionBits & last) errors -= 1
      const carryBits = ((added << 1) | 1) & all
      moreBits = ((deletionBits << 1) | ~(equal | carryBits)) & all
      fewerBits = carryBits & equal
      previousBits = matchBits
    }
    return errors
  }
}

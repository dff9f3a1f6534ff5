/** Longest text, since more bits cannot be added without overflow. For longer texts, no errors are counted. */
const maxLetters = 30
/** Size of the table of letters. Letters of large alphabets share places, which can only lower the count. */
const letterPlaces = 128
const placeMask = letterPlaces - 1

/**
 * Returns a function that counts typing errors like `countTypingErrors`, for all letters of `text` at once (Hyyrö 2003,
 * "A bit-vector algorithm for computing Levenshtein and Damerau edit distances"). The count is a lower bound.
 */
export function createErrorCounter(text: string): (other: string) => number {
  const { length } = text
  if (length === 0 || length > maxLetters) return () => 0
  const places = new Int32Array(letterPlaces)
  for (let index = 0; index < length; index += 1) {
    const letter = text.charCodeAt(index) & placeMask
    places[letter] = (places[letter] ?? 0) | (1 << index)
  }
  const allBits = (1 << length) - 1
  const last = 1 << (length - 1)
  return (other) => {
    let moreBits = allBits
    let fewerBits = 0
    let equalBits = 0
    let previousBits = 0
    let errors = length
    for (let index = 0; index < other.length; index += 1) {
      const matchBits = places[other.charCodeAt(index) & placeMask] ?? 0
      const swapBits = ((~equalBits & matchBits) << 1) & previousBits
      equalBits = ((((matchBits & moreBits) + moreBits) ^ moreBits) | matchBits | fewerBits | swapBits) & allBits
      const increaseBits = (fewerBits | ~(equalBits | moreBits)) & allBits
      const decreaseBits = equalBits & moreBits
      if (increaseBits & last) errors += 1
      if (decreaseBits & last) errors -= 1
      const carryBits = ((increaseBits << 1) | 1) & allBits
      moreBits = ((decreaseBits << 1) | ~(equalBits | carryBits)) & allBits
      fewerBits = carryBits & equalBits
      previousBits = matchBits
    }
    return errors
  }
}

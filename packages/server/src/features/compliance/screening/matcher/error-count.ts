/** Bits that can be added without overflow; longer texts all count as near. */
const mostLetters = 30
/** Letters of large alphabets share places, which only makes texts look nearer. */
const letterPlaces = 128
const placeMask = letterPlaces - 1

/**
 * Counts typing errors like `typingErrors`, for all letters of `text` at once (Hyyrö 2003, "A bit-vector algorithm for
 * computing Levenshtein and Damerau edit distances"). Returns a lower bound of the number of errors.
 */
export function createErrorCount(text: string): (other: string) => number {
  const { length } = text
  if (length === 0 || length > mostLetters) return () => 0
  const places = new Int32Array(letterPlaces)
  for (let index = 0; index < length; index += 1) {
    const letter = text.charCodeAt(index) & placeMask
    places[letter] = (places[letter] ?? 0) | (1 << index)
  }
  const all = (1 << length) - 1
  const last = 1 << (length - 1)
  return (other) => {
    let more = all
    let fewer = 0
    let equal = 0
    let before = 0
    let errors = length
    for (let index = 0; index < other.length; index += 1) {
      const here = places[other.charCodeAt(index) & placeMask] ?? 0
      const swapped = ((~equal & here) << 1) & before
      equal = ((((here & more) + more) ^ more) | here | fewer | swapped) & all
      const added = (fewer | ~(equal | more)) & all
      const dropped = equal & more
      if (added & last) errors += 1
      if (dropped & last) errors -= 1
      const carried = ((added << 1) | 1) & all
      more = ((dropped << 1) | ~(equal | carried)) & all
      fewer = carried & equal
      before = here
    }
    return errors
  }
}

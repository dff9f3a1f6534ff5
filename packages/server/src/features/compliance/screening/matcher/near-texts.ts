import { bitsPerError, countBits, lettersIn } from './letter-sets.ts'

/** Bits of a number that can be added without overflow; longer texts are all taken as near. */
const mostLetters = 30
/** Letters of large alphabets share places, which only brings texts nearer. */
const letterPlaces = 128
const placeMask = letterPlaces - 1

/**
 * Counts typing errors like `typingErrors`, all letters of `text` at once (Hyyrö 2003, "A bit-vector algorithm for
 * computing Levenshtein and Damerau edit distances"). What it gives is the number of errors or less.
 */
function createErrorCount(text: string): (other: string) => number {
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

/** Texts of one length whose words are of one length. */
interface Group {
  readonly length: number
  readonly wordLength: number
  readonly places: Uint32Array
  readonly letters: Int32Array
}

function groupsOf(texts: readonly string[], wordLengths: ArrayLike<number>): Group[] {
  const groups = Map.groupBy(texts.keys(), (place) => `${texts[place]?.length} ${wordLengths[place]}`)
  return Array.from(groups.values(), (places) => ({
    length: texts[places[0] ?? 0]?.length ?? 0,
    wordLength: wordLengths[places[0] ?? 0] ?? 0,
    places: Uint32Array.from(places),
    letters: Int32Array.from(places, (place) => lettersIn(texts[place] ?? '')),
  }))
}

/** Texts among which those near another are looked for, each the form of a word of the length given for it. */
export function createNearTexts(texts: readonly string[], wordLengths: ArrayLike<number>) {
  const groups = groupsOf(texts, wordLengths)
  return {
    /**
     * Adds the places of all texts to `found` that few typing errors make of `text`, and perhaps others. `mostErrors` says
     * how many there may be, by the length of the word.
     */
    collect(text: string, mostErrors: (wordLength: number) => number, found: Set<number>): void {
      const own = lettersIn(text)
      const errorsOf = createErrorCount(text)
      for (const { length, wordLength, places, letters } of groups) {
        const most = mostErrors(wordLength)
        if (most === 0 || Math.abs(length - text.length) > most) continue
        const mostBits = bitsPerError * most
        for (let index = 0; index < letters.length; index += 1) {
          if (countBits((letters[index] as number) ^ own) > mostBits) continue
          const place = places[index] as number
          if (errorsOf(texts[place] ?? '') <= most) found.add(place)
        }
      }
    },
  }
}

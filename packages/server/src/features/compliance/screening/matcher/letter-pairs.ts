import { maxLetterErrors } from '../names/score.ts'
import { groupNumbers } from './grouped-numbers.ts'
import { bitsPerError, countBits, toLetterSet } from './letter-sets.ts'

// Key of a pair of neighbouring letters: six bits of each letter, and the number of earlier occurrences of the pair.
const letterBits = 6
const pairCountBits = 3
const keyCount = 1 << (2 * letterBits + pairCountBits)
const maxPairCount = (1 << pairCountBits) - 1
const letterMask = (1 << letterBits) - 1

/** Swapped letters change at most three pairs, any other typing error at most two. */
const pairsPerError = 3

/** Returns the allowed typing errors of a whole name; negative if it is too short to be compared as a whole. */
const allowedErrors = (letters: number): number => (letters < 6 ? -1 : letters < 8 ? 1 : maxLetterErrors)

/**
 * Returns the keys of all neighbouring pairs, the last letter followed by the first, so that the order of words matters
 * little.
 */
function listPairs(text: string): number[] {
  const countByPair = new Map<number, number>()
  return Array.from({ length: text.length }, (_, index) => {
    const [first, second] = [text.charCodeAt(index), text.charCodeAt(index + 1 < text.length ? index + 1 : 0)]
    const pair = ((first & letterMask) << letterBits) | (second & letterMask)
    const count = countByPair.get(pair) ?? 0
    countByPair.set(pair, count + 1)
    return (pair << pairCountBits) | Math.min(count, maxPairCount)
  })
}

interface NamedText {
  readonly text: string
  /** Index of the name. */
  readonly name: number
}

/** Adds all names within a few typing errors of any rotation of `text` to `places`; may add others. */
export type NearLetters = (text: string, places: Set<number>) => void

/** Collects names, each as one word in one or more spellings. */
export function collectLetters() {
  const texts: NamedText[] = []
  return {
    add: (text: string, name: number): void => void texts.push({ text, name }),
    build: (): NearLetters => createNearLetters(texts.toSorted((a, b) => a.text.length - b.text.length)),
  }
}

/** Creates the search; `texts` must be sorted by length. */
function createNearLetters(texts: readonly NamedText[]): NearLetters {
  const lengths = Uint16Array.from(texts, ({ text }) => text.length)
  const letters = Int32Array.from(texts, ({ text }) => toLetterSet(text))
  const names = Uint32Array.from(texts, ({ name }) => name)
  const textsByPair = groupNumbers(keyCount, function* () {
    for (const [place, { text }] of texts.entries()) for (const pair of listPairs(text)) yield [pair, place]
  })
  const commonPairCounts = new Uint16Array(texts.length)

  /** Returns the index of the first text with at least this many letters. */
  const findFirst = (length: number): number => {
    let [low, high] = [0, lengths.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((lengths[middle] ?? 0) < length) low = middle + 1
      else high = middle
    }
    return low
  }

  return (text, found) => {
    const errors = allowedErrors(text.length)
    if (errors < 0) return
    const [first, end] = [findFirst(text.length - errors), findFirst(text.length + errors + 1)]
    commonPairCounts.fill(0, first, end)
    for (const pair of listPairs(text)) {
      for (const place of textsByPair.of(pair)) {
        if (place >= end) break
        if (place >= first) commonPairCounts[place] = (commonPairCounts[place] ?? 0) + 1
      }
    }
    const ownLetters = toLetterSet(text)
    for (let place = first; place < end; place += 1) {
      const minShared = Math.max(text.length, lengths[place] ?? 0) - pairsPerError * errors
      if ((commonPairCounts[place] ?? 0) < minShared) continue
      if (countBits((letters[place] ?? 0) ^ ownLetters) <= bitsPerError * errors) found.add(names[place] ?? 0)
    }
  }
}

import type { ComparedWord } from '../names/compared-name.ts'
import type { WordWeight } from '../names/score.ts'

const minNameCount = 4
const minWeight = 0.35
const reductionPerFactorTen = 0.3

/**
 * Returns 1 for a word of fewer than `minNameCount` listed names, and `reductionPerFactorTen` less for each factor of ten
 * above one, down to `minWeight`.
 */
const computeWeight = (names: number): number =>
  names < minNameCount ? 1 : Math.max(minWeight, 1 - reductionPerFactorTen * Math.log10(names))

/** Weighs each spelling by the number of listed names that contain it. */
export function createWordWeights(words: readonly ComparedWord[], countNames: (word: number) => number) {
  const counts = new Map<string, number>()
  words.forEach(({ spelling }, word) => counts.set(spelling, (counts.get(spelling) ?? 0) + countNames(word)))
  const weights = new Map(
    Array.from(counts)
      .filter(([, count]) => count >= minNameCount)
      .map(([spelling, count]) => [spelling, computeWeight(count)]),
  )
  const of: WordWeight = (spelling) => weights.get(spelling) ?? 1
  return { of }
}

export type WordWeights = ReturnType<typeof createWordWeights>

import type { ComparedWord } from '../names/compared-name.ts'
import type { WordWeight } from '../names/score.ts'

const minNameCount = 4
const minWeight = 0.35
const reductionPerFactorTen = 0.3

/** Returns 1 for a word in fewer than `minNameCount` listed names, less by `reductionPerFactorTen` per factor of ten. */
const computeWeight = (names: number): number =>
  names < minNameCount ? 1 : Math.max(minWeight, 1 - reductionPerFactorTen * Math.log10(names))

/** Weighs words by how many listed names have them in any spelling. */
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

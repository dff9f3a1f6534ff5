import { type EntryKind, entryKinds } from '../lists/entry.ts'
import { type ComparedName, type ComparedWord, consonantWords, foldedWords } from '../names/compared-name.ts'
import { largerShareWeight, maxUnmatchedWeight, reviewFrom, computeScore } from '../names/score.ts'
import { collectLetters, type NearLetters } from './letter-pairs.ts'
import { type GroupedNumbers, groupNumbers } from './grouped-numbers.ts'
import { createWordDictionary, type WordDictionary } from './word-dictionary.ts'
import { createWordWeights, type WordWeights } from './word-weights.ts'

/** Listed name with a score of at least `reviewFrom`. */
export interface NameFit {
  readonly id: bigint
  /** In basis points. */
  readonly score: number
  readonly kind: EntryKind
}

/** All listed names; names and words are numbered. */
interface ListedColumns {
  readonly ids: BigInt64Array
  readonly words: readonly ComparedWord[]
  readonly wordsOfName: GroupedNumbers
  readonly namesOfWord: GroupedNumbers
  readonly weights: WordWeights
  /** Weights by word, and their sum by name. */
  readonly wordWeights: Float64Array
  readonly nameWeights: Float64Array
  /** Written words by name, separated by spaces, if they differ from the folded words. */
  readonly writtenWords: ReadonlyMap<number, string>
  /** Kind of the entry of each name. */
  readonly kinds: readonly EntryKind[]
  /** Positions of the words that a hold requires, by name. */
  readonly familyPlaces: GroupedNumbers
  /** Dropped words that a hold requires, by name. */
  readonly droppedWords: ReadonlyMap<number, readonly string[]>
}

/** Listed word similar to own words: the highest similarity, and the positions of the own words as bits. */
interface FoundWord {
  similarity: number
  own: number
}

// The search sums weights in another order than the score, so its bound may differ by a rounding error.
const roundingError = 1e-9
const minScore = (reviewFrom - 0.5) / 10_000 - roundingError

/** Own words beyond this number count as matched, which may add candidates and loses none. */
const maxCountedWords = 32

function findWords(ownName: ComparedName, dictionary: WordDictionary): Map<number, FoundWord> {
  const foundWords = new Map<number, FoundWord>()
  ownName.words.forEach((ownWord, index) => {
    const bit = index < maxCountedWords ? 1 << index : 0
    for (const { word, similarity } of dictionary.findSimilarWords(ownWord, ownName.isBare)) {
      const foundWord = foundWords.get(word)
      if (!foundWord) foundWords.set(word, { similarity, own: bit })
      else {
        foundWord.similarity = Math.max(foundWord.similarity, similarity)
        foundWord.own |= bit
      }
    }
  })
  return foundWords
}

/** Returns a search for names that share enough words for `computeWordScore` to reach `reviewFrom`. */
function createWordSearch(
  { ids, namesOfWord, weights, wordWeights, nameWeights }: ListedColumns,
  dictionary: WordDictionary,
) {
  // By name: weight of its matched words, the same multiplied by similarity, and the matched own words as bits.
  const pairedWeights = new Float64Array(ids.length)
  const matchedWeights = new Float64Array(ids.length)
  const foundOwnWords = new Int32Array(ids.length)

  return (ownName: ComparedName): number[] => {
    const touchedNames: number[] = []
    for (const [word, { similarity, own: bits }] of findWords(ownName, dictionary)) {
      const weight = wordWeights[word] ?? 0
      for (const name of namesOfWord.of(word)) {
        if (pairedWeights[name] === 0) touchedNames.push(name)
        pairedWeights[name] = (pairedWeights[name] ?? 0) + weight
        matchedWeights[name] = (matchedWeights[name] ?? 0) + weight * similarity
        foundOwnWords[name] = (foundOwnWords[name] ?? 0) | bits
      }
    }
    const ownWeights = ownName.words
      .slice(0, maxCountedWords)
      .map(({ spelling }) => Math.min(maxUnmatchedWeight, weights.of(spelling)))
    return touchedNames.filter((name) => {
      const [pairedWeight, bits] = [pairedWeights[name] ?? 0, foundOwnWords[name] ?? 0]
      const unmatchedWeight = ownWeights.reduce((sum, weight, index) => (bits & (1 << index) ? sum : sum + weight), 0)
      const ownShare = pairedWeight / (pairedWeight + unmatchedWeight)
      const listedShare = Math.min(1, (matchedWeights[name] ?? 0) / (nameWeights[name] ?? 1))
      pairedWeights[name] = matchedWeights[name] = foundOwnWords[name] = 0
      return (
        largerShareWeight * Math.max(ownShare, listedShare) +
          (1 - largerShareWeight) * Math.min(ownShare, listedShare) >=
        minScore
      )
    })
  }
}

export function collectNames() {
  const placeOfWord = new Map<string, number>()
  const words: ComparedWord[] = []
  const names: { id: bigint; words: number[]; kind: EntryKind; familyPlaces: readonly number[] }[] = []
  const [letters, consonants] = [collectLetters(), collectLetters()]
  // Only names whose written form differs from the folded one.
  const writtenWords = new Map<number, string>()
  const droppedWords = new Map<number, readonly string[]>()

  function findPlace(word: ComparedWord): number {
    const wordPlace = placeOfWord.get(word.text)
    if (wordPlace !== undefined) return wordPlace
    placeOfWord.set(word.text, words.length)
    return words.push(word) - 1
  }

  return {
    /** Adds a name of an entry of this kind; ignores a name without words. */
    add(id: bigint, name: ComparedName, kind: EntryKind): void {
      if (name.words.length === 0) return
      const nameWords = foldedWords(name)
      const place = names.push({ id, words: name.words.map(findPlace), kind, familyPlaces: name.familyPlaces }) - 1
      if (name.droppedWords.length > 0) droppedWords.set(place, name.droppedWords)
      letters.add(nameWords.join(''), place)
      consonants.add(consonantWords(name).join(''), place)
      if (name.writtenWords.join(' ') === nameWords.join(' ')) return
      writtenWords.set(place, name.writtenWords.join(' '))
      letters.add(name.writtenWords.join(''), place)
    },
    build(): NameIndex {
      const wordsOfName = groupNumbers(names.length, function* () {
        for (const [name, { words: wordIndexes }] of names.entries()) for (const word of wordIndexes) yield [name, word]
      })
      const namesOfWord = groupNumbers(words.length, function* () {
        for (const [name, { words: wordIndexes }] of names.entries()) for (const word of wordIndexes) yield [word, name]
      })
      const weights = createWordWeights(words, (word) => namesOfWord.of(word).length)
      const wordWeights = Float64Array.from(words, ({ spelling }) => weights.of(spelling))
      const sumWeights = (ownWords: readonly number[]) =>
        ownWords.reduce((sum, word) => sum + (wordWeights[word] ?? 0), 0)
      const nameWeights = Float64Array.from(names, ({ words: wordIndexes }) => sumWeights(wordIndexes))
      const familyPlaces = groupNumbers(names.length, function* () {
        for (const [name, { familyPlaces: places }] of names.entries()) for (const place of places) yield [name, place]
      })
      const ids = BigInt64Array.from(names, ({ id }) => id)
      const kinds = names.map(({ kind }) => kind)
      const byName = { ids, wordsOfName, nameWeights, writtenWords, kinds, familyPlaces, droppedWords }
      const byWord = { words, namesOfWord, weights, wordWeights }
      return createNameIndex(Object.assign(byName, byWord), letters.build(), consonants.build())
    },
  }
}

/**
 * Creates the in-memory index of all listed names. It finds exactly the names that `computeScore` accepts, but scores
 * only candidates: names that share enough words, or differ by a few letters as a whole.
 */
function createNameIndex(listedColumns: ListedColumns, nearLetters: NearLetters, nearConsonants: NearLetters) {
  const findCandidates = createWordSearch(listedColumns, createWordDictionary(listedColumns.words))
  function getName(place: number): ComparedName {
    const words = Array.from(listedColumns.wordsOfName.of(place), (word) => listedColumns.words[word] as ComparedWord)
    return {
      words,
      writtenWords: listedColumns.writtenWords.get(place)?.split(' ') ?? words.map(({ text }) => text),
      isBare: false,
      familyPlaces: Array.from(listedColumns.familyPlaces.of(place)),
      droppedWords: listedColumns.droppedWords.get(place) ?? [],
      doubtfulWords: [],
    }
  }
  const scoreName = (ownName: ComparedName, place: number) =>
    computeScore(ownName, getName(place), listedColumns.weights.of)
  return {
    names: listedColumns.ids.length,
    /** Returns all fitting names of entries of these kinds, in no order. */
    find(ownName: ComparedName, kinds: readonly EntryKind[] = entryKinds): NameFit[] {
      const places = new Set(findCandidates(ownName))
      for (const text of new Set([foldedWords(ownName).join(''), ownName.writtenWords.join('')]))
        nearLetters(text, places)
      if (ownName.isBare) nearConsonants(consonantWords(ownName).join(''), places)
      const nameFits: NameFit[] = []
      for (const place of places) {
        const kind = listedColumns.kinds[place] ?? 'entity'
        const score = kinds.includes(kind) ? scoreName(ownName, place) : 0
        if (score >= reviewFrom) nameFits.push({ id: listedColumns.ids[place] ?? 0n, score, kind })
      }
      return nameFits
    },
    weightOf: listedColumns.weights.of,
  }
}

export type NameIndex = ReturnType<typeof createNameIndex>

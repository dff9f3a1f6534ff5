import type { ComparedWord } from '../names/compared-name.ts'
import { alikeFrom, errorsIn } from '../names/score.ts'
import { createErrorCount } from './error-count.ts'
import { bitsPerError, countBits, lettersIn } from './letter-sets.ts'

/** Words with the same text and spelling lengths and first letters. */
interface Group {
  readonly length: number
  readonly spellingLength: number
  readonly first: string
  readonly spellingFirst: string
  readonly places: Uint32Array
  readonly letters: Int32Array
  readonly spellingLetters: Int32Array
}

function groupWords(words: readonly ComparedWord[]): Group[] {
  const shapeKey = ({ text, spelling }: ComparedWord) => [text.length, spelling.length, text[0], spelling[0]].join(' ')
  const groups = Map.groupBy(words.entries(), ([, word]) => shapeKey(word))
  return Array.from(groups.values(), (group) => {
    const [, { text, spelling }] = group[0] as [number, ComparedWord]
    return {
      ...{
        length: text.length,
        spellingLength: spelling.length,
        first: text[0] ?? '',
        spellingFirst: spelling[0] ?? '',
      },
      places: Uint32Array.from(group, ([place]) => place),
      letters: Int32Array.from(group, ([, word]) => lettersIn(word.text)),
      spellingLetters: Int32Array.from(group, ([, word]) => lettersIn(word.spelling)),
    }
  })
}

/**
 * Returns how many letters may occur in only one of two texts of these lengths with different first letters: they have
 * one typing error, or a Jaro similarity of at least `alikeFrom`.
 */
function mostDifferentBits(a: number, b: number): number {
  const leastShares = 3 * alikeFrom - 1
  const common = Math.ceil((leastShares * a * b) / (a + b) - 1e-9) // not money: letters
  return Math.max(bitsPerError, a + b - 2 * common)
}

/** Finds words within a few typing errors, by text or by spelling. */
export function createNearWords(words: readonly ComparedWord[]) {
  const groups = groupWords(words)
  return {
    /** Adds the places of all words that `wordsAlike` may accept by their letters, and perhaps others. */
    collect({ text, spelling }: ComparedWord, found: Set<number>): void {
      const [own, ownSpelling] = [lettersIn(text), lettersIn(spelling)]
      const [countErrors, countSpellingErrors] = [createErrorCount(text), createErrorCount(spelling)]
      for (const { length, spellingLength, first, spellingFirst, places, letters, spellingLetters } of groups) {
        const most = errorsIn(Math.max(text.length, length))
        const byText = Math.abs(length - text.length) <= most ? bitsPerError * most : -1
        const bySpelling = Math.abs(spellingLength - spelling.length) <= most ? bitsPerError * most : -1
        if (most === 0 || (byText < 0 && bySpelling < 0)) continue
        const isSameFirst = first === text[0] || spellingFirst === spelling[0]
        const apart = isSameFirst ? Infinity : mostDifferentBits(length, text.length)
        const spellingApart = isSameFirst ? Infinity : mostDifferentBits(spellingLength, spelling.length)
        for (let index = 0; index < letters.length; index += 1) {
          const different = countBits((letters[index] as number) ^ own)
          const otherwise = countBits((spellingLetters[index] as number) ^ ownSpelling)
          if (different > byText && otherwise > bySpelling) continue
          if (different > apart && otherwise > spellingApart) continue
          const place = places[index] as number
          const word = words[place] as ComparedWord
          if (
            (different <= byText && countErrors(word.text) <= most) ||
            (otherwise <= bySpelling && countSpellingErrors(word.spelling) <= most)
          )
            found.add(place)
        }
      }
    },
  }
}

/** Finds words whose consonants are within one typing error. */
export function createNearConsonants(words: readonly ComparedWord[]) {
  const lengths = Uint16Array.from(words, ({ consonants }) => consonants.length)
  const letters = Int32Array.from(words, ({ consonants }) => lettersIn(consonants))
  return {
    /** Adds the places of all words with the same consonants, or one typing error away, and perhaps others. */
    collect({ consonants }: ComparedWord, found: Set<number>): void {
      const own = lettersIn(consonants)
      const countErrors = createErrorCount(consonants)
      for (let place = 0; place < lengths.length; place += 1) {
        if (Math.abs((lengths[place] as number) - consonants.length) > 1) continue
        if (countBits((letters[place] as number) ^ own) > bitsPerError) continue
        if (countErrors(words[place]?.consonants ?? '') <= 1) found.add(place)
      }
    },
  }
}

import type { ComparedName } from '../names/compared-name.ts'
import { pairWords } from '../names/score.ts'

/** Part of a name; `differs` marks text that the other name lacks. */
export interface NamePart {
  readonly text: string
  readonly differs: boolean
}

const sharedPrefix = (a: string, b: string): number => {
  let length = 0
  while (length < Math.min(a.length, b.length) && a[length] === b[length]) length += 1
  return length
}
const reverseText = (word: string): string => Array.from(word).toReversed().join('')

/** Splits a word into the beginning and end that both words share, and the part between. */
function wordParts(word: string, otherWord: string | undefined): NamePart[] {
  if (otherWord === undefined) return [{ text: word, differs: true }]
  const start = sharedPrefix(word, otherWord)
  const end = sharedPrefix(reverseText(word.slice(start)), reverseText(otherWord.slice(start)))
  const until = word.length - end
  return [
    { text: word.slice(0, start), differs: false },
    { text: word.slice(start, until), differs: true },
    { text: word.slice(until), differs: false },
  ].filter(({ text }) => text !== '')
}

/** Joins words with spaces and merges adjacent parts that do not differ. */
function joinParts(words: readonly NamePart[][]): NamePart[] {
  const line: NamePart[] = []
  for (const part of words.flatMap((word, index) => (index === 0 ? word : [{ text: ' ', differs: false }, ...word]))) {
    const last = line.at(-1)
    if (!last || last.differs || part.differs) line.push(part)
    else line[line.length - 1] = { text: last.text + part.text, differs: false }
  }
  return line
}

/**
 * Returns two names as the matcher reads them, with their differences marked: words without a pair, and the letters
 * between the shared beginning and end of paired words. The listed words are in the order of their pairs, unpaired ones
 * last.
 */
export function nameParts(own: ComparedName, listed: ComparedName): { own: NamePart[]; listed: NamePart[] } {
  const pairs = pairWords(own, listed)
  const listedByOwnWord = new Map(pairs.map((pair) => [pair.own, pair.listed]))
  const ownByListedWord = new Map(pairs.map((pair) => [pair.listed, pair.own]))
  const findWordText = ({ words }: ComparedName, place: number | undefined) =>
    place === undefined ? undefined : words[place]?.text
  const orderedWords = listed.words
    .map(({ text }, place) => ({ text, place, rank: ownByListedWord.get(place) ?? own.words.length + place }))
    .toSorted((a, b) => a.rank - b.rank)
  return {
    own: joinParts(
      own.words.map(({ text }, place) => wordParts(text, findWordText(listed, listedByOwnWord.get(place)))),
    ),
    listed: joinParts(
      orderedWords.map(({ text, place }) => wordParts(text, findWordText(own, ownByListedWord.get(place)))),
    ),
  }
}

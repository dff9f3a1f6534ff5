// Folds names to the words that are compared: plain Latin letters, without words that do not identify a person or
// company.

import { plainLatin } from './scripts/to-latin.ts'
import { areVowelsMissing } from './variants.ts'

// Letters that Unicode does not decompose.
const letters: Readonly<Record<string, string>> = Object.fromEntries(
  'ßss æae œoe øo łl đd ðd þth ħh ıi ŋng əa'.split(' ').map((pair) => [pair[0] ?? '', pair.slice(1)]),
)

const titles = new Set(
  'mr mrs ms miss dr prof sir eng haji hajji hajj mullah mulla mla mawlawi maulavi maulawi mawlavi molvi shaykh sheikh sheik shaikh shikh qari general gen colonel col major brigadier'.split(
    ' ',
  ),
)
const companyForms = new Set(
  'ltd limited llc inc incorporated co company corp corporation gmbh sa sl srl sarl spa ooo oao zao ao pao pjsc ojsc jsc plc ag bv nv lp llp pte pvt cv'.split(
    ' ',
  ),
)
/** Titles that are not used as names. */
const unambiguousTitles = new Set('mr mrs ms dr prof'.split(' '))
/** Legal forms that are not used as names. */
const unambiguousForms = new Set(
  'ltd limited llc inc incorporated company corp corporation gmbh srl sarl ooo oao zao pjsc ojsc jsc plc llp'.split(
    ' ',
  ),
)
/** Placeholders for a missing name, such as `FNU` (first name unknown) and `LNU` (last name unknown). */
const placeholders = new Set('fnu lnu mnu nfn nln nmn xxx unknown'.split(' '))
const nasab = new Set('bin ibn ben bn bint binti bnt ould wuld wld'.split(' '))
const articles = new Set(['al', 'el', 'ul'])
const sunArticle = /^(?:a|e|u)([dnrstz])h?$/
// First words of compounds, such as `abdul` (servant of), which are not names of their own.
const servantPattern = /^(?:aabd|abd|abdu|abdul|abdel|abdal|abdol|abd[uea][drstnz]h?)$/
const bareServant = /^aa?bdl?(?=[^aeiou]{3})/
// With an assimilated article too: Abdurrahman is Abdul Rahman.
const gluedServant = /^abd(?:[aeou]l(?=.{3})|[aeou]([dnrstz]h?)(?=\1.{2})|[aeou](?=[^aeiou].{2}))/

// Last word of compounds: Habib Allah, Habib ullah and Habibullah are the same name.
const allahPattern = /^(?:[aeou]?ll[aeu]?h|[aeou]l[aeu]h)$/
const gluedGod = /(?<=.{2})(?:[aeiou]ll[aeu]h|ulah)$/

/** Word before folding, in plain lower-case letters. */
export interface WrittenWord {
  readonly text: string
  /** Before the comma that ends the family name, as in `PAO, Yu Liang`. */
  readonly isFamily: boolean
  /** Followed by a hyphen. */
  readonly isAttached: boolean
}

/** Returns lower-case Latin letters without marks. Apostrophes and the Catalan point are removed. */
const toPlainLetters = (latin: string): string =>
  plainLatin(
    latin
      // NFKD would replace it by a space.
      .replaceAll('´', '')
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[ßæœøłđðþħıŋə]/g, (letter) => letters[letter] ?? letter)
      .replaceAll(/['’‘′`ʻʼʿʾ·"“”]/g, ''),
  )

/** Splits a name in Latin letters into words. */
export function splitWrittenWords(latin: string): WrittenWord[] {
  const text = toPlainLetters(latin)
  const comma = text.indexOf(',')
  return Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index }) => ({
    text: word,
    isFamily: index < comma,
    isAttached: /[-‐‑–]/.test(text[index + word.length] ?? ''),
  }))
}

/** Word of a name that is being folded. */
interface FoldedPart extends WrittenWord {
  /** First and last word if the given names come first. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Marks the first and the last word as if the given names came first: `PAO, Yu Liang` is Yu Liang Pao. */
function orderParts(words: readonly WrittenWord[]): FoldedPart[] {
  const first = Math.max(
    0,
    words.findIndex((word) => !word.isFamily),
  )
  const lastOfFamily = words.findLastIndex((word) => word.isFamily)
  const last = lastOfFamily === -1 ? words.length - 1 : lastOfFamily
  return words.map(({ text, isFamily, isAttached }, place) => ({
    text,
    isFamily,
    isAttached,
    isFirst: place === first,
    isLast: place === last,
  }))
}

const withText = (part: FoldedPart, text: string): FoldedPart =>
  text === part.text ? part : Object.assign({}, part, { text })

/** Removes the article, a leading `l`, from a word written without vowels. */
const withoutBareArticle = (word: string): string =>
  /^l(?:aa|[^aeioulwy])/.test(word) && areVowelsMissing(word) && word.length > 3 ? word.slice(1) : word

/** Returns whether a word is an article of the next word in the same part of the name. */
function isArticle({ text, isFamily }: FoldedPart, next: FoldedPart | undefined): boolean {
  if (next === undefined || next.isFamily !== isFamily) return false
  const sunLetter = sunArticle.exec(text)?.[1]
  return articles.has(text) || (sunLetter !== undefined && next.text.startsWith(sunLetter))
}

/** Removes the article from the second word of a compound with `abd`, even from a short one. */
const removeServantArticle = (word: string): string =>
  word
    .replace(/^al(?=lah)/, '')
    .replace(/^llh$/, 'lah')
    .replace(/^l(?=[^aeioulwy]{2}$)/, '')

/** Abbreviations of Mohammed in passports of Bangladesh, India, Malaysia and Indonesia. */
const shortMohammed = /^(?:md|mohd|muhd|muh)$/

const normalizeCompound = (word: string): string =>
  word
    .replace(shortMohammed, 'mohammed')
    .replace(/^abd[aeou]l?l?ah$|^abd[aeou]ll?ah$|^aa?bdl?lh$/, 'abdlah')
    .replace(gluedServant, 'abd')
    .replace(bareServant, 'abd')
    .replace(/(?<=.{3})[aeu]d{1,2}[ie]+n$/, 'din')
    .replace(gluedGod, 'lah')

/**
 * Joins compounds, whose articles were removed before, to one word: Abd al Rahman, Abdul Rahman, Abdur Rahman,
 * Abdulrahman and Abdurrahman become `abdrahman`, Salah al Din becomes `salahdin`, and Habib Allah becomes `habiblah`.
 */
function joinCompounds(words: readonly FoldedPart[]): FoldedPart[] {
  const joinedParts: FoldedPart[] = []
  const append = (last: FoldedPart, suffix: string) => {
    joinedParts[joinedParts.length - 1] = withText(last, `${last.text}${suffix}`)
  }
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as FoldedPart
    const { text } = word
    const next = words[index + 1]
    const last = joinedParts.at(-1)
    if (servantPattern.test(text) && next !== undefined) {
      joinedParts.push(withText(next, `abd${removeServantArticle(next.text)}`))
      index += 1
    } else if (/^[ud]?[aeiu]?d+[iey]+n$/.test(text) && last !== undefined) {
      append(last, 'din')
    } else if (allahPattern.test(text) && last !== undefined && !last.text.endsWith('lah')) {
      append(last, 'lah')
    } else {
      joinedParts.push(withText(word, normalizeCompound(text)))
    }
  }
  return joinedParts
}

const dropWords = (
  words: readonly FoldedPart[],
  isDropped: (part: FoldedPart, next?: FoldedPart) => boolean,
  minCount: number,
): FoldedPart[] => {
  const remainingWords = words.filter((word, index) => !isDropped(word, words[index + 1]))
  return remainingWords.length >= minCount ? remainingWords : [...words]
}

/** Bearer of a name. A party that may be either is compared as both. */
export type NameOwner = 'person' | 'organization'

/** Folded word; `isFamily` marks the words that a hold requires. */
export interface FoldedWord {
  readonly text: string
  readonly isFamily: boolean
}

export interface FoldedName {
  readonly words: readonly FoldedWord[]
  /** Dropped words that may be names because of their position: a title after the name, a particle before it. */
  readonly droppedWords: readonly string[]
  /** Dropped words that are also common as names. */
  readonly doubtfulWords: readonly string[]
}

// A single word does not identify a person.
const minPersonWords = 2

/** Removes placeholders, and titles such as `Mr` if only one other word remains. */
function withoutPlaceholders(writtenWords: readonly WrittenWord[]): readonly WrittenWord[] {
  const remainingWords = writtenWords.filter(({ text }) => !placeholders.has(text))
  const untitled = remainingWords.filter(({ text }) => !unambiguousTitles.has(text))
  if (untitled.length === 1) return untitled
  return remainingWords.length === 0 ? writtenWords : remainingWords
}

/**
 * Removes hyphenated articles. Removes other articles, and particles such as `bin`, only if enough words remain; keeps
 * a particle that is a person's last word.
 */
function withoutParticles(parts: readonly FoldedPart[], owner: NameOwner): FoldedPart[] {
  const minWords = owner === 'person' ? minPersonWords : 1
  const withoutAttached = parts.filter((part, index) => !(part.isAttached && isArticle(part, parts[index + 1])))
  const withoutBare = withoutAttached.map((part) => withText(part, withoutBareArticle(part.text)))
  const withoutArticles = dropWords(withoutBare, isArticle, minWords)
  const isParticle = ({ text, isLast }: FoldedPart) => nasab.has(text) && !(owner === 'person' && isLast)
  return dropWords(withoutArticles, isParticle, minWords)
}

/** Marks the words that a hold requires: those before the comma, or without a comma the first and the last word. */
function markFamilyNames(words: readonly FoldedPart[]): FoldedWord[] {
  const hasComma = words.some(({ isFamily }) => isFamily)
  return words.map(({ text, isFamily }, index) => ({
    text,
    isFamily: hasComma ? isFamily : index === 0 || index === words.length - 1,
  }))
}

/**
 * Returns the words of a name to compare, without titles, articles and particles if enough words remain. Drops legal
 * forms from names of organizations only, since they may be family names. Reports dropped words that may be names.
 */
export function foldName(writtenWords: readonly WrittenWord[], owner: NameOwner): FoldedName {
  const parts = orderParts(owner === 'person' ? withoutPlaceholders(writtenWords) : writtenWords)
  const nameParts = withoutParticles(parts, owner)
  const untitled = dropWords(nameParts, ({ text }) => titles.has(text), 2)
  const joinedParts = joinCompounds(untitled)
  if (owner === 'organization') {
    const keptWords = dropWords(joinedParts, ({ text }) => companyForms.has(text), 1)
    const doubtfulParts = joinedParts.filter((part) => !keptWords.includes(part) && !unambiguousForms.has(part.text))
    return {
      words: keptWords.map(({ text }) => ({ text, isFamily: false })),
      droppedWords: [],
      doubtfulWords: doubtfulParts.map(({ text }) => text),
    }
  }
  const particles = parts.filter(
    (part, index) =>
      !part.isAttached &&
      (part.isFirst || (nasab.has(part.text) && parts[index + 1]?.isFamily !== part.isFamily)) &&
      !nameParts.some(({ text }) => text === part.text),
  )
  const droppedParts = nameParts.filter((part) => !untitled.includes(part))
  return {
    words: markFamilyNames(joinedParts),
    droppedWords: [...particles, ...droppedParts.filter(({ isFamily, isLast }) => isFamily || isLast)].map(
      ({ text }) => text,
    ),
    doubtfulWords: droppedParts
      .filter(({ text, isFirst }) => !(isFirst && unambiguousTitles.has(text)))
      .map(({ text }) => text),
  }
}

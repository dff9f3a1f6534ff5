// Folds names to the words that are compared: plain Latin letters, without words that identify no person or company.

import { plainLatin } from './scripts/to-latin.ts'
import { areVowelsMissing } from './variants.ts'

// Letters without a Unicode decomposition.
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
/** Titles that are never names. */
const unambiguousTitles = new Set('mr mrs ms dr prof'.split(' '))
/** Legal forms that are never names. */
const unambiguousForms = new Set(
  'ltd limited llc inc incorporated company corp corporation gmbh srl sarl ooo oao zao pjsc ojsc jsc plc llp'.split(
    ' ',
  ),
)
/** Placeholders for a missing name: `FNU` for the first name, `LNU` for the last. */
const placeholders = new Set('fnu lnu mnu nfn nln nmn xxx unknown'.split(' '))
const nasab = new Set('bin ibn ben bn bint binti bnt ould wuld wld'.split(' '))
const articles = new Set(['al', 'el', 'ul'])
const sunArticle = /^(?:a|e|u)([dnrstz])h?$/
// Compounds whose first word is no name of its own.
const servantPattern = /^(?:aabd|abd|abdu|abdul|abdel|abdal|abdol|abd[uea][drstnz]h?)$/
const bareServant = /^aa?bdl?(?=[^aeiou]{3})/
const gluedServant = /^abd(?:[aeou]l(?=.{3})|[aeou](?=[^aeiou].{2}))/

// Part of compound names: Habib Allah, Habib ullah and Habibullah are one word.
const godPattern = /^(?:[aeou]?ll[aeu]?h|[aeou]l[aeu]h)$/
const gluedGod = /(?<=.{2})(?:[aeiou]ll[aeu]h|ulah)$/

/** Word as written, with its position. */
export interface WrittenWord {
  readonly text: string
  /** Before the comma that separates the given names, as in `PAO, Yu Liang`. */
  readonly isFamily: boolean
  /** Joined to the next word by a hyphen. */
  readonly isAttached: boolean
}

/** Returns lower-case Latin letters without marks; apostrophes and the Catalan point join their neighbours. */
const toPlainLetters = (latin: string): string =>
  plainLatin(
    latin
      // It would decompose to a space.
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

/** A word while a name is folded. */
interface FoldedPart extends WrittenWord {
  /** First and last word of the name, given names first. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Orders words given names first: `PAO, Yu Liang` is Yu Liang Pao. */
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

/** Removes the article, an `l` before the word in names without vowels. */
const withoutBareArticle = (word: string): string =>
  /^l(?:aa|[^aeioulwy])/.test(word) && areVowelsMissing(word) && word.length > 3 ? word.slice(1) : word

/** Returns whether a word is an article of the next word in the same part of the name. */
function isArticle({ text, isFamily }: FoldedPart, next: FoldedPart | undefined): boolean {
  if (next === undefined || next.isFamily !== isFamily) return false
  const sunLetter = sunArticle.exec(text)?.[1]
  return articles.has(text) || (sunLetter !== undefined && next.text.startsWith(sunLetter))
}

/** Removes the article from a word without vowels, however short. */
const removeServantArticle = (word: string): string =>
  word
    .replace(/^al(?=lah)/, '')
    .replace(/^llh$/, 'lah')
    .replace(/^l(?=[^aeioulwy]{2}$)/, '')

/** Short forms of Mohammed in passports of Bangladesh, India, Malaysia and Indonesia. */
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
 * Joins compounds: Abd al Rahman, Abdul Rahman, Abdurrahman and Abdulrahman become `abdrahman`, Salah al Din
 * `salahdin`, and Habib Allah `habiblah`.
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
    } else if (godPattern.test(text) && last !== undefined && !last.text.endsWith('lah')) {
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

/** Owner of a name. An unknown owner is compared as both. */
export type NameOwner = 'person' | 'organization'

/** Folded word; a hold requires the family name. */
export interface FoldedWord {
  readonly text: string
  readonly isFamily: boolean
}

export interface FoldedName {
  readonly words: readonly FoldedWord[]
  /** Dropped words that may be names in their position: a title after the name, a particle before it. */
  readonly droppedWords: readonly string[]
  /** Dropped words that are as often names as titles or legal forms. */
  readonly doubtfulWords: readonly string[]
}

// A single word identifies no person.
const minPersonWords = 2

/** Removes placeholders, and a title such as `Mr` before a single name. */
function withoutPlaceholders(writtenWords: readonly WrittenWord[]): readonly WrittenWord[] {
  const remainingWords = writtenWords.filter(({ text }) => !placeholders.has(text))
  const untitled = remainingWords.filter(({ text }) => !unambiguousTitles.has(text))
  if (untitled.length === 1) return untitled
  return remainingWords.length === 0 ? writtenWords : remainingWords
}

/**
 * Removes articles attached to their word; other articles and particles only while enough words remain, and never a
 * person's last word.
 */
function withoutParticles(parts: readonly FoldedPart[], owner: NameOwner): FoldedPart[] {
  const minWords = owner === 'person' ? minPersonWords : 1
  const withoutAttached = parts.filter((part, index) => !(part.isAttached && isArticle(part, parts[index + 1])))
  const withoutBare = withoutAttached.map((part) => withText(part, withoutBareArticle(part.text)))
  const withoutArticles = dropWords(withoutBare, isArticle, minWords)
  const isParticle = ({ text, isLast }: FoldedPart) => nasab.has(text) && !(owner === 'person' && isLast)
  return dropWords(withoutArticles, isParticle, minWords)
}

/** Marks the words a hold requires: the family name, or without a comma the first and last word. */
function markFamilyNames(words: readonly FoldedPart[]): FoldedWord[] {
  const hasComma = words.some(({ isFamily }) => isFamily)
  return words.map(({ text, isFamily }, index) => ({
    text,
    isFamily: hasComma ? isFamily : index === 0 || index === words.length - 1,
  }))
}

/**
 * Returns the compared words of a name, without titles, articles and words such as `bin` while enough words remain.
 * Legal forms are dropped for organizations only, since people have them as family names. Reports dropped words that
 * may be names.
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

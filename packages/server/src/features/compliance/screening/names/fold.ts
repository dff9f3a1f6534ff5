// Names as the words that are compared: in plain Latin letters, without words that do not identify a person or company.

import { plainLatin } from './scripts/to-latin.ts'
import { lackVowels } from './variants.ts'

// Letters that have no decomposition.
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
/** Titles that are no names. */
const surelyTitles = new Set('mr mrs ms dr prof'.split(' '))
/** Legal forms that are no names. */
const surelyForms = new Set(
  'ltd limited llc inc incorporated company corp corporation gmbh srl sarl ooo oao zao pjsc ojsc jsc plc llp'.split(
    ' ',
  ),
)
/** Placeholders of forms and documents for a missing name: `FNU` for the first, `LNU` for the last. */
const placeholders = new Set('fnu lnu mnu nfn nln nmn xxx unknown'.split(' '))
const nasab = new Set('bin ibn ben bn bint binti bnt ould wuld wld'.split(' '))
const articles = new Set(['al', 'el', 'ul'])
const sunArticle = /^(?:a|e|u)([dnrstz])h?$/
// Compounds of which the first word is no name by itself.
const servant = /^(?:aabd|abd|abdu|abdul|abdel|abdal|abdol|abd[uea][drstnz]h?)$/
const bareServant = /^aa?bdl?(?=[^aeiou]{3})/
const gluedServant = /^abd(?:[aeou]l(?=.{3})|[aeou](?=[^aeiou].{2}))/

// Names are made with it: Habib Allah, Habib ullah and Habibullah are one word.
const god = /^(?:[aeou]?ll[aeu]?h|[aeou]l[aeu]h)$/
const gluedGod = /(?<=.{2})(?:[aeiou]ll[aeu]h|ulah)$/

/** A word as it is written, and where. */
export interface WrittenWord {
  readonly text: string
  /** It stands before the comma behind which the given names stand: `PAO, Yu Liang`. */
  readonly isFamily: boolean
  /** A hyphen joins it to the next word. */
  readonly isAttached: boolean
}

/** Latin letters in lower case without marks; apostrophes and the point of Catalan join what they stand between. */
const plain = (latin: string): string =>
  plainLatin(
    latin
      // Decomposed, it would be a space.
      .replaceAll('´', '')
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/\p{M}/gu, '')
      .replaceAll(/[ßæœøłđðþħıŋə]/g, (letter) => letters[letter] ?? letter)
      .replaceAll(/['’‘′`ʻʼʿʾ·"“”]/g, ''),
  )

/** The words of a name in Latin letters. */
export function writtenWords(latin: string): WrittenWord[] {
  const text = plain(latin)
  const comma = text.indexOf(',')
  return Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index }) => ({
    text: word,
    isFamily: index < comma,
    isAttached: /[-‐‑–]/.test(text[index + word.length] ?? ''),
  }))
}

/** A word while a name is folded. */
interface Part extends WrittenWord {
  /** The first or last word of the name, given names first. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

/** Words before the comma come last: `PAO, Yu Liang` is Yu Liang Pao. */
function partsOf(words: readonly WrittenWord[]): Part[] {
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

const withText = (part: Part, text: string): Part => (text === part.text ? part : Object.assign({}, part, { text }))

/** Written without vowels, the article is an `l` before its word. */
const withoutBareArticle = (word: string): string =>
  /^l(?:aa|[^aeioulwy])/.test(word) && lackVowels(word) && word.length > 3 ? word.slice(1) : word

/** An article stands before its word, in the same part of the name. */
function isArticle({ text, isFamily }: Part, next: Part | undefined): boolean {
  if (next === undefined || next.isFamily !== isFamily) return false
  const sun = sunArticle.exec(text)?.[1]
  return articles.has(text) || (sun !== undefined && next.text.startsWith(sun))
}

/** The article before a word without vowels goes, however short the word is. */
const servedName = (word: string): string =>
  word
    .replace(/^al(?=lah)/, '')
    .replace(/^llh$/, 'lah')
    .replace(/^l(?=[^aeioulwy]{2}$)/, '')

/** Short forms of Mohammed in passports of Bangladesh, India, Malaysia and Indonesia. */
const shortMohammed = /^(?:md|mohd|muhd|muh)$/

const oneWord = (word: string): string =>
  word
    .replace(shortMohammed, 'mohammed')
    .replace(/^abd[aeou]l?l?ah$|^abd[aeou]ll?ah$|^aa?bdl?lh$/, 'abdlah')
    .replace(gluedServant, 'abd')
    .replace(bareServant, 'abd')
    .replace(/(?<=.{3})[aeu]d{1,2}[ie]+n$/, 'din')
    .replace(gluedGod, 'lah')

/**
 * Abd al Rahman, Abdul Rahman, Abdurrahman and Abdulrahman are one word: `abdrahman`. Salah al Din is `salahdin`, and
 * Habib Allah `habiblah`.
 */
function joinCompounds(words: readonly Part[]): Part[] {
  const joined: Part[] = []
  const append = (last: Part, ending: string) => {
    joined[joined.length - 1] = withText(last, `${last.text}${ending}`)
  }
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as Part
    const { text } = word
    const next = words[index + 1]
    const last = joined.at(-1)
    if (servant.test(text) && next !== undefined) {
      joined.push(withText(next, `abd${servedName(next.text)}`))
      index += 1
    } else if (/^[ud]?[aeiu]?d+[iey]+n$/.test(text) && last !== undefined) {
      append(last, 'din')
    } else if (god.test(text) && last !== undefined && !last.text.endsWith('lah')) {
      append(last, 'lah')
    } else {
      joined.push(withText(word, oneWord(text)))
    }
  }
  return joined
}

const withoutUnless = (
  words: readonly Part[],
  isDropped: (part: Part, next?: Part) => boolean,
  least: number,
): Part[] => {
  const kept = words.filter((word, index) => !isDropped(word, words[index + 1]))
  return kept.length >= least ? kept : [...words]
}

/** What a name belongs to. Who is not known to be either is compared as both. */
export type NameOwner = 'person' | 'organization'

/** A folded word; a family name is one that a hold needs. */
export interface FoldedWord {
  readonly text: string
  readonly isFamily: boolean
}

export interface FoldedName {
  readonly words: readonly FoldedWord[]
  /** Words left out that may be names where they stand: a title behind the name, a particle before it. */
  readonly lost: readonly string[]
  /** Words left out that are names as often as titles or legal forms. */
  readonly doubtful: readonly string[]
}

// One word that is left of a name would say too little.
const fewestOfPerson = 2

/** Names without placeholders, and without a title such as `Mr` before a single name. */
function withoutPlaceholders(written: readonly WrittenWord[]): readonly WrittenWord[] {
  const named = written.filter(({ text }) => !placeholders.has(text))
  const untitled = named.filter(({ text }) => !surelyTitles.has(text))
  if (untitled.length === 1) return untitled
  return named.length === 0 ? written : named
}

/** Articles joined to their word go from any name, others only where two words are left, and no particle is the last word. */
function withoutParticles(parts: readonly Part[], owner: NameOwner): Part[] {
  const least = owner === 'person' ? fewestOfPerson : 1
  const joined = parts.filter((part, index) => !(part.isAttached && isArticle(part, parts[index + 1])))
  const withoutBare = joined.map((part) => withText(part, withoutBareArticle(part.text)))
  const withoutArticles = withoutUnless(withoutBare, isArticle, least)
  const isParticle = ({ text, isLast }: Part) => nasab.has(text) && !(owner === 'person' && isLast)
  return withoutUnless(withoutArticles, isParticle, least)
}

/** What a hold needs of a listed name: its family name; without a comma that names one, the first word and the last. */
function familyOf(words: readonly Part[]): FoldedWord[] {
  const hasComma = words.some(({ isFamily }) => isFamily)
  return words.map(({ text, isFamily }, index) => ({
    text,
    isFamily: hasComma ? isFamily : index === 0 || index === words.length - 1,
  }))
}

/**
 * The words by which a name is compared, without titles, articles and words such as `bin`, unless too little would be left; of an
 * organization without legal forms too, which are family names of people. What goes from a place where names stand is told.
 */
export function foldName(written: readonly WrittenWord[], owner: NameOwner): FoldedName {
  const parts = partsOf(owner === 'person' ? withoutPlaceholders(written) : written)
  const named = withoutParticles(parts, owner)
  const untitled = withoutUnless(named, ({ text }) => titles.has(text), 2)
  const joined = joinCompounds(untitled)
  if (owner === 'organization') {
    const kept = withoutUnless(joined, ({ text }) => companyForms.has(text), 1)
    const doubtful = joined.filter((part) => !kept.includes(part) && !surelyForms.has(part.text))
    return {
      words: kept.map(({ text }) => ({ text, isFamily: false })),
      lost: [],
      doubtful: doubtful.map(({ text }) => text),
    }
  }
  const particles = parts.filter(
    (part, index) =>
      !part.isAttached &&
      (part.isFirst || (nasab.has(part.text) && parts[index + 1]?.isFamily !== part.isFamily)) &&
      !named.some(({ text }) => text === part.text),
  )
  const dropped = named.filter((part) => !untitled.includes(part))
  return {
    words: familyOf(joined),
    lost: [...particles, ...dropped.filter(({ isFamily, isLast }) => isFamily || isLast)].map(({ text }) => text),
    doubtful: dropped.filter(({ text, isFirst }) => !(isFirst && surelyTitles.has(text))).map(({ text }) => text),
  }
}

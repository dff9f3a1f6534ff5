// Names as the words that are compared: in plain Latin letters, without what does not identify anybody.

import { toLatin } from './scripts.ts'
import { lackVowels } from './variants.ts'

// Letters that have no decomposition.
const letters: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i', ŋ: 'ng', ə: 'a' },
}

const titles = new Set(
  'mr mrs ms miss dr prof sir eng haji hajji hajj mullah mulla mawlawi maulavi maulawi mawlavi molvi shaykh sheikh sheik shaikh qari general gen colonel col major brigadier'.split(
    ' ',
  ),
)
const companyForms = new Set(
  'ltd limited llc inc incorporated co company corp corporation gmbh sa sl srl sarl spa ooo oao zao ao pao pjsc ojsc jsc plc ag bv nv lp llp pte pvt cv'.split(
    ' ',
  ),
)
const nasab = new Set('bin ibn ben bn bint binti bnt ould wuld wld'.split(' '))
const articles = new Set(['al', 'el', 'ul'])
const sunArticle = /^(?:a|e|u)([dnrstz])h?$/
// Compounds of which the first word is no name by itself.
const servant = /^(?:aabd|abd|abdu|abdul|abdel|abdal|abdol|abd[uea][drstnz]h?)$/
const bareServant = /^aa?bdl?(?=[^aeiou]{3})/
const gluedServant = /^abd(?:[aeou]l(?=.{3})|[aeou](?=[^aeiou].{2}))/

// Whoever names are made with: Habib Allah, Habib ullah and Habibullah are one word.
const god = /^(?:[aeou]?ll[aeu]?h|[aeou]l[aeu]h)$/
const gluedGod = /(?<=.{2})(?:[aeiou]ll[aeu]h|ulah)$/

/** Latin letters and digits in lower case, the rest as spaces; apostrophes join what they stand between. */
const plain = (text: string): string =>
  toLatin(text.normalize('NFKC').replaceAll('\u0640', ''))
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøłđðþħıŋə]/g, (letter) => letters[letter] ?? letter)
    .replaceAll(/['’‘`´ʻʼʿʾ"“”]/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Written without vowels, the article is an `l` before its word. */
const withoutBareArticle = (word: string): string =>
  /^l(?:aa|[^aeioulwy])/.test(word) && lackVowels(word) && word.length > 3 ? word.slice(1) : word

function withoutArticles(words: readonly string[]): string[] {
  return words.map(withoutBareArticle).filter((word, index) => {
    const next = words[index + 1]
    if (next === undefined) return true
    const sun = sunArticle.exec(word)?.[1]
    return !articles.has(word) && !(sun !== undefined && next.startsWith(sun))
  })
}

/** The article before a word without vowels goes, however short the word is. */
const servedName = (word: string): string =>
  word
    .replace(/^al(?=lah)/, '')
    .replace(/^llh$/, 'lah')
    .replace(/^l(?=[^aeioulwy]{2}$)/, '')

const oneWord = (word: string): string =>
  word
    .replace(/^abd[aeou]l?l?ah$|^abd[aeou]ll?ah$|^aa?bdl?lh$/, 'abdlah')
    .replace(gluedServant, 'abd')
    .replace(bareServant, 'abd')
    .replace(/(?<=.{3})[aeu]d{1,2}[ie]+n$/, 'din')
    .replace(gluedGod, 'lah')

/**
 * Abd al Rahman, Abdul Rahman, Abdurrahman and Abdulrahman are one word: `abdrahman`. Salah al Din is `salahdin`, and
 * Habib Allah `habiblah`.
 */
function joinCompounds(words: readonly string[]): string[] {
  const joined: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? ''
    const next = words[index + 1]
    const last = joined.at(-1)
    if (servant.test(word) && next !== undefined) {
      joined.push(`abd${servedName(next)}`)
      index += 1
    } else if (/^[ud]?[aeiu]?d+[iey]+n$/.test(word) && last !== undefined) {
      joined[joined.length - 1] = `${last}din`
    } else if (god.test(word) && last !== undefined && !last.endsWith('lah')) {
      joined[joined.length - 1] = `${last}lah`
    } else {
      joined.push(oneWord(word))
    }
  }
  return joined
}

const withoutUnless = (words: readonly string[], dropped: ReadonlySet<string>, least: number): string[] => {
  const kept = words.filter((word) => !dropped.has(word))
  return kept.length >= least ? kept : [...words]
}

/** The words of a name as it is written, in plain Latin letters. */
export const writtenWords = (name: string): string[] => plain(name).split(' ').filter(Boolean)

/**
 * The words by which a name is compared. Titles, legal forms of companies, articles and words such as `bin` go, unless
 * too little would be left; so do marks, case and punctuation.
 */
export function foldWords(written: readonly string[]): string[] {
  const named = withoutUnless(withoutUnless(withoutArticles(written), nasab, 1), titles, 2)
  return withoutUnless(joinCompounds(named), companyForms, 1)
}

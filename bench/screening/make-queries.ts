// node tools/run.mjs bench/screening/make-queries.ts: writes queries.tsv.br, the names for measuring screening.
//
// Each listed name of two words or more is altered once: one or two typing errors, a word dropped, or words reordered.
// Other spellings and scripts are from the lists themselves and from two libraries (`transliteration`,
// `cyrillic-to-translit-js`), not from the matcher. `excludedName` is removed from the lists for the measurement, so
// that the query must match another name of the entry.

import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import cyrillicToTranslit from 'cyrillic-to-translit-js'
import { transliterate } from 'transliteration'
import type { ListEntry } from '../../packages/server/src/features/compliance/screening/lists/entry.ts'
import { readListFiles } from '../../packages/server/src/features/compliance/screening/lists/read-files.ts'
import { publishedLists } from '@tern/testkit/compliance/lists/published-lists'
import { isMain } from '../../packages/server/src/platform/runtime/is-main.ts'

export const alterations = [
  'one_typo',
  'two_typos',
  'dropped_word',
  'word_order',
  'other_spelling',
  'original_script',
  'second_library',
  'cyrillic',
] as const
export type AlterationKind = (typeof alterations)[number]

/** Name to screen, and the list entry that it must match. */
export interface Query {
  readonly alteration: AlterationKind
  readonly source: string
  readonly reference: string
  readonly query: string
  /** Listed name that the query equals or transliterates, removed from the lists; empty for none. */
  readonly excludedName: string
}

const file = fileURLToPath(new URL('queries.tsv.br', import.meta.url))

/** Reads the committed queries. */
export function readQueries(): Query[] {
  const lines = brotliDecompressSync(fs.readFileSync(file)).toString('utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const [alteration, source = '', reference = '', query = '', excludedName = ''] = line.split('\t')
    return { alteration: alteration as AlterationKind, source, reference, query, excludedName }
  })
}

/** Returns a generator of numbers from 0 to 1, the same in every run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296
  }
}

const random = createRandom(20_261_126)
const pickBelow = (count: number) => Math.floor(random() * count)
const letters = 'abcdefghijklmnopqrstuvwxyz'

/**
 * Changes, drops or adds a letter, or swaps it with the next, in a random word of three letters or more; returns the
 * name unchanged if it has none.
 */
function addTypo(name: string): string {
  const places = Array.from(name.matchAll(/[A-Za-z]{3,}/g), ({ index, 0: word }) => ({ index, length: word.length }))
  const word = places[pickBelow(places.length)]
  if (!word) return name
  const at = word.index + pickBelow(word.length)
  const letter = letters[pickBelow(letters.length)] ?? ''
  const alteredName = [
    () => name.slice(0, at) + letter + name.slice(at + 1),
    () => name.slice(0, at) + name.slice(at + 1),
    () => name.slice(0, at) + letter + name.slice(at),
    () => name.slice(0, at) + (name[at + 1] ?? '') + (name[at] ?? '') + name.slice(at + 2),
  ][pickBelow(4)]?.()
  return alteredName === undefined || alteredName.toLowerCase() === name.toLowerCase() ? addTypo(name) : alteredName
}

const splitWords = (name: string) => name.replaceAll(',', ' ').split(/\s+/).filter(Boolean)

function dropWord(name: string): string {
  const words = splitWords(name)
  words.splice(pickBelow(words.length), 1)
  return words.join(' ')
}

function reorderName(name: string): string {
  const words = splitWords(name)
  const turn = 1 + pickBelow(words.length - 1)
  return [...words.slice(turn), ...words.slice(0, turn)].join(' ')
}

const isLatin = (name: string) => /^[\p{Script=Latin}\p{M}\d\s.,'’`()/&-]+$/u.test(name)
const listLongWords = (name: string) => splitWords(name).filter((word) => word.length >= 3)

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const nextRow = [i]
    for (let j = 1; j <= b.length; j += 1) {
      nextRow.push(
        Math.min((row[j] ?? 0) + 1, (nextRow[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      )
    }
    row = nextRow
  }
  return row[b.length] ?? 0
}

/** Returns whether two names have the same words, some spelled differently, by at most two letters in five. */
function isSpellingVariant(a: string, b: string): boolean {
  const [first, second] = [a, b].map((name) => name.toLowerCase().replaceAll(/[^a-z ,]/g, ' '))
  const [firstWords, otherWords] = [splitWords(first ?? ''), splitWords(second ?? '')]
  if (
    firstWords.length < 2 ||
    firstWords.length !== otherWords.length ||
    firstWords.toSorted().join() === otherWords.toSorted().join()
  )
    return false
  return firstWords.every((word) => {
    const [nearestWord] = otherWords.toSorted((x, y) => distance(word, x) - distance(word, y))
    if (nearestWord === undefined || distance(word, nearestWord) * 5 > Math.max(word.length, nearestWord.length) * 2)
      return false
    otherWords.splice(otherWords.indexOf(nearestWord), 1)
    return true
  })
}

const cyrillic = cyrillicToTranslit({ preset: 'ru' })
const russian = /UKRAINE|RUSSIA|MAGNIT|CYBER|BELARUS/

type DraftQuery = Omit<Query, 'source' | 'reference'>

/** Returns queries in another spelling or script, from the list itself or by a library. */
function transliterateNames(entry: ListEntry): DraftQuery[] {
  if (entry.kind !== 'person') return []
  const [primary, ...others] = entry.names.filter(({ kind }) => kind !== 'weak').map(({ name }) => name)
  if (primary === undefined) return []
  const spelling = others.find((name) => isLatin(name) && isSpellingVariant(primary, name))
  // Excludes single words, which do not identify a person.
  const originalScriptNames = others.filter(
    (name) =>
      /^(?:[\p{Script=Arabic}\p{M}]+\s.*|\p{Script=Cyrillic}+\s.*|\p{Script=Han}{2,})$/u.test(name) &&
      !/[a-z]/i.test(name),
  )
  return [
    ...(spelling ? [{ alteration: 'other_spelling', query: spelling, excludedName: spelling } as const] : []),
    ...originalScriptNames.flatMap((name) => [
      { alteration: 'original_script', query: name, excludedName: name } as const,
      { alteration: 'second_library', query: transliterate(name), excludedName: name } as const,
    ]),
    ...(russian.test(entry.programme) && isLatin(primary)
      ? [{ alteration: 'cyrillic', query: cyrillic.reverse(primary.replaceAll(',', '')), excludedName: '' } as const]
      : []),
  ]
}

const rules: readonly (readonly [AlterationKind, minimumLength: number, (name: string) => string])[] = [
  ['one_typo', 2, addTypo],
  ['two_typos', 2, (name) => addTypo(addTypo(name))],
  ['dropped_word', 3, dropWord],
  ['word_order', 2, reorderName],
]

/** Makes all queries from the committed lists. */
export function makeQueries(): Query[] {
  let turn = 0
  return readListFiles(publishedLists(), true).flatMap(({ list: { source, entries } }) =>
    entries.flatMap((entry) => {
      const { reference } = entry
      const transliteratedQueries = transliterateNames(entry)
      const excludedNames = new Set(transliteratedQueries.map((draft) => draft.excludedName))
      const alteredQueries = entry.names.flatMap(({ name, kind }): DraftQuery[] => {
        if (kind === 'weak' || excludedNames.has(name) || !isLatin(name) || listLongWords(name).length < 2) return []
        turn += 1
        const rule = rules[turn % rules.length] ?? rules[0]
        if (!rule) return []
        const [alteration, minimumLength, alterName] = splitWords(name).length < rule[1] ? (rules[0] ?? rule) : rule
        return minimumLength > 0 ? [{ alteration, query: alterName(name), excludedName: '' }] : []
      })
      return [...alteredQueries, ...transliteratedQueries].map(({ alteration, query, excludedName: name }) => ({
        alteration,
        source,
        reference,
        query,
        excludedName: name,
      }))
    }),
  )
}

if (isMain(import.meta)) {
  const lines = makeQueries().map(({ alteration, source, reference, query, excludedName }) =>
    [alteration, source, reference, query, excludedName].join('\t'),
  )
  const text = Buffer.from(`${lines.join('\n')}\n`)
  fs.writeFileSync(file, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
}

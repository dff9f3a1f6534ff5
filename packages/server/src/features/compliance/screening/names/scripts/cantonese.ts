// Chinese names as in documents of Hong Kong and Macao, by their Cantonese pronunciation.

import { readNameFile } from './name-files.ts'

let table: ReadonlyMap<string, readonly string[]> | undefined

/** Loads syllables by character from lines of a syllable and its characters. */
function loadCantonese(): ReadonlyMap<string, readonly string[]> {
  if (table) return table
  const syllables = new Map<string, string[]>()
  for (const line of readNameFile('cantonese.txt.br').trimEnd().split('\n')) {
    const [syllable = '', characters = ''] = line.split(' ')
    for (const character of characters) {
      const knownReadings = syllables.get(character)
      if (knownReadings) knownReadings.push(syllable)
      else syllables.set(character, [syllable])
    }
  }
  table = syllables
  return syllables
}

const minCharacters = 2
const maxCharacters = 4
const maxForms = 6

/**
 * Returns the Cantonese readings of a name, with spaces between syllables; none unless it has two to four characters.
 */
export function cantoneseReadings(words: readonly string[]): string[] {
  const characters = Array.from(words.join(''))
  if (characters.length < minCharacters || characters.length > maxCharacters) return []
  const cantonese = loadCantonese()
  let forms = ['']
  for (const character of characters) {
    const syllables = cantonese.get(character) ?? []
    forms = forms.flatMap((form) => syllables.map((syllable) => `${form} ${syllable}`)).slice(0, maxForms)
  }
  return forms.map((form) => form.trim())
}

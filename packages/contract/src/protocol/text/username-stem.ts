import { plainLetters } from './plain-letters.ts'

const maxStemLength = 24
const plainLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'gu')

const foldToLatin = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(plainLetter, (letter) => plainLetters[letter] ?? '')

/**
 * Derives a username from a name or an email's local part; undefined if that leaves fewer than three characters or no
 * letter.
 */
export function deriveUsernameStem(text: string): string | undefined {
  const stem = foldToLatin(text)
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9._-]+/g, '.')
    .replace(/^[._-]+/, '')
    .slice(0, maxStemLength)
    .replace(/[._-]+$/, '')
  return stem.length >= 3 && /[a-z]/.test(stem) ? stem : undefined
}

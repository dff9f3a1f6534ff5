import { plainLetters } from './plain-letters.ts'

const longestStem = 24

const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/gu, (letter) => plainLetters[letter] ?? '')

/** Derives a username from a name or an email's local part; undefined if too little of it is in Latin letters. */
export function usernameStem(text: string): string | undefined {
  const stem = folded(text)
    .replaceAll(/['’]/g, '')
    .replaceAll(/[^a-z0-9._-]+/g, '.')
    .replace(/^[._-]+/, '')
    .slice(0, longestStem)
    .replace(/[._-]+$/, '')
  return stem.length >= 3 && /[a-z]/.test(stem) ? stem : undefined
}

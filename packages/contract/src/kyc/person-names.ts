// Names of people in Latin letters, as printed in every passport (ICAO 9303, part 3).

/** Reason for refusing a name: another script, characters that names do not contain, or no letters, such as "-". */
export type NameProblem = 'script' | 'characters' | 'placeholder'

const latinLetterPattern = String.raw`(?=\p{L})\p{Script=Latin}[\u0300-\u036F]{0,3}`
// Apostrophes of keyboards and passports, similar letters of Hawaiian and Uzbek, and the Catalan middle dot.
const separatorClass = String.raw`['‘’′ʻʼʹ\x60´·./ -]`
const latinNamePattern = new RegExp(`^(?:${latinLetterPattern}|${separatorClass})+$`, 'u')

const nonLatinLetterPattern = /(?!\p{Script=Latin}|[ʻʼʹ])\p{L}/u

/** Normalizes a name for storage: composed letters, no fullwidth forms, single spaces, one kind of hyphen. */
export const normalizeName = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\uFF01-\uFF5E]+/gu, (fullWidth) => fullWidth.normalize('NFKC'))
    .replaceAll(/[\u2010\u2011\u2013]/gu, '-')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim()

/** Returns the reason that a name cannot be the Latin-letter name in a passport; undefined if it can. */
export function findLatinNameProblem(name: string): NameProblem | undefined {
  if (nonLatinLetterPattern.test(name)) return 'script'
  if (!/[\p{L}\p{N}\p{S}\p{C}]/u.test(name)) return 'placeholder'
  return /\p{L}/u.test(name) && latinNamePattern.test(name) ? undefined : 'characters'
}

/** Reports whether a text has visible letters and only characters that can be stored. */
export const isVisibleName = (text: string): boolean =>
  /(?!\p{Default_Ignorable_Code_Point})\p{L}/u.test(text) && !/[\p{Cs}\p{Cn}\p{Co}]/u.test(text)

/** Full name of a person. People with a single name have no first name. */
export const fullName = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`.trim()

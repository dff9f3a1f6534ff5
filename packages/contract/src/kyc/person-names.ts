// Names of people in Latin letters, as every passport has them (ICAO 9303, part 3).

/** Why a name is refused: letters of another script, signs that no name has, or no letters at all, such as "-". */
export type NameProblem = 'script' | 'characters' | 'placeholder'

const latinLetter = String.raw`(?=\p{L})\p{Script=Latin}[\u0300-\u036F]{0,3}`
// Apostrophes as keyboards and passports have them, with the letters of Hawaiian and Uzbek that look alike, and the point of Catalan.
const betweenLetters = String.raw`['‘’′ʻʼʹ\x60´·./ -]`
const latinName = new RegExp(`^(?:${latinLetter}|${betweenLetters})+$`, 'u')

const otherLetter = /(?!\p{Script=Latin}|[ʻʼʹ])\p{L}/u

/** A name as it is stored: composed letters, plain ones for wide ones, one space between words, one kind of hyphen. */
export const spellName = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\uFF01-\uFF5E]+/gu, (wide) => wide.normalize('NFKC'))
    .replaceAll(/[\u2010\u2011\u2013]/gu, '-')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim()

/** Why a name cannot stand in a passport in Latin letters; undefined if it can. */
export function latinNameProblem(name: string): NameProblem | undefined {
  if (otherLetter.test(name)) return 'script'
  if (!/[\p{L}\p{N}\p{S}\p{C}]/u.test(name)) return 'placeholder'
  return /\p{L}/u.test(name) && latinName.test(name) ? undefined : 'characters'
}

/** Whether a text has letters that can be seen, and nothing that cannot be stored. */
export const isVisibleName = (text: string): boolean =>
  /(?!\p{Default_Ignorable_Code_Point})\p{L}/u.test(text) && !/[\p{Cs}\p{Cn}\p{Co}]/u.test(text)

/** A person's whole name. Somebody with a single name has no first one. */
export const wholeName = ({ firstName, lastName }: { firstName: string; lastName: string }): string =>
  `${firstName} ${lastName}`.trim()

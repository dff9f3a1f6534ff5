import { personLocale } from './locale.ts'

interface Separators {
  readonly decimal: string
  readonly group: string
}

/** The signs a locale writes numbers with: `{ decimal: ',', group: '.' }` in German. */
export function separatorsOf(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn', useGrouping: 'always' }).formatToParts(
    1234567.8,
  )
  const of = (type: string, otherwise: string) => parts.find((part) => part.type === type)?.value ?? otherwise
  return { decimal: of('decimal', '.'), group: of('group', ',') }
}

const onlyFigures = (text: string): string => text.replace(/\D/g, '')

function plain(whole: string, fraction: string | undefined): string {
  const figures = onlyFigures(whole).replace(/^0+(?=\d)/, '')
  if (fraction === undefined) return figures
  return `${figures || '0'}.${onlyFigures(fraction)}`
}

/**
 * Reads an amount as people write it, whatever their habits: "1.234,56", "1,234.56", "1 234,56", "12,5", "€ 5".
 * The last of two different signs is the decimal one; a lone sign that is the locale's grouping sign and stands before
 * three figures groups. Gives a plain decimal ("" when there is no figure), never rounded: places are checked elsewhere.
 */
export function readAmount(text: string, locale: string = personLocale()): string {
  const marks = text.match(/[.,٫]/g) ?? []
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','), text.lastIndexOf('٫'))
  if (last < 0) return plain(text, undefined)
  const isMixed = new Set(marks).size > 1
  const mark = text.charAt(last)
  const groups =
    !isMixed &&
    (marks.length > 1 || (mark === separatorsOf(locale).group && onlyFigures(text.slice(last)).length === 3))
  return groups ? plain(text, undefined) : plain(text.slice(0, last), text.slice(last + 1))
}

/** A plain decimal with the locale's grouping and decimal signs, keeping unfinished ends such as "12." while typing. */
export function groupAmount(amount: string, locale: string = personLocale()): string {
  const [whole = '', fraction] = amount.split('.')
  const grouped = whole && new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).format(BigInt(whole))
  return fraction === undefined ? grouped : `${grouped || '0'}${separatorsOf(locale).decimal}${fraction}`
}

/** Cuts places the currency does not have; a scale of 0 leaves no decimal sign either. */
export function limitPlaces(amount: string, scale: number): string {
  const [whole = '', fraction] = amount.split('.')
  return fraction === undefined || scale === 0 ? whole : `${whole}.${fraction.slice(0, scale)}`
}

/**
 * What a money field holds after a key press: `shown` is its new text. Grouping signs we set ourselves mean nothing; one
 * that the person has just typed might be meant as a decimal sign, so the text stays as it is until it is clear.
 */
export function typeAmount(shown: string, typed: string | null, scale: number, locale: string = personLocale()) {
  const { decimal, group } = separatorsOf(locale)
  const isUnclear = typed !== null && /^[.,]$/.test(typed) && typed !== decimal && scale > 0
  if (isUnclear && !shown.includes(decimal) && shown.endsWith(typed)) {
    return { amount: readAmount(shown, locale), shown, isUnclear: true }
  }
  const ungrouped = shown.replaceAll(group, '')
  const at = ungrouped.indexOf(decimal)
  const amount = limitPlaces(
    at < 0 ? plain(ungrouped, undefined) : plain(ungrouped.slice(0, at), ungrouped.slice(at + 1)),
    scale,
  )
  return { amount, shown: groupAmount(amount, locale), isUnclear: false }
}

import { personLocale } from '../format/locale.ts'
import { toLatinDigits, isGrouped, keepDigits, localeSeparators } from './amount-signs.ts'

function joinDecimal(integerPart: string, fraction: string | undefined): string {
  const figures = keepDigits(integerPart).replace(/^0+(?=\d)/, '')
  if (fraction === undefined) return figures
  return `${figures || '0'}.${keepDigits(fraction)}`
}

/**
 * Reads an amount in any usual notation: "1.234,56", "1,234.56", "1 234,56", "12,5", "€ 5". The last of two different
 * signs is the decimal one; a lone grouping sign of the locale groups where the digits around it can be a group:
 * "1.234", never "0.125". Returns a plain decimal ("" without a digit or a possible reading), never rounded: places are
 * checked elsewhere.
 */
export function readAmount(text: string, locale: string = personLocale()): string {
  const latin = toLatinDigits(text, locale)
  const marks = latin.match(/[.,]/g) ?? []
  const last = Math.max(latin.lastIndexOf('.'), latin.lastIndexOf(','))
  if (last < 0) return joinDecimal(latin, undefined)
  const mark = latin.charAt(last)
  const isGroupSign = isGrouped(latin.replaceAll(/[^\d.,]/g, ''), mark)
  if (isGroupSign && (marks.length > 1 || mark === localeSeparators(locale).group)) return joinDecimal(latin, undefined)
  const isMixed = new Set(marks).size > 1
  if (marks.length > 1 && !isMixed) return ''
  return joinDecimal(latin.slice(0, last), latin.slice(last + 1))
}

/** Plain decimal with the locale's grouping and decimal signs, keeping unfinished ends such as "12." while typing. */
export function groupAmount(amount: string, locale: string = personLocale()): string {
  const [integerPart = '', fraction] = amount.split('.')
  const grouped =
    integerPart &&
    new Intl.NumberFormat(locale, { numberingSystem: 'latn', useGrouping: 'always' }).format(BigInt(integerPart))
  return fraction === undefined ? grouped : `${grouped || '0'}${localeSeparators(locale).decimal}${fraction}`
}

/** Cuts places that the currency does not have; a scale of 0 removes the decimal sign too. */
export function limitPlaces(amount: string, scale: number): string {
  const [integerPart = '', fraction] = amount.split('.')
  return fraction === undefined || scale === 0 ? integerPart : `${integerPart}.${fraction.slice(0, scale)}`
}

export interface TypedAmount {
  /** A plain decimal, or "". */
  readonly amount: string
  readonly shown: string
  /** The last sign may be a decimal or a grouping one, so the text is not reformatted until that is clear. */
  readonly isUnclear: boolean
  /** The person types the grouping signs, which the field otherwise sets automatically. */
  readonly hasTypedGroups?: boolean
  /** Keys pressed in a row at the end of the field, before it replaced signs or dropped places. */
  readonly keys?: string | undefined
  /** The keys can only be read together: as groups or decimals that are not the locale's own. */
  readonly isWhole?: boolean
  /** The text is not an amount; it stays in the field until it is one. */
  readonly isRefused?: boolean
}

/** State of a field that holds a plain decimal. */
export const toTypedAmount = (text: string, locale: string = personLocale()): TypedAmount => ({
  amount: text.replace(/\.$/, ''),
  shown: groupAmount(text, locale),
  isUnclear: false,
})

/** Reads the field's own text: grouping signs were set by the field, and a decimal sign is the locale's own. */
function readOwnText(text: string, scale: number, locale: string): string {
  const { decimal, group } = localeSeparators(locale)
  const [integerPart = '', ...fraction] = text.replaceAll(group, '').split(decimal)
  return limitPlaces(joinDecimal(integerPart, fraction.length > 0 ? fraction.join('') : undefined), scale)
}

/** True if `text` is `before` with digits inserted at one place. */
function hasMoreFigures(text: string, before: string): boolean {
  const added = text.length - before.length
  if (before === '' || added <= 0) return false
  let start = 0
  while (start < before.length && text.charAt(start) === before.charAt(start)) start += 1
  return text.endsWith(before.slice(start)) && /^\d+$/.test(text.slice(start, start + added))
}

type Input = Pick<InputEvent, 'data' | 'inputType'>

/** True for a deletion, one digit, separator or space, or digits inserted at one place of the field's text `before`. */
export function isTyped({ inputType, data }: Input, text: string, before: string): boolean {
  if (inputType?.startsWith('delete')) return true
  return data?.length === 1 ? /[\d.,\s]/.test(data) : hasMoreFigures(text, before)
}

const typedSign = ({ data }: Input): string | undefined => (data === '.' || data === ',' ? data : undefined)

/**
 * Digits per group. In currencies with at most this many decimals, exactly this many digits after a sign mean that it
 * groups.
 */
const groupPlaces = 3

/**
 * Reads a text whose sign may be a decimal or a grouping one. The amount stays unclear until the digits after the sign
 * decide; undefined if the sign can be neither.
 */
function readUnclear(text: string, scale: number, locale: string): TypedAmount | undefined {
  const marks = text.match(/[.,]/g) ?? []
  const after = /\d*$/.exec(text)?.[0].length ?? 0
  const isBroken = marks.length > 1 ? after > 0 && after !== groupPlaces : after > Math.max(scale, groupPlaces)
  if (isBroken || /\s/.test(text)) return undefined
  const amount = limitPlaces(readAmount(text.replace(/[.,]$/, ''), locale), scale)
  const canBeDecimal = marks.length === 1 && scale > groupPlaces
  const isUnambiguous = after > groupPlaces || (after === groupPlaces && !canBeDecimal)
  const hasTypedGroups = after === groupPlaces
  return isUnambiguous
    ? { ...toTypedAmount(amount, locale), hasTypedGroups }
    : { amount, shown: text, isUnclear: true, hasTypedGroups: hasTypedGroups || marks.length > 1 }
}

/**
 * True if a sign typed at the end of a text without a decimal sign can only be the decimal one: it does not group in
 * the locale, follows no digit or a leading zero, or follows groups that the field has set itself.
 */
function isDecimalSign(text: string, sign: string, before: TypedAmount | undefined, locale: string): boolean {
  const { group } = localeSeparators(locale)
  if (sign !== group || /^0*$/.test(text.slice(0, -1)) || (before?.keys ?? text).startsWith('0')) return true
  return text.slice(0, -1).includes(group) && !before?.hasTypedGroups
}

/**
 * Returns the state of an amount field after typing that left `text` in it; undefined if the text has to be read as a
 * whole. `before` is its previous state. A grouping sign just typed may be meant as the decimal sign ("12.5" on a
 * German keypad): it is kept until the next digits decide, or the field is left.
 */
export function applyInput(
  text: string,
  event: Input,
  before: TypedAmount | undefined,
  scale: number,
  locale: string = personLocale(),
): TypedAmount | undefined {
  const { decimal, group } = localeSeparators(locale)
  const sign = typedSign(event)
  const decimals = text.split(decimal).length - 1
  const isSecondSign = sign !== undefined && (before?.isUnclear === true || (sign !== decimal && decimals > 0))
  const hasSeparateDecimalSigns = decimals > 1 && !text.includes(decimal + decimal)
  if (isSecondSign || hasSeparateDecimalSigns) return undefined
  let ownFormat = text
  const at = sign === undefined || sign === decimal ? -1 : text.lastIndexOf(sign)
  if (sign !== undefined && at >= 0 && (sign !== group || at === text.length - 1)) {
    if (!isDecimalSign(text, sign, before, locale)) return readUnclear(text, scale, locale)
    ownFormat = text.slice(0, at) + decimal + text.slice(at + 1)
  } else if (before?.isUnclear && decimals === 0 && /[.,]/.test(text)) return readUnclear(text, scale, locale)
  const amount = readOwnText(ownFormat, scale, locale)
  // A currency without decimals drops all characters after a decimal sign: "1.5" yen must not become 15.
  if (scale === 0 && ownFormat.includes(decimal))
    return { amount, shown: groupAmount(amount, locale) + decimal, isUnclear: true }
  const hasTypedGroups = before?.hasTypedGroups === true && amount !== ''
  return hasTypedGroups ? { ...toTypedAmount(amount, locale), hasTypedGroups } : toTypedAmount(amount, locale)
}

const countFigures = (text: string): number => text.replaceAll(/\P{Nd}/gu, '').length

/** Position of the caret in `shown`, behind the same digit as in `text`. */
export function placeCaret(shown: string, text: string, caret: number): number {
  if (caret >= text.length) return shown.length
  const figures = countFigures(text.slice(0, caret))
  let index = 0
  for (let seenDigits = 0; seenDigits < figures && index < shown.length; index++)
    if (/\d/.test(shown.charAt(index))) seenDigits++
  return index
}

import { amountRefused } from '#messages/forms.ts'
import { personLocale } from '../format/locale.ts'
import { isTyped, separatorsOf, settled, takeInput, type TypedAmount } from './amount-text.ts'

/** Why a text is no amount for a field. */
export type AmountProblem = 'negative' | 'unreadable' | 'places'

/** What a field takes: the currency's own code and sign may stand beside the figures. */
export interface AmountFormat {
  readonly currency: string
  readonly scale: number
}

const latin = (text: string): string =>
  text
    .replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (figure) => String(figure.charCodeAt(0) & 0xf))
    .replaceAll('٫', ',')
    .replaceAll('٬', '.')

/** The text without the currency's code or signs at either end. */
function withoutUnit(text: string, currency: string, locale: string): string {
  const units = [currency]
  for (const currencyDisplay of ['symbol', 'narrowSymbol'] as const) {
    try {
      const parts = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).formatToParts(1)
      units.push(parts.find(({ type }) => type === 'currency')?.value ?? currency)
    } catch {
      // A code that Intl does not know has no sign.
    }
  }
  const lower = text.toLowerCase()
  const sign = units.toSorted((a, b) => b.length - a.length).map((unit) => unit.toLowerCase())
  const before = sign.find((unit) => lower.startsWith(unit))
  if (before !== undefined) return text.slice(before.length).trim()
  const after = sign.find((unit) => lower.endsWith(unit))
  return after === undefined ? text : text.slice(0, -after.length).trim()
}

/** Groups of three, or of two before the last as in India. */
const isGrouped = (whole: string): boolean => /^\d{1,3}(?:g\d{3})+$|^\d{1,2}(?:g\d{2})*g\d{3}$/.test(whole)

/** Splits figures at their decimal sign; undefined when they can be read in two ways, or in none. */
function partsOf(text: string, locale: string): { whole: string; fraction: string } | undefined {
  const { decimal } = separatorsOf(locale)
  const marks = text.match(/[.,]/g) ?? []
  const last = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  const mark = text.charAt(last)
  const isMixed = new Set(marks).size > 1
  const groupsOf = (whole: string) => whole.replaceAll(/[.,'’\s]/g, 'g')
  const whole = text.slice(0, last < 0 ? undefined : last)
  const fraction = last < 0 ? '' : text.slice(last + 1)
  const isDecimal = last < 0 || isMixed || (marks.length === 1 && (mark === decimal || !isGrouped(groupsOf(text))))
  if (isDecimal) {
    const groups = groupsOf(whole)
    const isWhole = /^\d*$/.test(groups) || (isGrouped(groups) && (!isMixed || !whole.includes(mark)))
    return isWhole && /^\d*$/.test(fraction) ? { whole: groups.replaceAll('g', ''), fraction } : undefined
  }
  // One sign before three figures: it groups where the locale says so, else nobody can tell.
  const isOwnGroup = marks.length > 1 || mark === separatorsOf(locale).group
  return isOwnGroup && isGrouped(groupsOf(text)) ? { whole: text.replaceAll(/\D/g, ''), fraction: '' } : undefined
}

/**
 * Reads an amount that came into a field in one piece, such as a pasted one, in the person's number format; other formats
 * where only one reading is possible ("1.234,56"). Gives a plain decimal, never rounded or cut, or what is wrong.
 */
export function readPasted(
  pasted: string,
  { currency, scale }: AmountFormat,
  locale: string = personLocale(),
): { readonly amount: string } | { readonly problem: AmountProblem } {
  const text = withoutUnit(latin(pasted.trim()), currency, locale)
  if (text === '') return pasted.trim() === '' ? { amount: '' } : { problem: 'unreadable' }
  if (/^[-−–]\s*\S*\d|^\(.*\d.*\)$|\d\s*[-−]$/.test(text)) return { problem: 'negative' }
  if (!/\d/.test(text) || !/^[\d.,'’\s]+$/.test(text)) return { problem: 'unreadable' }
  const parts = partsOf(text, locale)
  if (!parts) return { problem: 'unreadable' }
  if (parts.fraction.length > scale) return { problem: 'places' }
  const whole = parts.whole.replace(/^0+(?=\d)/, '') || '0'
  return { amount: parts.fraction === '' ? whole : `${whole}.${parts.fraction}` }
}

/** What a field held before an input event: what it showed, and how that was typed, if it was. */
interface Held {
  readonly shown: string
  readonly typed: TypedAmount | undefined
}

/**
 * What an amount field holds after an input event that left `text` in it. What came in one piece is read as it is, or refused
 * in words: the field then keeps what it held.
 */
export function takeText(
  text: string,
  event: Pick<InputEvent, 'data' | 'inputType'>,
  { shown, typed }: Held,
  format: AmountFormat,
  locale: string = personLocale(),
): TypedAmount | { readonly refused: string } {
  if (isTyped(event, text, shown)) return takeInput(text, event, typed, format.scale, locale)
  const read = readPasted(text, format, locale)
  if ('amount' in read) return settled(read.amount, locale)
  return {
    refused: amountRefused[read.problem]({ text: text.length > 24 ? `${text.slice(0, 24)}…` : text, ...format }),
  }
}

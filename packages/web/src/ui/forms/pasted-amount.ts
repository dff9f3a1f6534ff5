import { findSymbol } from '@tern/money/currency-symbol'
import { amountRefused } from '#messages/forms.ts'
import { personLocale } from '../format/locale.ts'
import { toLatinDigits, isGrouped, keepDigits, localeSeparators } from './amount-signs.ts'
import { isTyped, toTypedAmount, applyInput, type TypedAmount } from './amount-text.ts'

/** Reasons why a text is not an amount for a field. */
export type AmountProblem = 'negative' | 'unreadable' | 'places'

/** Format of a field. The currency's own code and symbol are allowed beside the digits. */
export interface AmountFormat {
  readonly currency: string
  readonly scale: number
}

/** Removes the currency's code or signs from either end. */
function removeUnit(text: string, currency: string, locale: string): string {
  const units = [currency, findSymbol(currency) ?? currency]
  for (const currencyDisplay of ['symbol', 'narrowSymbol'] as const) {
    try {
      const parts = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).formatToParts(1)
      units.push(parts.find(({ type }) => type === 'currency')?.value ?? currency)
    } catch {
      // A code that Intl does not know has no sign.
    }
  }
  const lower = text.toLowerCase()
  for (const unit of units.toSorted((a, b) => b.length - a.length)) {
    if (lower.startsWith(unit.toLowerCase())) return text.slice(unit.length).trim()
    if (lower.endsWith(unit.toLowerCase())) return text.slice(0, -unit.length).trim()
  }
  return text
}

type NumberParts = { readonly whole: string; readonly fraction: string }

/** Reads digits without a decimal sign, with at most one kind of grouping sign. */
function readInteger(text: string, sign: string | undefined): NumberParts | undefined {
  return sign === undefined || isGrouped(text, sign) ? { whole: keepDigits(text), fraction: '' } : undefined
}

/** Splits digits at the decimal sign at `at`; signs before it must group. */
function splitNumber(text: string, at: number, group: string | undefined): NumberParts | undefined {
  const integerPart = text.slice(0, at)
  const isValidInteger = group === undefined || isGrouped(integerPart, group)
  const fraction = text.slice(at + 1)
  return isValidInteger && /^\d*$/.test(fraction) ? { whole: keepDigits(integerPart), fraction } : undefined
}

/** Splits digits at their decimal sign; undefined if they can be read in two ways, or in none. */
function splitDigits(text: string, locale: string): NumberParts | undefined {
  const normalized = text.replaceAll(/[’‘ʼ`´]/g, "'").replaceAll(/\s/g, ' ')
  const signs: readonly string[] = normalized.match(/\D/g) ?? []
  const lastSign = signs.at(-1)
  const [first, second, ...otherSigns] = new Set(signs)
  if (otherSigns.length > 0) return undefined
  const { decimal, group } = localeSeparators(locale)
  if (second !== undefined) {
    const isDecimal =
      (lastSign === '.' || lastSign === ',') && lastSign !== first && signs.indexOf(lastSign) === signs.length - 1
    return isDecimal ? splitNumber(normalized, normalized.lastIndexOf(lastSign), first) : undefined
  }
  const isDecimal =
    signs.length === 1 &&
    (lastSign === '.' || lastSign === ',') &&
    (lastSign === decimal || !isGrouped(normalized, lastSign))
  if (isDecimal) return splitNumber(normalized, normalized.indexOf(lastSign), undefined)
  // One sign before three digits is a grouping sign where the locale uses it as such; otherwise there are two readings.
  const isUnambiguous = signs.length !== 1 || lastSign === group || lastSign === "'" || lastSign === ' '
  return isUnambiguous ? readInteger(normalized, first) : undefined
}

/** Marks of text direction, as right-to-left pages put around amounts. */
const directionMarks = /\p{Bidi_Control}/gu

const negative = /^[\p{Pd}−]\P{L}*$|^\(.*\d.*\)$|\d\s*[\p{Pd}−]$/u

/**
 * Reads an amount inserted as a whole, such as a pasted one, in the person's number format; in other formats if there
 * is only one reading ("1.234,56"). Returns a plain decimal, never rounded or cut, or the problem.
 */
export function readPasted(
  pastedText: string,
  { currency, scale }: AmountFormat,
  locale: string = personLocale(),
): { readonly amount: string } | { readonly problem: AmountProblem } {
  const latin = toLatinDigits(pastedText.replaceAll(directionMarks, ''), locale).trim()
  const text = removeUnit(latin, currency, locale)
  if (text === '') return pastedText.trim() === '' ? { amount: '' } : { problem: 'unreadable' }
  if (negative.test(text)) return { problem: 'negative' }
  if (!/\d/.test(text) || !/^[\d.,'’‘ʼ`´\s]+$/.test(text)) return { problem: 'unreadable' }
  const parts = splitDigits(text, locale)
  if (!parts) return { problem: 'unreadable' }
  if (parts.fraction.length > scale) return { problem: 'places' }
  const integerPart = parts.whole.replace(/^0+(?=\d)/, '') || '0'
  return { amount: parts.fraction === '' ? integerPart : `${integerPart}.${parts.fraction}` }
}

/** State of a field before an input event: its text, and the typing state if it was typed. */
interface AmountInput {
  readonly shown: string
  readonly entry: TypedAmount | undefined
}

/** Message for text that is not an amount. Typed text stays in the field, pasted text does not. */
export interface RefusedAmount {
  readonly refused: string
  readonly keptAmount?: TypedAmount | undefined
}

const describeProblem = (problem: AmountProblem, text: string, format: AmountFormat): string =>
  amountRefused[problem]({ text: text.replace(/^(.{24}).+$/su, '$1…'), ...format })

/** Reads a text as a whole; keeps it unchanged if it is not an amount. */
function readText(text: string, format: AmountFormat, locale: string): TypedAmount | RefusedAmount {
  const parsed = readPasted(text, format, locale)
  if ('amount' in parsed) return toTypedAmount(/[.,]$/.test(text) ? `${parsed.amount}.` : parsed.amount, locale)
  const unclearAmount = { amount: '', shown: text, isUnclear: true, isRefused: true }
  return { refused: describeProblem(parsed.problem, text, format), keptAmount: unclearAmount }
}

/**
 * State of an amount field after an input event that left `text` in it. Text inserted as a whole is accepted in full or
 * refused with a message; the field then keeps its content. Typed letters and signs are refused too but stay in the
 * field, so that none is dropped silently. Keys that form no amount with the locale's own signs are read together
 * ("1,000,000" in German).
 */
export function applyText(
  text: string,
  event: Pick<InputEvent, 'data' | 'inputType'>,
  { shown, entry }: AmountInput,
  format: AmountFormat,
  locale: string = personLocale(),
): TypedAmount | RefusedAmount {
  const { inputType } = event
  const latin = toLatinDigits(text, locale)
  // Some phone keyboards report the whole composed text rather than the last key.
  const added = latin.startsWith(shown) ? latin.slice(shown.length) : undefined
  const data = added ?? (event.data && toLatinDigits(event.data, locale))
  const isKey = isTyped({ inputType, data }, latin, shown)
  if (!isKey && (data?.length !== 1 || inputType === 'insertFromPaste'))
    return { ...readText(text, format, locale), keptAmount: undefined }
  const keys = added === undefined ? undefined : (entry?.keys ?? shown) + added
  const isWhole = !isKey || entry?.isRefused || (keys && (entry?.isWhole || /^0\s/.test(keys)))
  const applied = isWhole ? undefined : applyInput(latin, { inputType, data }, entry, format.scale, locale)
  const next = applied ?? readText(keys ?? latin, format, locale)
  return 'amount' in next ? { ...next, keys, isWhole: !applied } : next
}

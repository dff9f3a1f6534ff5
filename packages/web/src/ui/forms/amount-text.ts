import { personLocale } from '../format/locale.ts'

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

export interface TypedAmount {
  /** A plain decimal, or "". */
  readonly amount: string
  /** What the field shows. */
  readonly shown: string
  /** The last sign typed may mean a decimal or a group: the text stays as it is until that is clear. */
  readonly isUnclear: boolean
}

/** What a field holds of a plain decimal. */
export const settled = (text: string, locale: string = personLocale()): TypedAmount => ({
  amount: text.replace(/\.$/, ''),
  shown: groupAmount(text, locale),
  isUnclear: false,
})

/** Grouping signs were set by the field itself and mean nothing; a decimal sign is the locale's own. */
function readOwnText(text: string, scale: number, locale: string): string {
  const { decimal, group } = separatorsOf(locale)
  const [whole = '', ...fraction] = text.replaceAll(group, '').split(decimal)
  return limitPlaces(plain(whole, fraction.length > 0 ? fraction.join('') : undefined), scale)
}

/** True for one keystroke, or figures put between those that the field `before` held; else the text came in one piece. */
export function isTyped({ inputType, data }: Pick<InputEvent, 'data' | 'inputType'>, text: string, before: string) {
  if (inputType?.startsWith('delete')) return true
  if (data?.length === 1) return /[\d.,٫\s]/.test(data)
  const marksOf = (shown: string) => shown.replaceAll(/\d/g, '')
  return before !== '' && text.length > before.length && marksOf(text) === marksOf(before)
}

/**
 * What an amount field holds after typing that left `text` in it. `before` is what it held. A grouping sign that the person
 * has just typed may be meant as the decimal sign ("12.5" on a German keypad): it stays until three figures follow (then it
 * groups) or the field is left.
 */
export function takeInput(
  text: string,
  event: Pick<InputEvent, 'data' | 'inputType'>,
  before: TypedAmount | undefined,
  scale: number,
  locale: string = personLocale(),
): TypedAmount {
  const { decimal } = separatorsOf(locale)
  const startsUnclear = /^[.,]$/.test(event.data ?? '') && event.data !== decimal && text.endsWith(event.data ?? '')
  const staysUnclear = before?.isUnclear === true && text.startsWith(before.shown) && /^\d$/.test(event.data ?? '')
  if (!text.includes(decimal) && (startsUnclear || staysUnclear)) {
    const amount = limitPlaces(readAmount(text, locale), scale)
    const isClear = onlyFigures(text.slice(Math.max(text.lastIndexOf('.'), text.lastIndexOf(',')))).length >= 3
    return isClear ? settled(amount, locale) : { ...settled(amount, locale), shown: text, isUnclear: true }
  }
  const amount = readOwnText(text, scale, locale)
  // A currency without decimals swallows what follows a decimal sign: "1.5" yen must not become 15.
  if (scale === 0 && text.includes(decimal))
    return { amount, shown: groupAmount(amount, locale) + decimal, isUnclear: true }
  return settled(amount, locale)
}

const countFigures = (text: string): number => text.replace(/\D/g, '').length

/** Where the caret belongs in `shown`, so that it stays behind the figure it stood behind in `text`. */
export function caretIn(shown: string, text: string, caret: number): number {
  if (caret >= text.length) return shown.length
  const figures = countFigures(text.slice(0, caret))
  let index = 0
  for (let seen = 0; seen < figures && index < shown.length; index++) if (/\d/.test(shown.charAt(index))) seen++
  return index
}

interface Separators {
  readonly decimal: string
  readonly group: string
}

/** Decimal and grouping signs of a locale: `{ decimal: ',', group: '.' }` for German. */
export function localeSeparators(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn', useGrouping: 'always' }).formatToParts(
    1234567.8,
  )
  const findPart = (type: string, fallback: string) => parts.find((part) => part.type === type)?.value ?? fallback
  return { decimal: findPart('decimal', '.'), group: findPart('group', ',') }
}

export const keepDigits = (text: string): string => text.replaceAll(/\D/g, '')

const isDigit = (code: number): boolean => /^\p{Nd}$/u.test(String.fromCodePoint(code))

/**
 * Value of a decimal digit of any script: Unicode encodes the ten digits of each script in order from zero. A digit of
 * two UTF-16 units is returned unchanged.
 */
function digitValue(figure: string): string {
  if (figure.length > 1) return figure
  const code = figure.codePointAt(0) ?? 0
  let digitsBefore = 0
  while (isDigit(code - digitsBefore - 1)) digitsBefore += 1
  return String(digitsBefore % 10)
}

/**
 * Converts digits of every script to 0 to 9, Arabic separators to the locale's own, and full-width separators to usual
 * ones. Each character stays one character, so that the caret keeps its place.
 */
export function toLatinDigits(text: string, locale: string): string {
  const { decimal, group } = localeSeparators(locale)
  return text
    .replaceAll(/[^\P{Nd}0-9]/gu, digitValue)
    .replaceAll('٫', decimal)
    .replaceAll('٬', group)
    .replaceAll('．', '.')
    .replaceAll('，', ',')
}

/**
 * True for a whole number in groups of three, or of two before the last three as in India, separated by `sign`. A
 * number in groups never begins with a zero.
 */
export function isGrouped(integerPart: string, sign: string): boolean {
  const markedSigns = integerPart.replaceAll(sign, 'g')
  return /^[1-9]\d{0,2}(?:g\d{3})+$|^[1-9]\d?(?:g\d{2})*g\d{3}$/.test(markedSigns)
}

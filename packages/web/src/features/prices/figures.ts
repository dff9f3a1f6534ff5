import type { Digits, Figure } from '@tern/contract/prices/digits'
import { personLocale } from '../../ui/format/locale.ts'
import { isolate } from '../../ui/format/format.ts'

/** Decimal with localized grouping and all its digits. */
function groupDigits(decimal: string): string {
  const [, sign = '', integerPart = '0', fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  const format = new Intl.NumberFormat(personLocale())
  const mark = format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  return `${sign === '' ? '' : '−'}${format.format(BigInt(integerPart))}${fraction === undefined ? '' : mark + fraction}`
}

const isDecimal = (figure: string): boolean => /^-?\d+(\.\d+)?…?$/.test(figure)

/** Formula as one line with grouped figures. */
export const formulaText = (formula: readonly Figure[]): string =>
  isolate(
    formula
      .map((part) => (isDecimal(part) ? groupDigits(part.replace('…', '')) + (part.endsWith('…') ? '…' : '') : part))
      .join(' '),
  )

/** Significant digits, and those that rounding cuts off. */
export function digitsText({ shownDigits, cutDigits, isEndless }: Digits): {
  significantDigits: string
  cutDigits: string | undefined
} {
  const end = isEndless ? '…' : ''
  return cutDigits === undefined
    ? { significantDigits: groupDigits(shownDigits) + end, cutDigits: undefined }
    : { significantDigits: groupDigits(shownDigits), cutDigits: cutDigits + end }
}

/** Formats parts per million as a percentage with two to four decimals. */
export function percentText(partsPerMillion: bigint): string {
  const sign = partsPerMillion < 0n ? '-' : ''
  const digits = (partsPerMillion < 0n ? -partsPerMillion : partsPerMillion).toString().padStart(5, '0')
  const decimal = `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/(\.\d\d\d*?)0+$/, '$1')
  return `${groupDigits(sign + decimal)}%`
}

import type { Digits, Figure } from '@tern/contract/prices/digits'
import { personLocale } from '../../ui/format/locale.ts'
import { isolate } from '../../ui/format/format.ts'

/** A decimal grouped as the person writes numbers, with every digit it has. */
function grouped(decimal: string): string {
  const [, sign = '', whole = '0', fraction] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(decimal) ?? []
  const format = new Intl.NumberFormat(personLocale())
  const mark = format.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  return `${sign === '' ? '' : '−'}${format.format(BigInt(whole))}${fraction === undefined ? '' : mark + fraction}`
}

const isDecimal = (figure: string): boolean => /^-?\d+(\.\d+)?…?$/.test(figure)

/** A formula as one line: its figures grouped, its signs as they are. */
export const formulaText = (formula: readonly Figure[]): string =>
  isolate(
    formula
      .map((part) => (isDecimal(part) ? grouped(part.replace('…', '')) + (part.endsWith('…') ? '…' : '') : part))
      .join(' '),
  )

/** The digits that count, and those that rounding cuts off. */
export function digitsText({ kept, cut, isEndless }: Digits): { kept: string; cut: string | undefined } {
  const end = isEndless ? '…' : ''
  return cut === undefined ? { kept: grouped(kept) + end, cut: undefined } : { kept: grouped(kept), cut: cut + end }
}

/** Millionths as a percentage with at least two decimals, and no more than it has. */
export function percentText(partsPerMillion: bigint): string {
  const sign = partsPerMillion < 0n ? '-' : ''
  const digits = (partsPerMillion < 0n ? -partsPerMillion : partsPerMillion).toString().padStart(5, '0')
  const decimal = `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/(\.\d\d\d*?)0+$/, '$1')
  return `${grouped(sign + decimal)}%`
}

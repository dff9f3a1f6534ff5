// Amounts in the binary formats: currency, decimals and minor units.

import {
  type ByteReader,
  formatInteger,
  formatNumber,
  formatText,
  readByte,
  readInteger,
  readText,
} from './byte-format.ts'
import { concat } from './bytes.ts'
import { FormatError } from './format-error.ts'

export interface ExactAmount {
  /** Capital letters and digits, such as EUR. */
  readonly currency: string
  /** Decimals of the minor unit. */
  readonly scale: number
  /** Minor units. */
  readonly minor: bigint
}

const largestScale = 36

const isAmount = ({ currency, scale }: Omit<ExactAmount, 'minor'>): boolean =>
  /^[A-Z0-9]{1,16}$/.test(currency) && Number.isSafeInteger(scale) && scale >= 0 && scale <= largestScale

export function formatAmount(amount: ExactAmount): Uint8Array {
  if (!isAmount(amount)) throw new RangeError('currency is invalid')
  return concat(formatText(amount.currency), formatNumber(amount.scale, 1), formatInteger(amount.minor))
}

export function readAmount(reader: ByteReader): ExactAmount {
  const amount = { currency: readText(reader), scale: readByte(reader), minor: readInteger(reader) }
  if (!isAmount(amount)) throw new FormatError('currency is invalid')
  return amount
}

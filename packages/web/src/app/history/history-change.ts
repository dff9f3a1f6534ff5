import type { Reply } from '@tern/contract/protocol/endpoint'
import type { balanceHistory } from '@tern/contract/wallets'
import { type Money, parseDecimal, subtract } from '@tern/money/money'
import type { HistoryDays } from '../session/live.ts'

type History = Reply<typeof balanceHistory>

const dayMs = 86_400_000

/** Number of days that a loaded history covers. Differs from the chosen one while another period loads. */
export function countDays({ from, to }: Pick<History, 'from' | 'to'>): HistoryDays {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
  return days <= 30 ? '30' : days <= 90 ? '90' : '365'
}

/** Closing balance less opening balance. */
export const computeChange = ({ currency, opening_balance: opening, closing_balance: closing }: History): Money =>
  subtract(parseDecimal(currency, closing), parseDecimal(currency, opening))

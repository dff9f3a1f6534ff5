// Preloaded in the app: adds a rule that holds some transfers, chosen by amount.

import { transferRules } from '../../packages/server/src/features/transfers/decision/rules.ts'
import type { TransferRule } from '../../packages/server/src/features/transfers/transfers.ts'

const hourMs = 3_600_000

const requireReviews: TransferRule = ({ now }, _db, { transfer }) => {
  const { minor } = transfer.source
  const hoursFromNow = (hours: number) => new Date(now().getTime() + hours * hourMs)
  if (minor % 8n === 1n) return { outcome: 'hold', reason: 'undo', until: hoursFromNow(6) }
  return minor % 8n === 4n ? { outcome: 'hold', reason: 'review', until: hoursFromNow(48) } : undefined
}

;(transferRules as TransferRule[]).push(requireReviews)

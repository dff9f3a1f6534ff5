import { isFiatCode } from '@tern/money/currency'
import type { Transaction } from '@tern/contract/transactions'
import type { ReactNode } from 'react'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { paths } from '../../paths.ts'

/** Initial form state that repeats a send; undefined while the send is pending, and for other transactions. */
export function sendAgainState(transaction: Transaction) {
  const { transaction_type: type, status, counterparty, source_amount: amount, target_currency: target } = transaction
  if (type !== 'SEND' || status === 'PENDING' || !counterparty) return undefined
  const crypto = isFiatCode(target) ? {} : { isCrypto: true, cryptoCurrency: target }
  const { source_currency: source, description } = transaction
  return { recipientText: counterparty.username, amount, source, description, ...crypto }
}

/** Link that repeats a send at a new price; empty without `sendAgainState`. */
export function SendAgain({ transaction, children }: { transaction: Transaction; children: ReactNode }) {
  const state = sendAgainState(transaction)
  if (!state) return null
  return (
    <LinkButton look="primary" icon="send" to={paths.send} state={{ again: state }}>
      {children}
    </LinkButton>
  )
}

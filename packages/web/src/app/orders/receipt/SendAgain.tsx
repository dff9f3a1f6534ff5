import { isFiatCode } from '@tern/money/currency'
import type { Transaction } from '@tern/contract/transactions'
import type { ReactNode } from 'react'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { paths } from '../../paths.ts'

/** The same once more, to the same person, at a new price; nothing while it is under way, or when it was no send of one's own. */
export function SendAgain({ transaction, children }: { transaction: Transaction; children: ReactNode }) {
  const { transaction_type: type, status, counterparty, source_amount: amount, target_currency: target } = transaction
  if (type !== 'SEND' || status === 'PENDING' || !counterparty) return null
  const crypto = isFiatCode(target) ? {} : { isCrypto: true, cryptoCurrency: target }
  const { source_currency: source, description } = transaction
  const again = { recipientText: counterparty.username, amount, source, description, ...crypto }
  return (
    <LinkButton look="primary" icon="send" to={paths.send} state={{ again }}>
      {children}
    </LinkButton>
  )
}

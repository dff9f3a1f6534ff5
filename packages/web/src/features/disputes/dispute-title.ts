import type { Dispute } from '@tern/contract/disputes/disputes'
import { disputes as texts } from '#messages/transfers/disputes.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { shortCounterparty } from '../../ui/money/activity.ts'

/** Title of a dispute: amount, recipient of a transfer to a person, and kind. */
export function writeDisputeTitle({
  kind,
  claimed: claimedAmount,
  transaction,
}: Pick<Dispute, 'kind' | 'claimed' | 'transaction'>): string {
  const amount = formatMoney(claimedAmount.amount, claimedAmount.currency)
  return transaction.transaction_type === 'SEND' && transaction.counterparty
    ? texts.aboutPerson(amount, shortCounterparty(transaction), texts.kinds[kind])
    : texts.about(amount, texts.kinds[kind])
}

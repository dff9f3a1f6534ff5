import type { BankAccount } from '@tern/contract/banking'
import { useEffect } from 'react'
import { payments } from '#messages/payments.ts'
import { accountName } from '../../../app/instruments/payment-methods.ts'
import { Receipt } from '../../../app/orders/Receipt.tsx'
import { formatExact, formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { dropDraft } from '../draft.ts'
import { gainOf } from './deposit-order.ts'
import type { Begun } from './use-deposit.ts'

/** The receipt of a bank deposit that was begun and will take its days. */
export default function DepositStarted(props: Begun & { accounts: readonly BankAccount[]; onAnother: () => void }) {
  const { reply, order, accounts, onAnother } = props
  useEffect(() => dropDraft('deposit'), [])
  const { charged, gained } = gainOf(order)
  const account = accounts.find(({ id }) => id === order.body.bankAccountId)
  return (
    <Receipt
      title={payments.onItsWay}
      status="PENDING"
      caption={payments.willGet}
      amount={formatExactWithSign(gained.amount, gained.currency)}
      entries={[
        account && { term: payments.from, value: accountName(account) },
        { term: payments.bankPays, value: formatExact(charged.amount, charged.currency) },
        { term: payments.arrives, value: payments.arrivesIn },
        reply.transaction_id !== null && { term: payments.transactionId, value: reply.transaction_id },
      ]}
      note={payments.onItsWayText}
      texts={payments}
      onAnother={onAnother}
    />
  )
}

import type { BankAccount } from '@tern/contract/banking'
import { useEffect } from 'react'
import { payments } from '#messages/payments.ts'
import { accountName } from '../../../app/instruments/payment-methods.ts'
import { Receipt } from '../../../app/orders/Receipt.tsx'
import { formatExact, formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { dropDraft } from '../draft.ts'
import type { Gain } from './deposit-order.ts'

/** A bank deposit that was begun and will take its days. */
export interface StartedByBank extends Gain {
  readonly method: 'bank'
  readonly account: BankAccount | undefined
  readonly transactionId: string | null
}

/** The bank has been asked for the money: what comes, from where, and when. */
export function DepositStarted({ started, onAnother }: { started: StartedByBank; onAnother: () => void }) {
  useEffect(() => dropDraft('deposit'), [])
  const { charged, gained, account, transactionId } = started
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
        transactionId !== null && { term: payments.transactionId, value: transactionId },
      ]}
      note={payments.onItsWayText}
      texts={payments}
      onAnother={onAnother}
    />
  )
}

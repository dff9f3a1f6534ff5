import type { BankAccount } from '@tern/contract/banking'
import type { FiatCode } from '@tern/money/currency'
import { useEffect, useRef } from 'react'
import { withdrawals } from '#messages/withdrawals.ts'
import { pathIfPresent } from '../../../app/paths.ts'
import { Button, LinkButton } from '../../../ui/forms/Button.tsx'
import { Chip } from '../../../ui/layout/Chip.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { formatExactWithSign } from '../../../ui/money/exact-amount.ts'
import { formatDay } from '../../../ui/format/format-day.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { accountName } from '../methods/method-names.ts'
import type { Ordered } from './use-withdrawal-order.ts'

interface WithdrawalOrderedProps {
  ordered: Ordered
  /** A decimal string. */
  amount: string
  currency: FiatCode
  /** Undefined when it was removed since. */
  account: BankAccount | undefined
  onAnother: () => void
}

/** The receipt of a withdrawal: the wallet is debited, the bank has it by the day shown. */
export function WithdrawalOrdered({ ordered, amount, currency, account, onAnother }: WithdrawalOrderedProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const isDone = ordered.status === 'completed'
  const listPath = pathIfPresent('transactions')
  return (
    <div className="mt-8 max-w-140">
      <Sheet scaleBar>
        <div className="p-6 md:p-8">
          <div className="row">
            <h2 className="display-s grow outline-none" tabIndex={-1} ref={heading}>
              {isDone ? withdrawals.arrived : withdrawals.onItsWay}
            </h2>
            <Chip status={isDone ? 'COMPLETED' : 'PENDING'} />
          </div>
          <p className="small muted mt-6">{withdrawals.youWillGet}</p>
          <p className="balance balance-small">{formatExactWithSign(amount, currency)}</p>
          <div className="mt-6 border-t">
            <DefinitionList
              small
              entries={[
                account && { term: withdrawals.to, value: accountName(account) },
                { term: withdrawals.fee, value: withdrawals.noFee },
                { term: withdrawals.arrivesBy, value: formatDay(ordered.expected_on) },
                { term: withdrawals.transactionId, value: ordered.transaction_id },
              ]}
            />
          </div>
          {!isDone && <p className="small muted mt-4">{withdrawals.onItsWayText}</p>}
        </div>
      </Sheet>
      <div className="form-actions mt-6 flex-wrap">
        {listPath && (
          <LinkButton look="primary" big to={listPath}>
            {withdrawals.seeTransactions}
          </LinkButton>
        )}
        <Button big onClick={onAnother}>
          {withdrawals.another}
        </Button>
      </div>
    </div>
  )
}

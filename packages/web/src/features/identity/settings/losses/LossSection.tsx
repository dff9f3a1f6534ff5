import { useQuery, useQueryClient } from '@tanstack/react-query'
import { openLosses, payLoss } from '@tern/contract/payments/losses'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { type Money, money, parseDecimal, toDecimal } from '@tern/money/money'
import { useEffect, useRef, useState } from 'react'
import { losses as texts } from '#messages/identity/losses.ts'
import { paths } from '../../../../app/paths.ts'
import { refreshMoney, walletQuery } from '../../../../app/session/live.ts'
import { buildQuery } from '../../../../app/session/query.ts'
import { refetchUser } from '../../../../app/session/session.ts'
import { useApiMutation } from '../../../../app/use-api-mutation.ts'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { StatusBadge } from '../../../../ui/feedback/StatusBadge.tsx'
import { formatDate, formatMoney } from '../../../../ui/format/format.ts'
import { Button, LinkButton } from '../../../../ui/forms/Button.tsx'
import { Entry, EntrySkeleton, RuledSection } from '../../../../ui/layout/RuledSection.tsx'

type Loss = Reply<typeof openLosses>['losses'][number]

const lossId = ({ payment_id: payment, dispute_id: dispute }: Loss): string => payment ?? dispute ?? ''

const lossesQuery = (userId: number) => buildQuery(['losses', userId], openLosses, {})

/**
 * Amounts owed for reversed payments and disputes, with payment from the wallet. Empty without losses. `isExpected`:
 * the user's data indicates that losses exist.
 */
export function LossSection({ userId, isExpected }: { userId: number; isExpected: boolean }) {
  const losses = useQuery(lossesQuery(userId))
  const [paidAmount, setPaidAmount] = useState<string>()
  const isEmpty = losses.data?.losses.length === 0 && paidAmount === undefined
  if (isEmpty || (losses.isPending && !isExpected)) return null
  return (
    <RuledSection id="missing-money" title={texts.title} text={texts.text}>
      <DataShell query={losses} skeleton={<EntrySkeleton />} failed={texts.loadFailed}>
        {({ losses: open }) => (
          <>
            {paidAmount !== undefined && (
              <RepaidNote key={`${paidAmount} ${open.length}`} amount={paidAmount} isFree={open.length === 0} />
            )}
            {open.map((loss) => (
              <LossEntry key={lossId(loss)} userId={userId} loss={loss} onPaid={setPaidAmount} />
            ))}
          </>
        )}
      </DataShell>
    </RuledSection>
  )
}

/** Success message; takes the focus because the pressed button is removed. */
function RepaidNote({ amount, isFree }: { amount: string; isFree: boolean }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus({ preventScroll: true }), [])
  return (
    <div className="outline-none" role="status" ref={place} tabIndex={-1}>
      <Entry title={<StatusBadge state="good">{texts.paid(amount)}</StatusBadge>} text={isFree && texts.free} />
    </div>
  )
}

function LossEntry({ userId, loss, onPaid }: { userId: number; loss: Loss; onPaid: (amount: string) => void }) {
  const queryClient = useQueryClient()
  const { data: wallet, isPending } = useQuery(walletQuery(userId))
  const amount = formatMoney(loss.amount, loss.currency)
  const { send, isBusy, error } = useApiMutation({
    failed: texts.failed,
    refetches: [['losses', userId]],
  })
  const pay = () =>
    send(payLoss, { params: { id: lossId(loss) }, body: { expected_total: loss.amount } }, async (remaining) => {
      onPaid(amount)
      queryClient.setQueryData(lossesQuery(userId).queryKey, remaining)
      await Promise.all([refetchUser(), refreshMoney(queryClient, userId)])
    })
  const shortfall = wallet && computeShortfall(loss, wallet.fiat_balance)
  return (
    <>
      {error && <Note tone="error">{error}</Note>}
      <Entry
        title={<StatusBadge state="open">{texts.missing(amount)}</StatusBadge>}
        text={(loss.dispute_id === null ? texts.takenBack : texts.creditEnded)(formatDate(loss.taken_back_at))}
      >
        {!isPending && !shortfall && (
          <Button look="primary" processing={isBusy} onClick={pay}>
            {texts.pay(amount)}
          </Button>
        )}
      </Entry>
      {wallet && shortfall && (
        <>
          <p className="small">
            {texts.lacks(
              formatMoney(wallet.fiat_balance, loss.currency),
              formatMoney(toDecimal(shortfall), loss.currency),
            )}
          </p>
          <div>
            <LinkButton look="primary" icon="deposit" to={paths.deposit}>
              {texts.addFunds}
            </LinkButton>
          </div>
        </>
      )}
    </>
  )
}

/** Shortfall of the wallet against a loss, which can only be paid in full; undefined if the balance covers it. */
function computeShortfall({ amount, currency }: Loss, balance: string): Money | undefined {
  const minor = parseDecimal(currency, amount).minor - parseDecimal(currency, balance).minor
  return minor > 0n ? money(currency, minor) : undefined
}

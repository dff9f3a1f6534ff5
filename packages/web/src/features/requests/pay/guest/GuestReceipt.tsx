import '../../../../css/pay-sheet.css'
import { useQuery } from '@tanstack/react-query'
import { Refused } from '@tern/contract/protocol/client'
import { cancelGuestPayment, guestPayment, type GuestReceipt as Receipt } from '@tern/contract/requests/guest-payments'
import { pay } from '#messages/transfers/requests.ts'
import { paths } from '../../../../app/paths.ts'
import { isWebAddress } from '../../../../app/provider-page.ts'
import { retryUnlessRefused, buildVisitorQuery } from '../../../../app/session/query.ts'
import { callAsVisitor, useUser } from '../../../../app/session/session.ts'
import { useAction } from '../../../../app/use-action.ts'
import { DataShell } from '../../../../ui/feedback/DataShell.tsx'
import { Note } from '../../../../ui/feedback/Note.tsx'
import { TextSkeleton } from '../../../../ui/feedback/Skeleton.tsx'
import { Button, LinkButton } from '../../../../ui/forms/Button.tsx'
import { formatDateTime } from '../../../../ui/format/format.ts'
import { DefinitionList } from '../../../../ui/layout/DefinitionList.tsx'
import { Sheet } from '../../../../ui/layout/Sheet.tsx'
import { formatExact } from '../../../../ui/money/exact-amount.ts'
import { requesterName } from '../RequestSummary.tsx'
import { LinkState } from '../LinkState.tsx'

const texts = pay.guest
const pollMs = { open: 2000, processing: 2000, held: 60_000, paid: false, failed: false, refunded: false } as const

/** Status of a guest payment, for the holder of its receipt link. Polls until it is final. */
export function GuestReceipt({ receipt }: { receipt: string }) {
  const payment = useQuery({
    ...buildVisitorQuery(['guest-payment'], guestPayment, { params: { receipt } }),
    refetchInterval: ({ state: { data } }) => (data ? pollMs[data.state] : false),
    retry: retryUnlessRefused(2),
  })
  if (payment.data) {
    return <ReceiptBody receipt={receipt} payment={payment.data} onChange={() => void payment.refetch()} />
  }
  const isUnknown = payment.error instanceof Refused && payment.error.code === 'not_found'
  if (isUnknown) return <LinkState state="cancelled" title={texts.unknownTitle} text={texts.unknownText} />
  return (
    <div className="max-w-140 mx-auto py-18 px-4" aria-busy={!payment.isError}>
      <DataShell query={payment} skeleton={<TextSkeleton lines={4} />} failed={texts.loadFailed} />
    </div>
  )
}

interface ReceiptBodyProps {
  receipt: string
  payment: Receipt
  onChange: () => void
}

function ReceiptBody({ receipt, payment, onChange }: ReceiptBodyProps) {
  const { state, data, reason } = payment
  const name = requesterName(payment)
  const total = formatExact(payment.total, payment.paid_currency)
  const backLink = <LinkButton to={`${paths.pay}?data=${data}`}>{texts.again}</LinkButton>
  switch (state) {
    case 'open':
      return (
        <LinkState state="held" title={texts.openTitle} text={texts.openText(total, name)}>
          <UnpaidActions {...{ receipt, payment, onChange }} />
        </LinkState>
      )
    case 'processing':
      return (
        <LinkState state="processing" title={texts.processingTitle} text={texts.processingText(name)}>
          {null}
        </LinkState>
      )
    case 'held':
      return (
        <LinkState state="held" title={texts.heldTitle} text={texts.heldText(name)}>
          {null}
        </LinkState>
      )
    case 'failed':
      return (
        <LinkState state="cancelled" title={texts.failedTitle} text={reason ?? pay.guestFailed}>
          {backLink}
        </LinkState>
      )
    case 'refunded':
      return (
        <LinkState state="cancelled" title={texts.refundedTitle} text={texts.refundedText}>
          {backLink}
        </LinkState>
      )
    case 'paid':
      return <GuestPaidReceipt payment={payment} />
  }
}

/** Actions on a payment that was not completed on the provider's page: continue there, or cancel. */
function UnpaidActions({ receipt, payment: { redirect_url: url }, onChange }: ReceiptBodyProps) {
  const action = useAction({
    failed: texts.cancelFailed,
    onSettled: onChange,
  })
  const cancel = () => callAsVisitor(cancelGuestPayment, { params: { receipt } })
  return (
    <>
      {isWebAddress(url) && (
        <a className="button button-primary" href={url}>
          {texts.enterCard}
        </a>
      )}
      <Button processing={action.isBusy} onClick={() => action.run(cancel)}>
        {texts.cancel}
      </Button>
      {action.error && <Note tone="error">{action.error}</Note>}
    </>
  )
}

function GuestPaidReceipt({ payment }: { payment: Receipt }) {
  const user = useUser()
  const name = requesterName(payment)
  const { amount, currency, fee, total, paid_currency: paidCurrency, paid_at: paidAt } = payment
  const receivedText = formatExact(amount, currency)
  return (
    <LinkState
      state="paid"
      title={texts.paidTitle}
      text={texts.paidText(name, receivedText)}
      footer={
        <Sheet scaleBar className="pay-sheet mt-6 w-[min(100%,440px)] text-start">
          <section className="p-6" aria-label={texts.receipt}>
            <DefinitionList
              small
              entries={[
                { term: pay.gets(name), value: receivedText },
                { term: pay.guest.for, value: payment.description },
                { term: texts.paidBy, value: payment.name },
                paidAt !== null && { term: texts.date, value: formatDateTime(paidAt) },
                { term: texts.reference, value: payment.reference },
                { term: texts.fee, value: formatExact(fee, paidCurrency) },
                { term: texts.total, value: formatExact(total, paidCurrency), sum: true },
              ]}
            />
          </section>
        </Sheet>
      }
    >
      {!user && <LinkButton to={paths.signup}>{texts.signup}</LinkButton>}
    </LinkState>
  )
}

import type { Quote } from '@tern/contract/exchange'
import type { CurrentUser, PublicUser } from '@tern/contract/identity'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { laterPrice } from '#messages/transfers/later-price.ts'
import { undo as undoTexts } from '#messages/transfers/undo.ts'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { Button } from '../../../ui/forms/Button.tsx'
import { conversionFlow } from '../../../ui/money/conversion.ts'
import { ConversionFlow } from '../../../ui/money/ConversionFlow.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { LocalName } from '../../../app/recipient/LocalName.tsx'
import { Named } from '../../../ui/layout/Named.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import type { RefusedOrder } from '../../../app/limits/LimitWays.tsx'
import { OrderNote } from '../../../app/orders/OrderNote.tsx'
import { paths } from '../../../app/paths.ts'
import { priceEntries } from '../../../app/orders/PriceSheet.tsx'
import { shortNameOf } from '../send-form.ts'
import { isPricedLater } from './least-amount.ts'
import { PaymentChoice } from './PaymentChoice.tsx'
import { type ReviewStepProps, useReview } from './use-review.ts'
import { undoSecondsOf } from './use-send-order.ts'

/** Everything once more before it is final. What is shown is what is sent: the quote, to the minor unit. */
export function ReviewStep(props: ReviewStepProps) {
  const { user, draft, recipient } = props
  const { quote } = props.priced
  const review = useReview(props)
  const { state, change, hasEnded, secondsLeft } = review
  const isSending = state.status === 'sending'
  const undo = undoSecondsOf(quote, draft.funding.source)
  const isOutside = draft.funding.source !== 'wallet'
  const isEstimate = isPricedLater(draft.funding.source, quote)
  return (
    <div className="form-beside">
      <div className="grid gap-6">
        <div className="grid grid-cols-2 gap-4 border-y py-4">
          <Party label={transfers.from} person={user} />
          <Party label={transfers.to} person={recipient} />
        </div>
        <section>
          <h2 className="field-label">{transfers.conversionFlow}</h2>
          <ConversionFlow {...conversionFlow(quote, captionsOf(quote, shortNameOf(recipient), isEstimate))} />
        </section>
        <DefinitionList
          entries={[
            ...priceEntries(quote, draft.funding.source === 'bank' ? transfers.afterBank : undefined),
            { term: transfers.description, value: draft.values.description || transfers.noDescription },
          ]}
        />
        <Note tone="warning">
          <b>{transfers.final}</b> {transfers.checkName(recipient.name ?? recipient.username)}{' '}
          {undo > 0 && (isOutside ? undoTexts.reviewCard(undo) : undoTexts.review(undo))}
        </Note>
      </div>
      <aside>
        <PaymentChoice {...props} review={review} />
      </aside>
      <div className="grid gap-6 [grid-area:actions]">
        {change && <Note live>{change}</Note>}
        {secondsLeft !== undefined && !isEstimate && (
          <p className="small muted tabular" role="timer">
            {prices.holdsFor(secondsLeft)}
          </p>
        )}
        <OrderNote state={state} texts={transfers} unknownTitle={transfers.networkError} refused={refusedOf(props)} />
        <div className="form-actions">
          {state.status !== 'unknown' && (
            <Button big onClick={props.onBack} disabled={isSending}>
              {transfers.back}
            </Button>
          )}
          {hasEnded ? (
            <Button look="primary" big onClick={review.renew}>
              {transfers.newPrice}
            </Button>
          ) : (
            <Button
              look="primary"
              big
              processing={isSending}
              aria-disabled={review.isAwaited || undefined}
              onClick={review.pay}
            >
              {state.status === 'unknown' ? transfers.sendAgain : transfers.sendMoney}
            </Button>
          )}
        </div>
      </div>
    </div>
  )
}

/** The transfer as it can be made in another way, where a limit refuses it. */
function refusedOf({ draft, wallet, recipient, priced: { quote }, onBack }: ReviewStepProps): RefusedOrder {
  const { source_amount: amount, source_currency: currency } = quote
  const isOfWallet = draft.funding.source === 'wallet' && currency === wallet.base_currency && !draft.values.isCrypto
  return {
    verb: 'send',
    amount,
    currency,
    onLess(less) {
      draft.form.setValue('isExact', false)
      draft.form.setValue('amount', less)
      onBack()
    },
    scheduledOn: isOfWallet
      ? (on) => `${paths.scheduled}?new&${new URLSearchParams({ to: recipient.username, amount, on }).toString()}`
      : undefined,
  }
}

/** What leaves is what is paid in all. */
const captionsOf = (
  { total, fee_currency: currency, source_currency: source }: Quote,
  name: string,
  isEstimate: boolean,
) => ({
  first: transfers.youPay,
  between: transfers.inTransit,
  last: isEstimate ? laterPrice.getsAbout(name) : transfers.gets(name),
  paid: currency === source ? total : undefined,
})

/** Who pays or is paid, by name and username. */
function Party({ label, person }: { label: string; person: PublicUser | CurrentUser }) {
  return (
    <div className="row min-w-0 items-start">
      <Avatar name={person.name ?? person.username} />
      <span className="min-w-0 grow">
        <span className="small muted block">{label}</span>
        <Named name={person.name ?? person.username} more={person.name && person.username} />
        {'local_name' in person && person.local_name && <LocalName name={person.local_name} />}
      </span>
    </div>
  )
}

import '../../../css/flow-form.css'
import type { Quote } from '@tern/contract/exchange'
import { useEffect, useRef } from 'react'
import { prices } from '#messages/prices.ts'
import { transfers } from '#messages/transfers.ts'
import { laterPrice } from '#messages/transfers/later-price.ts'
import { undo as undoTexts } from '#messages/transfers/undo.ts'
import type { RefusedOrder } from '../../../app/limits/LimitOptions.tsx'
import { OrderNote } from '../../../app/orders/OrderNote.tsx'
import { paths } from '../../../app/paths.ts'
import { LocalName } from '../../../app/recipient/LocalName.tsx'
import { PayeeWarning } from '../../../app/warnings/PayeeWarning.tsx'
import { Note } from '../../../ui/feedback/Note.tsx'
import { formatCurrencyName } from '../../../ui/format/format-currency-name.ts'
import { Button } from '../../../ui/forms/Button.tsx'
import { Avatar } from '../../../ui/layout/Avatar.tsx'
import { DefinitionList } from '../../../ui/layout/DefinitionList.tsx'
import { NamedItem } from '../../../ui/layout/NamedItem.tsx'
import { ScaleBar } from '../../../ui/layout/Sheet.tsx'
import { routeCountry } from '../../../ui/maps/route/countries.ts'
import { conversionFlow } from '../../../ui/money/conversion.ts'
import { ConversionFlow } from '../../../ui/money/ConversionFlow.tsx'
import { maxBigPlaces, exactPlaces, formatBig, formatExact } from '../../../ui/money/exact-amount.ts'
import { Figure } from '../../../ui/money/Figure.tsx'
import { formatPercent } from '../../../ui/money/percent.ts'
import { SendRoute } from '../SendRoute.tsx'
import { SendActions } from '../SendActions.tsx'
import { reviewBar } from '../send-bar.ts'
import { shortenName } from '../send-form.ts'
import { isPricedOnArrival } from './minimum-amount.ts'
import { PaymentChoice } from './PaymentChoice.tsx'
import { type ReviewStepProps, useReview } from './use-review.ts'
import { chooseUndoSeconds } from './use-send-order.ts'

/** Review before the order. Shows the quote that is sent, to the minor unit. */
export function ReviewStep(props: ReviewStepProps) {
  const { draft, recipient } = props
  const { quote } = props.priced
  const review = useReview(props)
  const undo = chooseUndoSeconds(quote, draft.funding.source)
  const isOutside = draft.funding.source !== 'wallet'
  const isEstimate = isPricedOnArrival(draft.funding.source, quote)
  return (
    <div className="form-beside flow-review">
      <div className="flow-fields">
        <Parties {...props} />
        <section>
          <h2 className="field-label">{transfers.conversionFlow}</h2>
          <ConversionFlow {...conversionFlow(quote, buildCaptions(shortenName(recipient)))} />
        </section>
        <DefinitionList small entries={listEntries(props)} />
        <PaymentChoice {...props} review={review} />
        <PayeeWarning
          name={recipient.name ?? recipient.username}
          amount={formatExact(quote.source_amount, quote.source_currency)}
          state={review.warning}
        />
        <Note tone="warning">
          <b>{transfers.final}</b> {undo > 0 && (isOutside ? undoTexts.reviewCard(undo) : undoTexts.review(undo))}
        </Note>
      </div>
      <aside className="flow-last">
        <div className="wide-only">
          <SendRoute recipient={recipient} isPriced isShort={false} />
        </div>
        <div className="flow-sheet">
          <div className="wide-only">
            <ScaleBar />
            <Figure
              caption={(isEstimate ? laterPrice.getsAbout : prices.gets)(shortenName(recipient))}
              amount={formatBig(quote.target_amount, quote.target_currency)}
              entries={[{ term: prices.total, value: formatExact(quote.total, quote.fee_currency), sum: true }]}
            />
          </div>
          <Outcome {...props} review={review} isEstimate={isEstimate} />
          <Actions {...props} review={review} isEstimate={isEstimate} />
        </div>
      </aside>
    </div>
  )
}

interface ReviewBodyProps extends ReviewStepProps {
  review: ReturnType<typeof useReview>
  isEstimate: boolean
}

/** Changes of the price and the outcome of the last order, above the button. */
function Outcome(props: ReviewBodyProps) {
  const { change, secondsLeft, state } = props.review
  const place = useRef<HTMLDivElement>(null)
  const hasMessage = change !== undefined || !['idle', 'sending'].includes(state.status)
  useEffect(() => {
    if (hasMessage) place.current?.scrollIntoView({ block: 'nearest' })
  }, [hasMessage, change, state.status])
  return (
    <div className="flow-news" ref={place}>
      {change && <Note live>{change}</Note>}
      {secondsLeft !== undefined && !props.isEstimate && (
        <p className="small muted tabular" role="timer">
          {prices.holdsFor(secondsLeft)}
        </p>
      )}
      <OrderNote
        state={state}
        texts={transfers}
        unknownTitle={transfers.networkError}
        refused={toRefusedOrder(props)}
      />
    </div>
  )
}

/** Final button: sends the money, or requests a new price if the renewal of an expired one failed. */
function Actions({ user, priced, recipient, review, isEstimate, onBack }: ReviewBodyProps) {
  const { state, hasEnded } = review
  const isSending = state.status === 'sending'
  const isFrozen = user.frozen_at !== null && state.status !== 'unknown'
  return (
    <SendActions state={reviewBar(priced.quote, shortenName(recipient), isEstimate, isFrozen)}>
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
      {state.status !== 'unknown' && (
        <Button className="wide-only" look="ghost" onClick={onBack} disabled={isSending}>
          {transfers.back}
        </Button>
      )}
    </SendActions>
  )
}

const isLong = (quote: Quote): boolean => exactPlaces(quote.target_amount, quote.target_currency) > maxBigPlaces

function listEntries({ draft, priced: { quote } }: ReviewStepProps) {
  const { source_currency: source, target_currency: target, fee_currency: charged } = quote
  const delivery = draft.funding.source === 'bank' ? transfers.afterBank : prices.within[quote.delivery_estimate]
  return [
    isLong(quote) && { term: prices.exactly, value: formatExact(quote.target_amount, target) },
    { term: prices.amount, value: formatExact(quote.source_amount, source) },
    { term: prices.fee(formatPercent(quote.fee_basis_points)), value: formatExact(quote.fee, charged) },
    { term: prices.total, value: formatExact(quote.total, charged), sum: true },
    { term: prices.delivery, value: delivery },
    { term: transfers.description, value: draft.values.description || transfers.noDescription },
  ]
}

/** Order for the options that are offered after a limit refusal. */
function toRefusedOrder({ draft, wallet, recipient, priced: { quote }, onBack }: ReviewStepProps): RefusedOrder {
  const { source_amount: amount, source_currency: currency } = quote
  const isInWalletCurrency =
    draft.funding.source === 'wallet' && currency === wallet.base_currency && !draft.values.isCrypto
  return {
    verb: 'send',
    amount,
    currency,
    onReduce(reducedAmount) {
      draft.form.setValue('isExact', false)
      draft.form.setValue('amount', reducedAmount)
      onBack()
    },
    scheduledOn: isInWalletCurrency
      ? (on) => `${paths.scheduled}?new&${new URLSearchParams({ to: recipient.username, amount, on }).toString()}`
      : undefined,
  }
}

const buildCaptions = (name: string) => ({
  first: transfers.fromYou,
  middle: transfers.inTransit,
  end: transfers.forPerson(name),
})

function Parties({ user, recipient, priced }: ReviewStepProps) {
  const { source_currency: source } = priced.quote
  const country = routeCountry(recipient.country)?.name
  const details = [recipient.name && recipient.username, country].filter(Boolean).join(' · ')
  return (
    <div className="flow-parties">
      <Party
        label={transfers.from}
        name={user.name ?? user.username}
        details={transfers.walletOf(formatCurrencyName(source, 1))}
      />
      <Party
        label={transfers.to}
        name={recipient.name ?? recipient.username}
        details={details}
        localName={recipient.local_name}
      />
    </div>
  )
}

interface PartyProps {
  label: string
  name: string
  details: string
  localName?: string | null | undefined
}

function Party({ label, name, details, localName }: PartyProps) {
  return (
    <div className="row min-w-0 items-start">
      <Avatar name={name} />
      <span className="min-w-0 grow">
        <span className="small muted block">{label}</span>
        <NamedItem name={name} details={details} />
        {localName && <LocalName name={localName} />}
      </span>
    </div>
  )
}

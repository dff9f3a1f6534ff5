import '../../../css/pay-sheet.css'
import { useQuery } from '@tanstack/react-query'
import { type PaymentLink, priceOfLink } from '@tern/contract/requests/payment-links'
import { type FiatCode, fiatCodes, isFiatCode } from '@tern/money/currency'
import { cardCurrencies } from '@tern/contract/requests/guest-payments'
import { type ReactNode, Suspense, useState } from 'react'
import { useLocation } from 'react-router'
import { pay } from '#messages/transfers/requests.ts'
import { paths } from '../../../app/paths.ts'
import { buildVisitorQuery } from '../../../app/session/query.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { TextSkeleton } from '../../../ui/feedback/Skeleton.tsx'
import { LinkButton } from '../../../ui/forms/Button.tsx'
import { SelectField } from '../../../ui/forms/SelectField.tsx'
import { textLocale } from '../../../ui/format/locale.ts'
import { Sheet } from '../../../ui/layout/Sheet.tsx'
import { lazyComponent } from '../../../ui/lazy-component.ts'
import { describeClosedState } from './closed-state.ts'
import { LinkState } from './LinkState.tsx'
import { PriceLines } from './PriceLines.tsx'

/** Text with a line on either side. */
const dividerClass = 'flex items-center gap-4 before:flex-1 before:border-t after:flex-1 after:border-t'

const GuestForm = lazyComponent(() => import('./guest/GuestForm.tsx'), 'GuestForm')

const choices = fiatCodes.map((code) => ({ value: code, label: code }))

const formatAlternatives = (codes: readonly string[]) =>
  new Intl.ListFormat(textLocale(), { type: 'disjunction' }).format(codes)

interface VisitorViewProps {
  data: string
  link: PaymentLink
  onChange: () => void
  renderColumns: (sheet: ReactNode) => ReactNode
}

/** A request for visitors without a session: its price in any fiat currency, and the ways to sign in or pay. */
export function VisitorView({ data, link, onChange, renderColumns }: VisitorViewProps) {
  const closedState = describeClosedState(link)
  if (closedState) return <LinkState {...closedState} />
  return renderColumns(<VisitorSheet data={data} link={link} onChange={onChange} />)
}

function VisitorSheet({ data, link, onChange }: Omit<VisitorViewProps, 'renderColumns'>) {
  const { pathname, search } = useLocation()
  const returnQuery = `?from=${encodeURIComponent(pathname + search)}`
  const own = isFiatCode(link.currency) ? link.currency : 'USD'
  const [currency, setCurrency] = useState<FiatCode>(own)
  const cards: FiatCode[] = [...new Set([own, ...cardCurrencies])]
  const price = useQuery({
    ...buildVisitorQuery(['link-price', link.remaining_amount], priceOfLink, { params: { data }, query: { currency } }),
    retry: false,
  })
  return (
    <Sheet scaleBar className="pay-sheet">
      <div className="pay-sheet-in">
        {price.data ? (
          <PriceLines price={price.data} link={link} />
        ) : price.isError ? (
          <ErrorState title={pay.priceFailed} text={price.error.message} onRetry={() => void price.refetch()} />
        ) : (
          <TextSkeleton lines={5} />
        )}
        <SelectField
          className="mt-6"
          label={pay.inCurrency}
          choices={choices}
          value={currency}
          onChange={({ target: { value } }) => isFiatCode(value) && setCurrency(value)}
        />
        <p className="small muted mt-3">{pay.visitorPrice}</p>
        {!link.is_addressed &&
          (cards.includes(currency) ? (
            <Suspense fallback={<TextSkeleton lines={4} />}>
              <GuestForm
                {...{ data, link }}
                price={price.data}
                onPriceChanged={() => void price.refetch()}
                onChange={onChange}
              />
            </Suspense>
          ) : (
            <p className="small mt-3">{pay.cardCurrencies(formatAlternatives(cards))}</p>
          ))}
        <p className={`small muted mt-6 ${dividerClass}`}>{pay.orWallet}</p>
        <div className="grid grid-cols-[1fr_1fr] gap-3 mt-5">
          <LinkButton big to={paths.login + returnQuery}>
            {pay.login}
          </LinkButton>
          <LinkButton big to={paths.signup + returnQuery}>
            {pay.signup}
          </LinkButton>
        </div>
        <p className="small muted mt-3">{pay.visitor}</p>
      </div>
    </Sheet>
  )
}

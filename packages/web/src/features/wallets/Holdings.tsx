import { useQuery } from '@tanstack/react-query'
import type { Holding } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { Suspense, useState } from 'react'
import { Link } from 'react-router'
import { holdings as texts } from '#messages/exchange/holdings.ts'
import { paths } from '../../app/paths.ts'
import { lineFactsOf, type RateHistory as RateHistoryReply, sparklinesQuery } from '../../app/rates/rate-queries.ts'
import { inPercent, sharedScale } from '../../app/rates/Sparkline.tsx'
import { Note } from '../../ui/feedback/Note.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { isZero } from '../../ui/format/format.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { currencyName } from './currency-name.ts'
import { HoldingRow, type HoldingRowProps } from './HoldingRow.tsx'

// Only for those who look at a price.
const RateHistory = lazyComponent(() => import('../../app/rates/RateHistory.tsx'), 'RateHistory')
// Most people have no such money.
const Restricted = lazyComponent(() => import('../../app/restricted/Restricted.tsx'), 'Restricted')

interface HoldingsProps {
  wallet: Wallet
  /** Undefined while they are on their way, or where they did not come. */
  holdings: readonly Holding[] | undefined
  failed: boolean
}

const isHeld = (wallet: Wallet, { currency, available, held }: Wallet['assets'][number]) =>
  currency === wallet.base_currency || !isZero(available) || !isZero(held)

const exchangeLink = (from: CurrencyCode, to: CurrencyCode) => `${paths.exchange}?from=${from}&to=${to}`

/** What is held, each with its price, its last thirty days and its value; what is not is one sentence. */
export function Holdings({ wallet, holdings, failed }: HoldingsProps) {
  const base = wallet.base_currency
  const held = wallet.assets.filter((asset) => isHeld(wallet, asset))
  const others = wallet.assets.filter((asset) => !isHeld(wallet, asset))
  const { lines, scale } = useLines(held, base)
  const [open, setOpen] = useState<CurrencyCode>()
  return (
    <section className="mt-12" aria-labelledby="holdings">
      <div className="section-head">
        <h2 className="display-s grow" id="holdings">
          {texts.title}
        </h2>
        <LinkButton icon="swap" to={paths.exchange}>
          {texts.exchange}
        </LinkButton>
      </div>
      {failed && (
        <Note tone="warning" live>
          <b>{texts.failedTitle}</b> {texts.failedText(base)}
        </Note>
      )}
      <Head base={base} />
      <ul className="holdings">
        {held.map((asset) => (
          <Item
            key={asset.currency}
            isOpen={open === asset.currency}
            onOpen={(isOpen) => setOpen(isOpen ? asset.currency : undefined)}
            asset={asset}
            restricted={wallet.restricted.filter(({ currency }) => currency === asset.currency)}
            base={base}
            holding={holdings?.find(({ currency }) => currency === asset.currency)}
            isKnown={holdings !== undefined || failed}
            history={lines.get(asset.currency)}
            scale={scale}
          />
        ))}
      </ul>
      {others.length > 0 && (
        <p className="small muted holdings-none">
          {texts.noneOf(texts.list(others.map(({ currency }) => `${currencyName(currency)} (${currency})`)))}{' '}
          <Link to={paths.exchange}>{texts.exchange}</Link>
        </p>
      )}
    </section>
  )
}

/** The prices of the last thirty days of what is held, and the scale that all of them share. */
function useLines(held: Wallet['assets'], base: CurrencyCode) {
  const foreign = held.map(({ currency }) => currency).filter((currency) => currency !== base)
  const { data: lines = noLines } = useQuery(sparklinesQuery(foreign, base))
  return { lines, scale: sharedScale([...lines.values()].map((history) => inPercent(lineFactsOf(history)))) }
}

const noLines: ReadonlyMap<CurrencyCode, RateHistoryReply> = new Map()

function Head({ base }: { base: CurrencyCode }) {
  return (
    <div className="holding holding-head" aria-hidden="true">
      <span />
      <span>{texts.holding}</span>
      <span className="holding-price">{texts.price}</span>
      <span>{texts.thirtyDays}</span>
      <span className="holding-change">{texts.change}</span>
      <span className="holding-value">{texts.value(base)}</span>
    </div>
  )
}

interface ItemProps extends HoldingRowProps {
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  /** Parts that cannot go to a bank yet. */
  restricted: Wallet['restricted']
}

/** A holding; all but the base currency open to their price over time. */
function Item({ isOpen, onOpen, restricted, ...row }: ItemProps) {
  const { currency } = row.asset
  if (currency === row.base) {
    return (
      <li>
        <div className="holding">
          <HoldingRow {...row} />
        </div>
      </li>
    )
  }
  return (
    <li>
      <button type="button" className="holding" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
        <HoldingRow {...row} />
      </button>
      {restricted.length > 0 && (
        <div className="pb-6">
          <Suspense>
            <Restricted parts={restricted} currency={currency} exchangeTo={row.base} />
          </Suspense>
        </div>
      )}
      {isOpen && <Price currency={currency} base={row.base} />}
    </li>
  )
}

/** The price of a holding over time, and the way to change it into the base currency. */
function Price({ currency, base }: { currency: CurrencyCode; base: CurrencyCode }) {
  return (
    <div className="holding-open">
      <Suspense fallback={<div className="holding-chart" />}>
        <RateHistory from={currency} to={base} />
      </Suspense>
      <div className="form-actions flex-wrap">
        {[[currency, base] as const, [base, currency] as const].map(([from, to]) => (
          <LinkButton key={from} icon="swap" to={exchangeLink(from, to)}>
            {texts.exchangeThis(from, to)}
          </LinkButton>
        ))}
      </div>
    </div>
  )
}

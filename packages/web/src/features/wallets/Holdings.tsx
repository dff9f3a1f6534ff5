import '../../css/holdings.css'
import type { Reply } from '@tern/contract/protocol/endpoint'
import type { walletHoldings } from '@tern/contract/exchange/rates'
import type { Wallet } from '@tern/contract/wallets'
import type { CurrencyCode } from '@tern/money/currency'
import { Suspense } from 'react'
import { holdings as texts } from '#messages/exchange/holdings.ts'
import { paths } from '../../app/paths.ts'
import { Note } from '../../ui/feedback/Note.tsx'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { formatMoney, isZero } from '../../ui/format/format.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { HoldingRow } from './HoldingRow.tsx'
import { roundShares } from './round-shares.ts'

// Loaded lazily: most users have no restricted money.
const Restricted = lazyComponent(() => import('../../app/restricted/Restricted.tsx'), 'Restricted')

interface HoldingsProps {
  wallet: Wallet
  /** Value of all holdings; undefined while loading or after a failure. */
  holdings: Reply<typeof walletHoldings> | undefined
  failed: boolean
}

const isHeld = (wallet: Wallet, { currency, available, held }: Wallet['assets'][number]) =>
  currency === wallet.base_currency || !isZero(available) || !isZero(held)

/** Holdings with shares and values, and their total value. */
export function Holdings({ wallet, holdings, failed }: HoldingsProps) {
  const base = wallet.base_currency
  const heldAssets = wallet.assets.filter((asset) => isHeld(wallet, asset))
  const findHolding = (code: string) => holdings?.holdings.find(({ currency }) => currency === code)
  const values = heldAssets.map(({ currency }) => findHolding(currency)?.value ?? null)
  const shares = roundShares(values, base)
  return (
    <section aria-labelledby="holdings">
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
      <ul className="border-t border-t-ink [&>li]:border-b">
        {heldAssets.map((asset, index) => (
          <li key={asset.currency}>
            <HoldingRow
              asset={asset}
              base={base}
              holding={findHolding(asset.currency)}
              share={shares[index]}
              isKnown={holdings !== undefined || failed}
            />
            {asset.currency !== base && <RestrictedParts wallet={wallet} currency={asset.currency} />}
          </li>
        ))}
      </ul>
      {holdings && (
        <p className="flex gap-4 items-center justify-between min-h-12 mb-4">
          <span className="small muted">{holdings.is_complete ? texts.allAtRates : texts.allWithoutUnpriced}</span>
          <b className="tabular">{formatMoney(holdings.total, holdings.currency)}</b>
        </p>
      )}
    </section>
  )
}

/** Parts of a holding that cannot be withdrawn to a bank yet. */
function RestrictedParts({ wallet, currency }: { wallet: Wallet; currency: CurrencyCode }) {
  const parts = wallet.restricted.filter((part) => part.currency === currency)
  if (parts.length === 0) return null
  return (
    <div className="pb-6">
      <Suspense>
        <Restricted parts={parts} currency={currency} exchangeTo={wallet.base_currency} />
      </Suspense>
    </div>
  )
}

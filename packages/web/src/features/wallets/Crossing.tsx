import '../../css/timeline.css'
import type { CurrencyCode } from '@tern/money/currency'
import { wallets } from '#messages/wallets.ts'
import { paths } from '../../app/paths.ts'
import { LinkButton } from '../../ui/forms/Button.tsx'
import { textLocale } from '../../ui/format/locale.ts'

/** Plural name of a currency, such as "US dollars". */
function formatUnitName(currency: CurrencyCode): string {
  const format = new Intl.NumberFormat(textLocale(), { style: 'currency', currency, currencyDisplay: 'name' })
  return format.formatToParts(2).find(({ type }) => type === 'currency')?.value ?? currency
}

/** Steps of a transfer into another currency, in three lines. */
export function Crossing({ currency }: { currency: CurrencyCode }) {
  return (
    <section className="sheet mt-6 pt-5 px-6 pb-3 max-md:pt-4 max-md:px-4 max-md:pb-2 [&_.timeline]:text-small">
      <h2 className="font-medium">{wallets.crossing}</h2>
      <ol className="timeline muted mt-3 mb-1">
        {wallets.crossingSteps(formatUnitName(currency)).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <div className="flex flex-wrap">
        <LinkButton look="ghost" className="-ms-3" iconAfter="next" to={paths.send}>
          {wallets.makeTransfer}
        </LinkButton>
        <LinkButton look="ghost" className="-ms-3" to={paths.send} state={{ cryptoPreSelected: true }}>
          {wallets.sendAsCrypto}
        </LinkButton>
      </div>
    </section>
  )
}

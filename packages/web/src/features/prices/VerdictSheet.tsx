import type { PriceFacts, Verdict } from '@tern/contract/prices/proof'
import type { RecomputedPrice } from '@tern/contract/prices/recompute'
import { findWorldBankAverage, findWorldBankRegion } from '@tern/contract/prices/world-bank'
import { type CurrencyCode, isFiatCode, scaleOf } from '@tern/money/currency'
import { add, money, parseDecimal, toDecimal } from '@tern/money/money'
import { recomputing as texts } from '#messages/site/recompute.ts'
import { formatDateTime, formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import type { IconName } from '../../ui/icon/icons.ts'
import { FocusedHeading } from '../../ui/layout/FocusedHeading.tsx'
import { Sheet } from '../../ui/layout/Sheet.tsx'
import { percentText } from './figures.ts'
import { describeMismatch } from './PriceSteps.tsx'

const icons: Readonly<Record<Verdict['verdict'], IconName>> = { match: 'check', mismatch: 'cross', unchecked: 'info' }

interface SheetProps {
  facts: PriceFacts
  price: RecomputedPrice | undefined
  verdict: Verdict
}

/** Verdict, receipt beside the recomputation, cost, and the quote's signature. */
export function VerdictSheet({ facts, price, verdict }: SheetProps) {
  const { reference, made_at: quotedAt } = facts
  return (
    <Sheet scaleBar className={`sticky top-6 max-[1100px]:static max-[1100px]:-order-1 verdict-${verdict.verdict}`}>
      <div className="verdict-body">
        <p className="small muted tabular">
          {reference} · {formatDateTime(quotedAt)}
        </p>
        <FocusedHeading level="h2" className="display-m verdict-title">
          {texts.verdicts[verdict.verdict]} <Icon name={icons[verdict.verdict]} />
        </FocusedHeading>
        {verdict.verdict !== 'match' && (
          <p className="small muted mt-2">
            {describeMismatch(verdict)} {verdict.verdict === 'mismatch' && texts.tell}
          </p>
        )}
        {price && <Comparison facts={facts} price={price} />}
        {price && <TotalCost facts={facts} price={price} />}
        <p className="text-small font-medium mt-6">{texts.operators}</p>
        <p className="verdict-command">
          <code>npx tern reprice {reference}</code>
        </p>
        <p className="text-fine/5 mt-4 text-ink-2">
          {signatureText(facts)} {texts.shared}
        </p>
      </div>
    </Sheet>
  )
}

function signatureText({ terms }: PriceFacts): string {
  if (!terms) return texts.noQuote
  if (!terms.is_authentic) return texts.notSigned
  const [quotedAt, acceptedAt] = [formatDateTime(terms.made_at), formatDateTime(terms.accepted_at)]
  return terms.may_be_late ? texts.signedLate(quotedAt, acceptedAt) : texts.signed(quotedAt, acceptedAt)
}

function Comparison({ facts, price }: { facts: PriceFacts; price: RecomputedPrice }) {
  const { source_currency: source, target_currency: target, receipt } = facts
  const paidTotal = add(parseDecimal(source, receipt.source_amount), parseDecimal(source, receipt.fee))
  const rows: readonly (readonly [string, CurrencyCode, bigint, bigint])[] = [
    [texts.rows.arrived, target, parseDecimal(target, receipt.target_amount).minor, price.target],
    [texts.rows.fee, source, parseDecimal(source, receipt.fee).minor, price.fee],
    [texts.rows.paid, source, paidTotal.minor, price.source + price.fee],
  ]
  return (
    <table className="verdict-table">
      <caption className="visually-hidden">{texts.table}</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">{texts.columns.receipt}</th>
          <th scope="col">{texts.columns.recomputed}</th>
          <th scope="col">{texts.columns.off}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, currency, stated, recomputed]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{moneyText(currency, stated)}</td>
            <td>{moneyText(currency, recomputed)}</td>
            <td className={stated === recomputed ? 'muted' : 'verdict-off'}>
              {toDecimal(money(currency, stated - recomputed))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const moneyText = (currency: CurrencyCode, minor: bigint): string =>
  formatMoney(toDecimal(money(currency, minor)), currency, scaleOf(currency) > 2 ? { unit: 'none' } : {})

/** Cost beside the World Bank's average, to scale; only for sends from one fiat currency to another. */
function TotalCost({ facts, price }: { facts: PriceFacts; price: RecomputedPrice }) {
  const { source_currency: source, target_currency: target, kind } = facts
  if (kind !== 'SEND' || source === target || !isFiatCode(source) || !isFiatCode(target)) return null
  const region = findWorldBankRegion(target)
  const average = findWorldBankAverage(region) * 100n
  const maxCost = average > price.costPartsPerMillion ? average : price.costPartsPerMillion
  const share = (cost: bigint) => ({ inlineSize: `${Number((cost * 1000n) / maxCost) / 10}%` })
  return (
    <figure className="verdict-cost">
      <figcaption>
        <b>{texts.cost}</b> <span className="muted">{texts.proportion}</span>
      </figcaption>
      <dl>
        <div className="verdict-own">
          <dt>{texts.here}</dt>
          <dd>
            <i style={share(price.costPartsPerMillion)} />
          </dd>
          <dd>{percentText(price.costPartsPerMillion)}</dd>
        </div>
        <div>
          <dt>{texts.regions[region]}</dt>
          <dd>
            <i style={share(average)} />
          </dd>
          <dd>{percentText(average)}</dd>
        </div>
      </dl>
      <p className="tiny faint">{texts.bank(texts.regions[region])}</p>
    </figure>
  )
}

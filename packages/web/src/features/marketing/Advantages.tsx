import type { ReactNode } from 'react'
import { marketing } from '#messages/site/marketing.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { computePrice } from './price.ts'

const stepAmounts = {
  total: formatMoney('404', 'USD'),
  bridge: formatMoney('400', 'USDT'),
  received: formatMoney('372', 'EUR'),
}

const { speed, cost, security, ease } = marketing

/** For 200 dollars, the amount that the study of average bank prices uses. */
const brazilPrice = computePrice({ source: 'USD', target: 'BRL', amount: '200', side: 'source', rate: '5.35' })
const europePrice = computePrice({ source: 'USD', target: 'EUR', amount: '400', side: 'source', rate: '0.93' })
const dollars = (amount: string, sign: 'always' | 'negative' = 'always') => formatMoney(amount, 'USD', { sign })

const row =
  'grid grid-cols-[minmax(0,2fr)_minmax(0,5fr)_minmax(0,5fr)] items-start gap-10 border-t py-10 first:border-t-ink ' +
  'max-md:grid-cols-1 max-md:gap-3 max-md:py-8 sm:max-md:grid-cols-2 sm:max-md:gap-x-8 sm:max-md:gap-y-2'

interface AdvantageProps {
  about: { name: string; claim: string; text: string }
  children: ReactNode
}

function Advantage({ about: { name, claim, text }, children }: AdvantageProps) {
  return (
    <li className={row}>
      <h3 className="pt-3.5 text-small font-strong text-sea max-md:pt-0 sm:max-md:col-span-full">{name}</h3>
      <div>
        <p className="display-l">{claim}</p>
        <p className="muted mt-3 max-w-110 text-pretty">{text}</p>
      </div>
      <div className="pt-3.5 max-md:mt-4 max-md:pt-0 sm:max-md:mt-2">{children}</div>
    </li>
  )
}

export function Advantages() {
  return (
    <section className="site-width band">
      <h2 className="visually-hidden">{marketing.advantages}</h2>
      <ul>
        <Advantage about={speed}>
          <ol className="timeline small" aria-label={speed.example}>
            {speed.steps.map(({ time, text }) => (
              <li key={time}>
                <time>{time}</time>
                <span>{text(stepAmounts)}</span>
              </li>
            ))}
          </ol>
        </Advantage>
        <Advantage about={cost}>
          <div className="cost-bar" />
          <p className="cost-ends small">
            <span>
              <b className="text-sea">{cost.tern}</b> {dollars(brazilPrice.fee, 'negative')}
            </span>
            <span>
              {cost.averageBank} <b>{dollars(brazilPrice.bankFee ?? '0', 'negative')}</b>
            </span>
          </p>
          <p className="tiny faint">{cost.source(formatMoney('200', 'USD', { places: 0 }))}</p>
        </Advantage>
        <Advantage about={security}>
          <dl className="definitions small">
            <Posting name={security.wallet} amount={dollars(`-${europePrice.total}`)} />
            <Posting name={security.conversion} amount={dollars(europePrice.sent)} />
            <Posting name={security.fee} amount={dollars(europePrice.fee)} />
            <div className="definitions-sum">
              <dt>{security.sum}</dt>
              <dd>{dollars('0')}</dd>
            </div>
          </dl>
        </Advantage>
        <Advantage about={ease}>
          <div aria-hidden="true">
            <p className="input-box input-chosen gap-3">
              <Icon name="search" />
              <span>{ease.typed}</span>
            </p>
            <p className="raised mt-1.5 flex items-center gap-3 rounded-[10px] border-4 border-sheet bg-sea-wash px-4 py-2.5">
              <span className="monogram">LM</span>
              <span>
                <b>
                  <mark className="bg-transparent text-sea underline underline-offset-[3px]">{ease.typed}</mark>
                  {ease.username}
                </b>
                <br />
                <span className="small muted">{ease.recipient}</span>
              </span>
            </p>
          </div>
        </Advantage>
      </ul>
    </section>
  )
}

function Posting({ name, amount }: { name: string; amount: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{amount}</dd>
    </div>
  )
}

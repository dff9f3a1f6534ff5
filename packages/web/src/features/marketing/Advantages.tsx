import type { ReactNode } from 'react'
import { marketing } from '#messages/site/marketing.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { priceOf } from './price.ts'

const stepAmounts = {
  total: formatMoney('404', 'USD'),
  bridge: formatMoney('400', 'USDT'),
  received: formatMoney('372', 'EUR'),
}

const { speed, cost, security, ease } = marketing

/** What the average of banks was measured on. */
const twoHundred = priceOf({ source: 'USD', target: 'BRL', amount: '200', side: 'source', rate: '5.35' })
const posted = priceOf({ source: 'USD', target: 'EUR', amount: '400', side: 'source', rate: '0.93' })
const dollars = (amount: string, sign: 'always' | 'negative' = 'always') => formatMoney(amount, 'USD', { sign })

interface AdvantageProps {
  about: { name: string; claim: string; text: string }
  children: ReactNode
}

/** The claim, and beside it what bears it out. */
function Advantage({ about: { name, claim, text }, children }: AdvantageProps) {
  return (
    <li>
      <h3>{name}</h3>
      <div>
        <p className="display-l">{claim}</p>
        <p className="muted">{text}</p>
      </div>
      <div className="proof">{children}</div>
    </li>
  )
}

/** What speaks for the product, each with an example. */
export function Advantages() {
  return (
    <section className="site-width band">
      <h2 className="visually-hidden">{marketing.advantages}</h2>
      <ul className="advantages">
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
              <b className="cost-own">{cost.tern}</b> {dollars(twoHundred.fee, 'negative')}
            </span>
            <span>
              {cost.averageBank} <b>{dollars(twoHundred.bankFee ?? '0', 'negative')}</b>
            </span>
          </p>
          <p className="tiny faint">{cost.source(formatMoney('200', 'USD', { places: 0 }))}</p>
        </Advantage>
        <Advantage about={security}>
          <dl className="definitions small">
            <Posting name={security.wallet} amount={dollars(`-${posted.total}`)} />
            <Posting name={security.conversion} amount={dollars(posted.sent)} />
            <Posting name={security.fee} amount={dollars(posted.fee)} />
            <div className="definitions-sum">
              <dt>{security.sum}</dt>
              <dd>{dollars('0')}</dd>
            </div>
          </dl>
        </Advantage>
        <Advantage about={ease}>
          <div className="name-search" aria-hidden="true">
            <p className="input-box">
              <Icon name="search" />
              <span>{ease.typed}</span>
            </p>
            <p className="name-found">
              <span className="monogram">LM</span>
              <span>
                <b>
                  <mark>{ease.typed}</mark>
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

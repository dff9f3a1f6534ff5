import type { ReactNode } from 'react'
import { marketing } from '#messages/site/marketing.ts'
import { paths } from '../../app/paths.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { formatDateWithYear } from '../../ui/format/date-with-year.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { example, computePrice } from './price.ts'

const { evidence } = marketing
const { price, ledger, access } = evidence
const sample = computePrice({ ...example, amount: '50' })
const dollars = (amount: string, sign: 'always' | 'negative' = 'always') =>
  formatMoney(amount, example.source, { sign })

const card =
  'flex flex-col items-start px-8 pt-6 pb-5 first:ps-0 last:pe-0 not-first:border-s max-xl:px-5 max-md:px-0 ' +
  'max-md:not-first:border-s-0 max-md:not-first:border-t'
const sampleRow = 'flex justify-between gap-3 py-1.5 not-first:border-t'
const sampleValue = 'inline-flex items-center gap-1 self-start font-medium whitespace-nowrap'

interface CardProps {
  claim: string
  href: string
  link: string
  children: ReactNode
}

function Card({ claim, href, link, children }: CardProps) {
  return (
    <li className={card}>
      <h3 className="display-s">{claim}</h3>
      <div className="small tabular mt-5 mb-3 w-full border-t pt-3">{children}</div>
      <a className="more mt-auto" href={href}>
        {link}
        <Icon name="next" small />
      </a>
    </li>
  )
}

function Row({ name, value, isSum }: { name: ReactNode; value: ReactNode; isSum?: boolean }) {
  return (
    <p className={`${sampleRow} ${isSum ? 'border-t-ink' : ''}`}>
      <span className="muted">{name}</span>
      <b className={sampleValue}>{value}</b>
    </p>
  )
}

/** Three claims, each with evidence and a page to check it, then the company behind the service. */
export function Evidence() {
  return (
    <section className="water">
      <div className="site-width band">
        <h2 className="display-l">{evidence.title}</h2>
        <p className="lead mt-4 max-w-140">{evidence.lead}</p>
        <ul className="mt-10 grid grid-cols-3 border-t border-t-ink max-md:grid-cols-1">
          <Card claim={price.claim} href={paths.recompute} link={price.link}>
            <Row name={price.amount} value={dollars(sample.sent, 'negative')} />
            <Row name={price.rate(formatDateWithYear(example.date))} value={`× ${example.rate}`} />
            <Row
              isSum
              name={price.roundedDown(formatMoney(sample.received, example.target))}
              value={
                <>
                  <Icon name="check" small />
                  {price.match}
                </>
              }
            />
          </Card>
          <Card claim={ledger.claim} href={`${paths.security}#testing`} link={ledger.link}>
            <Row name={ledger.sender} value={dollars(`-${sample.total}`)} />
            <Row name={ledger.recipient} value={dollars(sample.sent)} />
            <Row name={ledger.fee} value={dollars(sample.fee)} />
            <Row isSum name={ledger.sum} value={dollars('0')} />
          </Card>
          <Card claim={access.claim} href={`${paths.security}#data`} link={access.link}>
            {access.entries.map(({ what: accessed, who, when }) => (
              <p className={sampleRow} key={accessed}>
                <span>
                  {accessed}
                  <br />
                  <span className="muted">{who}</span>
                </span>
                <b className={sampleValue}>{when}</b>
              </p>
            ))}
          </Card>
        </ul>
        <p className="tiny faint border-t py-3">{evidence.sample}</p>
        <About />
      </div>
    </section>
  )
}

/** Operator, license, help and team. The server shows the configured ones; hidden without any. */
function About() {
  return (
    <div data-with="about" hidden>
      <dl
        className="small mt-6 grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] gap-x-10 gap-y-6 border-t pt-5 [&_:is(dd,b)]:font-medium [&_dd]:wrap-anywhere [&_dt]:text-ink-2"
        aria-label={evidence.about}
      >
        <div data-with="operator" hidden>
          <dt>{evidence.operator}</dt>
          <dd data-value="operator" />
        </div>
        <div data-with="license" hidden>
          <dt>{evidence.license}</dt>
          <dd data-value="license" />
        </div>
        <div data-with="support" hidden>
          <dt>{evidence.help}</dt>
          <dd>
            <a data-value="support" href={paths.help}>
              <b data-value="support-label" />
            </a>
          </dd>
        </div>
        <div data-with="team" hidden>
          <dt>{evidence.team}</dt>
          <dd data-value="team" />
        </div>
      </dl>
    </div>
  )
}

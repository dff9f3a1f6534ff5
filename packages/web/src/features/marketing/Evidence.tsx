import type { ReactNode } from 'react'
import { marketing } from '#messages/site/marketing.ts'
import { paths } from '../../app/paths.ts'
import { formatMoney } from '../../ui/format/format.ts'
import { formatFullDate } from '../../ui/format/full-date.ts'
import { Icon } from '../../ui/icon/Icon.tsx'
import { example, priceOf } from './price.ts'

const { evidence } = marketing
const { price, ledger, access } = evidence
const sample = priceOf({ ...example, amount: '50' })
const dollars = (amount: string, sign: 'always' | 'negative' = 'always') =>
  formatMoney(amount, example.source, { sign })

interface CardProps {
  claim: string
  /** The page where readers check the claim themselves. */
  href: string
  link: string
  children: ReactNode
}

function Card({ claim, href, link, children }: CardProps) {
  return (
    <li>
      <h3 className="display-s">{claim}</h3>
      <div className="evidence-sample small">{children}</div>
      <a className="more" href={href}>
        {link}
        <Icon name="next" small />
      </a>
    </li>
  )
}

function Row({ name, value, isSum }: { name: ReactNode; value: ReactNode; isSum?: boolean }) {
  return (
    <p className={isSum ? 'evidence-sum' : undefined}>
      <span className="muted">{name}</span>
      <b>{value}</b>
    </p>
  )
}

/** Three claims, each with its evidence and the page where it can be checked, and who runs the service. */
export function Evidence() {
  return (
    <section className="water">
      <div className="site-width band">
        <h2 className="display-l">{evidence.title}</h2>
        <p className="lead evidence-lead">{evidence.lead}</p>
        <ul className="evidence">
          <Card claim={price.claim} href={paths.recompute} link={price.link}>
            <Row name={price.amount} value={dollars(sample.sent, 'negative')} />
            <Row name={price.rate(formatFullDate(example.date))} value={`× ${example.rate}`} />
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
            {access.entries.map(({ what, who, when }) => (
              <p key={what}>
                <span>
                  {what}
                  <br />
                  <span className="muted">{who}</span>
                </span>
                <b>{when}</b>
              </p>
            ))}
          </Card>
        </ul>
        <p className="tiny faint evidence-note">{evidence.sample}</p>
        <About />
      </div>
    </section>
  )
}

/** Operator, license, help and team: the server shows those that are configured, and without any of them nothing. */
function About() {
  return (
    <div data-with="about" hidden>
      <dl className="evidence-about" aria-label={evidence.about}>
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

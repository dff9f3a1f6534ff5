import '../../../css/site/legal.css'
import type { ReactNode } from 'react'
import { legal } from '#messages/site/legal.ts'
import { paths } from '../../../app/paths.ts'
import { Note } from '../../../ui/feedback/Note.tsx'
import { textLocale } from '../../../ui/format/locale.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { AccountButton } from '../frame/AccountLinks.tsx'
import { legalLinks } from '../frame/links.ts'
import type { Clause } from './clauses.ts'

interface LegalPageProps {
  path: string
  title: string
  lead: string
  version: number
  /** When it was last changed, as an ISO date. */
  changed: string
  clauses: readonly Clause[]
}

const wordsPerMinute = 200

/** How long reading takes, by the words of strings among the clauses. */
function minutesOf(clauses: readonly Clause[]): number {
  const words = clauses
    .flatMap(({ text, short }) => [short, ...(Array.isArray(text) ? (text as unknown[]) : [])])
    .filter((each) => typeof each === 'string')
    .join(' ')
    .split(/\s+/).length
  return Math.max(1, Math.ceil(words / wordsPerMinute))
}

const day = (date: string) =>
  new Intl.DateTimeFormat(textLocale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date))

/** A legal document: contents beside it, what binds in the middle, the same in short at the edge. */
export function LegalPage({ path, title, lead, version, changed, clauses }: LegalPageProps) {
  return (
    <main id="main">
      <div className="site-width legal">
        <div className="legal-top">
          <nav className="legal-tabs" aria-label={legal.tabs}>
            {legalLinks.map((link) => (
              <a key={link.path} href={link.path} aria-current={link.path === path ? 'page' : undefined}>
                {link.name}
              </a>
            ))}
          </nav>
          <h1 className="display-l">{title}</h1>
          <dl className="legal-facts small">
            <Fact name={legal.changed} value={day(changed)} />
            <Fact name={legal.version} value={String(version)} />
            <Fact name={legal.reading} value={legal.minutes(minutesOf(clauses))} />
          </dl>
          <p className="lead">{lead}</p>
          <Note>
            <b>{legal.sample}</b> {legal.sampleText}
          </Note>
        </div>
        <nav className="legal-contents" aria-labelledby="contents">
          <h2 id="contents">{legal.contents}</h2>
          <ol>
            {clauses.map((clause, index) => (
              <li key={clause.id}>
                <a href={`#${clause.id}`}>
                  <span className="tabular">{index + 1}</span>
                  {clause.title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        {clauses.map((clause, index) => (
          <ClauseText key={clause.id} number={index + 1} {...clause} />
        ))}
      </div>
      <Call />
    </main>
  )
}

const Fact = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt className="faint">{name}</dt>
    <dd>{value}</dd>
  </div>
)

function ClauseText({ number, id, title, text, short, proof }: Clause & { number: number }) {
  return (
    <section className="clause" id={id}>
      <h2 className="display-s">
        <span className="small faint tabular">{number}</span>
        {title}
      </h2>
      <div className="clause-text">
        {Array.isArray(text) ? (text as ReactNode[]).map((paragraph, at) => <p key={at}>{paragraph}</p>) : text}
        {proof && (
          <a className="more" href={proof.href}>
            {legal.seeIt(proof.where)}
            <Icon name="next" />
          </a>
        )}
      </div>
      <aside aria-label={legal.inShortOf(title)}>
        <b>{legal.inShort}</b>
        {short}
      </aside>
    </section>
  )
}

function Call() {
  return (
    <section className="water">
      <div className="site-width legal-call">
        <div>
          <h2 className="display-l">{legal.callTitle}</h2>
          <p className="lead">{legal.callText}</p>
        </div>
        <p className="legal-ways">
          <AccountButton className="button-big" />
          <a className="button button-secondary button-big" href={paths.howItWorks}>
            {legal.callHow}
          </a>
        </p>
      </div>
    </section>
  )
}

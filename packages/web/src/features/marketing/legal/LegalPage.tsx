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
  /** Date of the last change, ISO 8601. */
  changed: string
  clauses: readonly Clause[]
}

const wordsPerMinute = 200

/** Reading time in minutes, from the words of the summaries and plain-text paragraphs. */
function estimateMinutes(clauses: readonly Clause[]): number {
  const wordCount = clauses
    .flatMap(({ text, short }) => [short, ...(Array.isArray(text) ? (text as unknown[]) : [])])
    .filter((text) => typeof text === 'string')
    .join(' ')
    .split(/\s+/).length
  return Math.max(1, Math.ceil(wordCount / wordsPerMinute))
}

const formatDay = (date: string) =>
  new Intl.DateTimeFormat(textLocale(), { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date))

/** Legal document: contents beside it, binding text in the middle, plain summary at the edge. */
export function LegalPage({ path, title, lead, version, changed, clauses }: LegalPageProps) {
  return (
    <main id="main">
      <div className="site-width grid grid-cols-[minmax(0,3fr)_minmax(0,9fr)] gap-x-12 pb-28 max-md:block max-md:pb-18">
        <div className="col-start-2 pt-16 pb-10 max-md:pt-8 max-md:pb-6">
          <nav
            className="mb-10 flex gap-6 border-b max-md:mb-8 max-sm:justify-between max-sm:gap-4"
            aria-label={legal.tabs}
          >
            {legalLinks.map((link) => (
              <a
                className="tab-link"
                key={link.path}
                href={link.path}
                aria-current={link.path === path ? 'page' : undefined}
              >
                {link.name}
              </a>
            ))}
          </nav>
          <h1 className="display-l">{title}</h1>
          <dl className="small muted mt-5 flex flex-wrap gap-x-8 gap-y-2">
            <Fact name={legal.changed} value={formatDay(changed)} />
            <Fact name={legal.version} value={String(version)} />
            <Fact name={legal.reading} value={legal.minutes(estimateMinutes(clauses))} />
          </dl>
          <p className="lead my-6 max-w-155">{lead}</p>
          <Note>
            <b>{legal.sample}</b> {legal.sampleText}
          </Note>
        </div>
        <nav
          className="sticky top-24 [grid-area:1/1/span_40/2] self-start pt-16 max-md:static max-md:mb-8 max-md:pt-0"
          aria-labelledby="contents"
        >
          <h2 className="faint mb-2 text-fine/5 font-medium" id="contents">
            {legal.contents}
          </h2>
          <ol className="sm:max-md:columns-2">
            {clauses.map((clause, index) => (
              <li key={clause.id}>
                <a
                  className="small muted grid min-h-8.5 grid-cols-[28px_1fr] items-center no-underline hover:text-ink hover:underline max-md:min-h-11"
                  href={`#${clause.id}`}
                >
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
  <div className="flex gap-1">
    <dt className="faint">{name}</dt>
    <dd>{value}</dd>
  </div>
)

const clauseGrid =
  'col-start-2 grid scroll-mt-20 grid-cols-[minmax(0,6fr)_minmax(0,3fr)] gap-x-12 gap-y-3 border-t py-8 ' +
  'first-of-type:border-t-ink max-xl:grid-cols-1 max-xl:gap-y-5'
const summaryClass =
  'muted self-start border-s border-s-sea ps-5 text-control/6 ' +
  'max-xl:order-1 max-xl:border-s-[3px] max-xl:bg-water max-xl:px-5 max-xl:py-4'

function ClauseText({ number, id, title, text, short, proof }: Clause & { number: number }) {
  return (
    <section className={clauseGrid} id={id}>
      <h2 className="col-span-full flex items-baseline gap-3 display-s">
        <span className="small faint tabular">{number}</span>
        {title}
      </h2>
      <div className="clause-text max-w-[66ch] max-xl:order-2">
        {Array.isArray(text) ? (text as ReactNode[]).map((paragraph, at) => <p key={at}>{paragraph}</p>) : text}
        {proof && (
          <a className="more more-under mt-1 font-book" href={proof.href}>
            {legal.seeIt(proof.where)}
            <Icon name="next" />
          </a>
        )}
      </div>
      <aside className={summaryClass} aria-label={legal.inShortOf(title)}>
        <b className="mb-1 block text-fine/5 font-medium text-sea">{legal.inShort}</b>
        {short}
      </aside>
    </section>
  )
}

function Call() {
  return (
    <section className="water">
      <div className="site-width columns-7-5 py-22 max-md:gap-6 max-md:py-18">
        <div>
          <h2 className="display-l">{legal.callTitle}</h2>
          <p className="lead mt-3">{legal.callText}</p>
        </div>
        <p className="ways">
          <AccountButton className="button-big" />
          <a className="button button-secondary button-big" href={paths.howItWorks}>
            {legal.callHow}
          </a>
        </p>
      </div>
    </section>
  )
}

import '../../../css/site/help.css'
import { help } from '#messages/site/help.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { siteMeta } from '../site-meta.ts'
import { helpLinks } from './questions.ts'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, help.description)

const questions = Object.entries(help.questions) as [keyof typeof helpLinks, (typeof help.questions)['money']][]

/** Answers to common questions about money, and the support contact if configured. */
export default function HelpPage() {
  return (
    <main id="main">
      <section className="site-width page-head">
        <h1 className="display-xl">{help.headline}</h1>
        <p className="lead">{help.lead}</p>
      </section>
      <div className="site-width grid grid-cols-[minmax(0,4fr)_minmax(0,8fr)] gap-10 pb-24 max-md:grid-cols-1 max-md:gap-6 max-md:pb-18 print:grid-cols-1">
        <nav className="print:hidden" aria-label={help.contents}>
          <ul className="sticky top-24">
            {questions.map(([id, { title }]) => (
              <li key={id}>
                <a
                  className="muted flex items-center py-2.5 no-underline hover:text-ink hover:underline"
                  href={`#${id}`}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          {questions.map(([id, { title, text, link }]) => (
            <section className="scroll-mt-20 border-t py-6 first:border-t-ink" id={id} key={id}>
              <h2 className="display-s">{title}</h2>
              <p className="muted mt-2 max-w-[68ch] text-pretty">{text}</p>
              <a className="more" href={helpLinks[id]}>
                {link}
                <Icon name="next" small />
              </a>
            </section>
          ))}
        </div>
      </div>
      <section className="water" id="contact" data-with="support" hidden>
        <div className="site-width columns-7-5 gap-y-6 py-18">
          <div>
            <h2 className="display-l">{help.contactTitle}</h2>
            <p className="lead mt-3">{help.contactText}</p>
          </div>
          <p>
            <a className="button button-secondary button-big" data-value="support" href="/help">
              <b data-value="support-label" />
            </a>
          </p>
        </div>
      </section>
    </main>
  )
}

import '../../../css/site/help.css'
import { help } from '#messages/site/help.ts'
import { Icon } from '../../../ui/icon/Icon.tsx'
import { siteMeta } from '../site-meta.ts'
import { helpLinks } from './questions.ts'

export const meta = (page: Parameters<typeof siteMeta>[0]) => siteMeta(page, help.description)

const questions = Object.entries(help.questions) as [keyof typeof helpLinks, (typeof help.questions)['money']][]

/** Answers to the most likely questions about money, and the support contact where one is configured. */
export default function HelpPage() {
  return (
    <main id="main">
      <section className="site-width page-head">
        <h1 className="display-xl">{help.headline}</h1>
        <p className="lead">{help.lead}</p>
      </section>
      <div className="site-width help">
        <nav className="help-contents" aria-label={help.contents}>
          <ul>
            {questions.map(([id, { title }]) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div>
          {questions.map(([id, { title, text, link }]) => (
            <section className="help-answer" id={id} key={id}>
              <h2 className="display-s">{title}</h2>
              <p className="muted">{text}</p>
              <a className="more" href={helpLinks[id]}>
                {link}
                <Icon name="next" small />
              </a>
            </section>
          ))}
        </div>
      </div>
      <section className="water" id="contact" data-with="support" hidden>
        <div className="site-width help-contact">
          <div>
            <h2 className="display-l">{help.contactTitle}</h2>
            <p className="lead">{help.contactText}</p>
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

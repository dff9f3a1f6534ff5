import type { FastifyInstance } from 'fastify'
import type { Mailbox, StoredMail } from '../reports/mail.ts'
import { html, type Html } from './html.ts'
import { layout, messagePage, formatMoment, sendPage } from './layout.ts'
import { contentSecurityPolicy } from './policy.ts'

const maxMails = 100

const mailRow = ({ id, to, subject, created_at }: StoredMail): Html =>
  html`<li>
    <a href="/mail/${id}">
      <b>${subject}</b><span class="who">${to}</span><span class="when">${formatMoment(created_at)}</span>
    </a>
  </li>`

function listBody(mails: readonly StoredMail[], count: number, to: string): Html {
  const empty = to ? `No mail to ${to} yet.` : 'No mail yet. What Tern sends to anybody arrives here.'
  return html`<main class="page">
    <h1>Mailbox</h1>
    <form class="filter" method="get" action="/mail" role="search">
      <label for="to">Sent to</label>
      <div>
        <input id="to" name="to" type="email" value="${to}" placeholder="you@example.com" autocomplete="off" />
        <button class="secondary" type="submit">Show</button>
      </div>
    </form>
    ${to ? html`<p><a href="/mail">Show everybody's mail</a></p>` : null}
    ${
      mails.length > 0
        ? html`<ul class="mails">
            ${mails.map(mailRow)}
          </ul>`
        : html`<p class="empty">${empty}</p>`
    }
    ${count > mails.length ? html`<p class="note">The newest ${mails.length} of ${count} mails.</p>` : null}
  </main>`
}

/** Returns the document of a mail's frame. Its links open outside the frame, whose sandbox blocks everything else. */
const buildFrame = (mailHtml: string): string => `<!doctype html><base target="_blank">${mailHtml}`

const mailBody = ({ to, subject, text, html: mailHtml, created_at }: StoredMail): Html =>
  html`<main class="page">
    <p><a href="/mail">Mailbox</a></p>
    <h1>${subject}</h1>
    <dl class="rows">
      <div>
        <dt>To</dt>
        <dd>${to}</dd>
      </div>
      <div>
        <dt>Sent</dt>
        <dd>${formatMoment(created_at)}</dd>
      </div>
    </dl>
    <section>
      <h2>As a mail program shows it</h2>
      <iframe
        class="mail"
        title="The mail"
        sandbox="allow-popups allow-popups-to-escape-sandbox"
        srcdoc="${buildFrame(mailHtml)}"
      ></iframe>
    </section>
    <section>
      <h2 id="mail-text">As plain text</h2>
      <pre class="mail" tabindex="0" role="region" aria-labelledby="mail-text">${text}</pre>
    </section>
  </main>`

export function mailPages(app: FastifyInstance, mailbox: Mailbox): void {
  app.get<{ Querystring: Record<string, unknown> }>('/mail', (request, reply) => {
    const recipient = request.query['to']
    const to = typeof recipient === 'string' ? recipient.trim().slice(0, 254) : ''
    const body = listBody(mailbox.list(to, maxMails), mailbox.count(to), to)
    return sendPage(reply, layout({ title: 'Mailbox · Tern Sandbox', menu: 'mailbox', body }))
  })

  app.get<{ Params: { id: string } }>('/mail/:id', (request, reply) => {
    const mail = mailbox.find(request.params.id)
    if (!mail) return sendPage(reply.code(404), messagePage('No such mail', 'There is no mail at this address.'))
    // The frame inherits this policy (`srcdoc`), and mails have inline styles.
    reply.header('content-security-policy', contentSecurityPolicy({ inlineStyles: true }))
    const title = `${mail.subject} · Tern Sandbox`
    return sendPage(reply, layout({ title, menu: 'mailbox', body: mailBody(mail) }))
  })
}

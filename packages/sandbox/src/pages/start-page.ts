import type { FastifyInstance } from 'fastify'
import { groupDigits, testCards } from '../cards.ts'
import type { Clock } from '../clock.ts'
import { magicIdentities } from '../kyc.ts'
import type { Mailbox } from '../mail.ts'
import type { Webhooks } from '../webhooks.ts'
import { inventedPeople } from '../people.ts'
import { html, type Html } from './html.ts'
import { layout, moment } from './layout.ts'

const verdictWords = {
  verified: 'Verified',
  in_review: 'In review',
  needs_information: 'Needs information',
  rejected: 'Rejected',
}

interface Listed {
  id: string
  title: string
  lead: string
  columns: readonly string[]
  /** The first cell names its row. */
  rows: readonly (readonly Html[])[]
}

const listed = ({ id, title, lead, columns, rows }: Listed): Html =>
  html`<section>
    <h2 id="${id}">${title}</h2>
    <p>${lead}</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="${id}">
      <table>
        <thead>
          <tr>
            ${columns.map((column) => html`<th scope="col">${column}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (cells) =>
              html`<tr>
                ${cells}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`

const cardTable = (): Html =>
  listed({
    id: 'cards',
    title: 'Test cards',
    lead: 'Any expiry date to come and any three digits go with them. Real cards do not work here.',
    columns: ['Card number', 'What happens'],
    rows: testCards.map(({ number, effect }) => [
      html`<th scope="row" class="digits">${groupDigits(number)}</th>`,
      html`<td>${effect}</td>`,
    ]),
  })

const identityTable = (): Html =>
  listed({
    id: 'identities',
    title: 'Identity checks',
    lead: 'Everybody is verified at once, but for these values.',
    columns: ['Field', 'Value', 'Result'],
    rows: magicIdentities.map(({ field, value, verdict }) => [
      html`<th scope="row">${field === 'last_name' ? 'Last name' : 'Document number'}</th>`,
      html`<td class="digits">${value}</td>`,
      html`<td>${verdictWords[verdict]}</td>`,
    ]),
  })

const accountTable = (): Html =>
  listed({
    id: 'accounts',
    title: 'Google accounts',
    lead: '“Continue with Google” leads to a chooser of these invented people, or of any other you name there.',
    columns: ['Name', 'Email', 'Note'],
    rows: inventedPeople.map(({ name, email, note }) => [
      html`<th scope="row">${name}</th>`,
      html`<td>${email}</td>`,
      html`<td>${note}</td>`,
    ]),
  })

function standing(clock: Clock, webhooks: Webhooks): Html {
  const { delivered, waiting, lastProblem } = webhooks.summary()
  const offset = clock.offsetMs() === 0 ? 'the real time' : 'moved'
  const queue = waiting === 0 ? 'none waiting' : `${waiting} waiting`
  return html`<dl class="rows">
    <div>
      <dt>Clock</dt>
      <dd>${moment(clock.now().toISOString())}, ${offset}</dd>
    </div>
    <div>
      <dt>Webhooks</dt>
      <dd>
        ${delivered} delivered, ${queue}${waiting > 0 && lastProblem !== null ? `. Last answer: ${lastProblem}` : ''}
      </dd>
    </div>
  </dl>`
}

export function startPage(app: FastifyInstance, clock: Clock, webhooks: Webhooks, mailbox: Mailbox): void {
  app.get('/', (_request, reply) => {
    const mails = mailbox.count('')
    const body = html`<main class="page">
      <h1>The outside world, in small</h1>
      <p class="lead">
        Card payments, identity checks, market rates, mail and Google accounts, as Tern meets them outside, without any
        of them being real. Tern reaches this service only over HTTP, like any provider.
      </p>
      <ul class="doors">
        <li>
          <a href="/mail"><b>Mailbox</b><span>${mails === 1 ? '1 mail' : `${mails} mails`} sent by Tern</span></a>
        </li>
        <li>
          <a href="/rates"><b>Rates</b><span>The market feed</span></a>
        </li>
        <li>
          <a href="#cards"><b>Test cards</b><span>For the hosted checkout</span></a>
        </li>
      </ul>
      ${standing(clock, webhooks)} ${cardTable()} ${identityTable()} ${accountTable()}
    </main>`
    return reply.type('text/html; charset=utf-8').send(layout({ title: 'Tern Sandbox', menu: 'start', body }))
  })
}

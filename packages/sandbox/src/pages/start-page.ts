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

const cardTable = (): Html =>
  html`<section>
    <h2 id="cards">Test cards</h2>
    <p>Any expiry date to come and any three digits go with them. Real cards do not work here.</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="cards">
      <table>
        <thead>
          <tr>
            <th scope="col">Card number</th>
            <th scope="col">What happens</th>
          </tr>
        </thead>
        <tbody>
          ${testCards.map(
            ({ number, effect }) =>
              html`<tr>
                <th scope="row" class="digits">${groupDigits(number)}</th>
                <td>${effect}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`

const identityTable = (): Html =>
  html`<section>
    <h2 id="identities">Identity checks</h2>
    <p>Everybody is verified at once, but for these values.</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="identities">
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Value</th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          ${magicIdentities.map(
            ({ field, value, verdict }) =>
              html`<tr>
                <th scope="row">${field === 'last_name' ? 'Last name' : 'Document number'}</th>
                <td class="digits">${value}</td>
                <td>${verdictWords[verdict]}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`

const accountTable = (): Html =>
  html`<section>
    <h2 id="accounts">Google accounts</h2>
    <p>“Continue with Google” leads to a chooser of these invented people, or of any other you name there.</p>
    <div class="scroll" tabindex="0" role="region" aria-labelledby="accounts">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Email</th>
            <th scope="col">Note</th>
          </tr>
        </thead>
        <tbody>
          ${inventedPeople.map(
            ({ name, email, note }) =>
              html`<tr>
                <th scope="row">${name}</th>
                <td>${email}</td>
                <td>${note}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`

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

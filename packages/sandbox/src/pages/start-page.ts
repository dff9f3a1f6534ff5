import type { FastifyInstance } from 'fastify'
import type { ApiFaultSettings } from '../control/api-faults.ts'
import { banks, type OrderOutcome } from '../banks/banks.ts'
import { groupDigits, testCards } from '../cards/cards.ts'
import type { Clock } from '../control/clock.ts'
import type { Market } from '../market/market.ts'
import { magicIdentities } from '../identity/magic-identities.ts'
import type { Mailbox } from '../reports/mail.ts'
import type { WebhookFaultSettings } from '../server/webhook-faults.ts'
import type { Webhooks } from '../server/webhooks.ts'
import { inventedPeople } from '../server/people.ts'
import { html, type Html } from './html.ts'
import { layout, formatMoment, sendPage } from './layout.ts'
import { renderSection } from './table-section.ts'

const fieldNames = {
  last_name: 'Last name',
  document_number: 'Document number',
  date_of_birth: 'Date of birth',
  postal_code: 'Postal code',
}

const cardTable = (): Html =>
  renderSection({
    id: 'cards',
    title: 'Test cards',
    lead: 'Use any future expiry date and any three digits. Real cards do not work here.',
    columns: ['Card number', 'What happens'],
    rows: testCards.map(({ number, effect }) => [
      html`<th scope="row" class="digits">${groupDigits(number)}</th>`,
      html`<td>${effect}</td>`,
    ]),
  })

const formatDays = ({ days }: OrderOutcome): string => String(days)

const bankTable = (): Html =>
  renderSection({
    id: 'banks',
    title: 'Banks',
    lead: 'They are offered when a bank account is linked. Days are business days of the account’s country.',
    columns: ['Bank', 'What happens', 'Debit days', 'Payout days'],
    rows: banks.map(({ name, effect, debit, payout, refusesLinks }) => [
      html`<th scope="row">${name}</th>`,
      html`<td>${effect}</td>`,
      html`<td>${refusesLinks ? 'none' : formatDays(debit)}</td>`,
      html`<td>${refusesLinks ? 'none' : formatDays(payout)}</td>`,
    ]),
  })

const identityTable = (): Html =>
  renderSection({
    id: 'identities',
    title: 'Identity checks',
    lead: 'Everybody is verified a moment later, but for these values.',
    columns: ['Field', 'Value', 'Result'],
    rows: magicIdentities.map(({ field, value, effect }) => [
      html`<th scope="row">${fieldNames[field]}</th>`,
      html`<td class="digits">${value}</td>`,
      html`<td>${effect}</td>`,
    ]),
  })

/** Email address that can break before its host in narrow columns. */
function addBreaks(email: string): Html {
  const at = email.indexOf('@') + 1
  return html`${email.slice(0, at)}<wbr />${email.slice(at)}`
}

const accountTable = (): Html =>
  renderSection({
    id: 'accounts',
    title: 'Google accounts',
    lead: '“Continue with Google” leads to a chooser of these invented people, or of any other you name there.',
    columns: ['Name', 'Email', 'Note'],
    rows: inventedPeople.map(({ name, email, note }) => [
      html`<th scope="row">${name}</th>`,
      html`<td>${addBreaks(email)}</td>`,
      html`<td>${note}</td>`,
    ]),
  })

interface Dependencies {
  clock: Clock
  market: Market
  webhooks: Webhooks
  webhookFaults: WebhookFaultSettings
  apiFaults: ApiFaultSettings
  mailbox: Mailbox
}

function describeFaults({ webhookFaults, apiFaults }: Dependencies): string {
  const { delay_ms, double_percent, drop_percent, shuffle } = webhookFaults.get()
  const { timeout_percent, error_percent, lost_answer_percent } = apiFaults.get()
  const faultyChannels = [
    ...(shuffle || delay_ms + double_percent + drop_percent > 0 ? ['webhooks'] : []),
    ...(timeout_percent + error_percent + lost_answer_percent > 0 ? ['answers'] : []),
  ]
  return faultyChannels.length === 0 ? 'none' : `wanted for ${faultyChannels.join(' and ')}`
}

function statusSection(parts: Dependencies): Html {
  const { clock, market, webhooks } = parts
  const { mode, silent } = market.get()
  const { delivered, waiting, lastProblem } = webhooks.summary()
  const offset = clock.offsetMs() === 0 ? 'the real time' : 'moved'
  const queue = waiting === 0 ? 'none waiting' : `${waiting} waiting`
  return html`<dl class="rows">
    <div>
      <dt>Clock</dt>
      <dd>${formatMoment(clock.now().toISOString())}, ${offset}</dd>
    </div>
    <div>
      <dt>Market</dt>
      <dd>${mode === 'walk' ? 'walks' : 'stands still'}${silent ? ', and the feed is silent' : ''}</dd>
    </div>
    <div>
      <dt>Webhooks</dt>
      <dd>
        ${delivered} delivered, ${queue}${waiting > 0 && lastProblem !== null ? `. Last answer: ${lastProblem}` : ''}
      </dd>
    </div>
    <div>
      <dt>Faults</dt>
      <dd>${describeFaults(parts)}</dd>
    </div>
  </dl>`
}

export function startPage(app: FastifyInstance, parts: Dependencies): void {
  app.get('/', (_request, reply) => {
    const mails = parts.mailbox.count('')
    const body = html`<main class="page">
      <h1>The outside world, in small</h1>
      <p class="lead">
        Card payments, banks, identity checks, market rates, liquidity, mail and Google accounts, as Tern meets them
        outside, without any of them being real. Tern reaches this service only over HTTP, like any provider.
      </p>
      <ul class="doors">
        <li>
          <a href="/mail"><b>Mailbox</b><span>${mails === 1 ? '1 mail' : `${mails} mails`} sent by Tern</span></a>
        </li>
        <li>
          <a href="/rates"><b>Rates</b><span>The market feed</span></a>
        </li>
        <li>
          <a href="/control"><b>Control</b><span>Time, market, payments and faults</span></a>
        </li>
        <li>
          <a href="#cards"><b>Test cards</b><span>For the hosted checkout</span></a>
        </li>
      </ul>
      ${statusSection(parts)} ${cardTable()} ${bankTable()} ${identityTable()} ${accountTable()}
    </main>`
    return sendPage(reply, layout({ title: 'Tern Sandbox', menu: 'start', body }))
  })
}

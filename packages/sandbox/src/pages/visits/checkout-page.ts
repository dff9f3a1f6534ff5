import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError, type FieldProblem } from '../../server/api.ts'
import { groupDigits, testCards } from '../../cards/cards.ts'
import type { Checkout, PayResult } from '../../cards/checkout.ts'
import { readAttempt } from '../../cards/checkout.routes.ts'
import type { Clock } from '../../control/clock.ts'
import { formatAmount } from '../../server/currency.ts'
import { returnAddress, type Session } from '../../cards/sessions.ts'
import { html, type Html } from '../html.ts'
import { layout } from '../layout.ts'
import { type VisitResult, endMarkup, merchantMarkup, sendStep } from '../visit.ts'

const errorIcon = html`<svg viewBox="0 0 16 16" aria-hidden="true">
  <circle cx="8" cy="8" r="6.5" />
  <path d="M8 4.75v3.75M8 11h.01" />
</svg>`

interface FieldShape {
  name: 'card_number' | 'expiry' | 'cvc'
  label: string
  autocomplete: string
  placeholder: string
  maxLength: number
}

const fieldShapes: readonly FieldShape[] = [
  {
    name: 'card_number',
    label: 'Card number',
    autocomplete: 'cc-number',
    placeholder: '1234 1234 1234 1234',
    maxLength: 23,
  },
  { name: 'expiry', label: 'Expiry date', autocomplete: 'cc-exp', placeholder: 'MM/YY', maxLength: 9 },
  { name: 'cvc', label: 'Security code', autocomplete: 'cc-csc', placeholder: 'CVC', maxLength: 4 },
]

function cardFieldMarkup({ name, label, autocomplete, placeholder, maxLength }: FieldShape, problem: string): Html {
  return html`<div class="field" data-field="${name}">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      inputmode="numeric"
      autocomplete="${autocomplete}"
      placeholder="${placeholder}"
      maxlength="${maxLength}"
      spellcheck="false"
      required
      aria-describedby="${name}-error"
      ${problem ? html`aria-invalid="true"` : null}
    />
    <p class="error" id="${name}-error" ${problem ? null : html`hidden`}>${errorIcon}<span>${problem}</span></p>
  </div>`
}

/** State of the rendered card form; `isSaveTicked`: the payer's choice to save the card. */
interface FormState {
  message: string
  problems: readonly FieldProblem[]
  isSaveTicked: boolean
}

const consentMarkup = (merchant: string, isSaveTicked: boolean): Html =>
  html`<label class="check" for="save_card">
    <input id="save_card" name="save_card" type="checkbox" value="yes" ${isSaveTicked ? html`checked` : null} />
    <span>Save this card for later payments to ${merchant}</span>
  </label>`

const formMarkup = (
  session: Session,
  merchant: string,
  amount: string,
  { message, problems, isSaveTicked }: FormState,
): Html => {
  const findProblem = (name: string): string => problems.find(({ field }) => field === name)?.message ?? ''
  return html`<form
    class="card"
    method="post"
    action="/checkout/${session.id}"
    novalidate
    aria-labelledby="card-title"
    data-session="${session.id}"
    data-merchant="${merchant}"
  >
    <h2 id="card-title">Pay by card</h2>
    ${fieldShapes.map((shape) => cardFieldMarkup(shape, findProblem(shape.name)))}
    ${session.save_card ? consentMarkup(merchant, isSaveTicked) : null}
    <div class="notice" role="alert" ${message ? null : html`hidden`}>${errorIcon}<span>${message}</span></div>
    <div class="actions">
      <button class="primary" type="submit" name="action" value="pay">
        <span class="spinner" aria-hidden="true"></span><span data-label>Pay ${amount}</span>
      </button>
      <button class="secondary" type="submit" name="action" value="cancel">Cancel</button>
    </div>
    <p class="hidden" role="status"></p>
  </form>`
}

function hintMarkup(now: Date): Html {
  const expiry = `12/${String((now.getUTCFullYear() + 5) % 100).padStart(2, '0')}`
  return html`<details class="hint" data-expiry="${expiry}">
    <summary>Test cards</summary>
    <p>Real cards do not work here. Use expiry ${expiry} and code 123 with each.</p>
    <ul>
      ${testCards.map(
        ({ number, effect }) =>
          html`<li>
            <span><b class="digits">${groupDigits(number)}</b><span class="effect">${effect}</span></span>
            <button
              class="small"
              type="button"
              data-card="${number}"
              aria-label="Use the card ending in ${number.slice(-4)}"
              hidden
            >
              Use
            </button>
          </li>`,
      )}
    </ul>
  </details>`
}

const orderMarkup = (session: Session, merchant: string, amount: string): Html =>
  html`<section class="order">
    ${merchantMarkup(merchant)}
    <h1>
      <span class="label">Amount to pay</span> <span class="amount">${amount}</span>
      <span class="code">${session.currency}</span>
    </h1>
    ${session.description ? html`<p class="description">${session.description}</p>` : null}
    <p class="reference">Reference <span>${session.reference}</span></p>
  </section>`

/** Form for the bank's challenge; works without JavaScript. */
const challengeMarkup = (session: Session, merchant: string, amount: string): Html =>
  html`<section class="card challenge" aria-labelledby="challenge-title">
    <h2 id="challenge-title">Your bank asks you to confirm</h2>
    <p>
      Are you paying <strong>${amount}</strong> to ${merchant} with the card ending in
      <span class="digits">${session.last_four}</span>?
    </p>
    <p class="note">In the sandbox no one checks who confirms. A real bank would ask for a code or open its app.</p>
    <form class="actions" method="post" action="/checkout/${session.id}">
      <button class="primary" type="submit" name="action" value="approve">Approve</button>
      <button class="secondary" type="submit" name="action" value="fail">Fail</button>
    </form>
  </section>`

const results: Record<Exclude<Session['status'], 'open'>, VisitResult> = {
  paid: { title: 'Paid', message: 'This payment is complete. You won’t be charged again.' },
  authorized: {
    title: 'Approved',
    message: 'Your bank approved this payment. The merchant charges or releases it within a week.',
  },
  canceled: { title: 'Canceled', message: 'This payment was canceled. No money was taken.' },
  processing: {
    title: 'Being processed',
    message: 'Your bank has not answered yet. You don’t need to wait here: the merchant will be notified.',
  },
  declined: { title: 'Declined', message: 'Your bank declined this payment. No money was taken.' },
  expired: { title: 'Expired', message: 'This payment was not made in time. No money was taken.' },
  failed: { title: 'Not paid', message: 'This payment failed. No money was taken.' },
}

function checkoutPage(session: Session, merchant: string, now: Date, state: FormState): string {
  const amount = formatAmount(session.amount_minor, session.currency)
  const result = session.status === 'open' ? undefined : results[session.status]
  const open = session.is_challenged
    ? challengeMarkup(session, merchant, amount)
    : html`${formMarkup(session, merchant, amount, state)}${hintMarkup(now)}`
  const body = html`<main class="checkout">
    ${orderMarkup(session, merchant, amount)} ${result ? endMarkup(result, returnAddress(session), merchant) : open}
  </main>`
  const title = `${result ? result.title : `Pay ${amount}`} · ${merchant} · Tern Sandbox`
  return layout(result || session.is_challenged ? { title, body } : { title, script: 'checkout.js', body })
}

/** Registers the hosted checkout page, which works with and without JavaScript. */
export async function checkoutPages(
  app: FastifyInstance,
  { checkout, clock, merchant }: { checkout: Checkout; clock: Clock; merchant: string },
): Promise<void> {
  await app.register(formbody, { bodyLimit: 10_000 })

  function renderSession(reply: FastifyReply, session: Session, state: Partial<FormState> = {}): FastifyReply {
    // Checked until the payer has made a choice.
    const isSaveTicked = session.last_four === null || session.keeps_card === 1
    const page = checkoutPage(session, merchant, clock.now(), { message: '', problems: [], isSaveTicked, ...state })
    return sendStep(reply, session.return_url, page)
  }

  function pay(id: string, body: Record<string, unknown>): PayResult {
    const { action } = body
    if (action === 'approve' || action === 'fail') return checkout.answerChallenge(id, action === 'approve')
    // Browsers omit unchecked boxes.
    return checkout.pay(id, () => readAttempt({ ...body, save_card: body['save_card'] === 'yes' }, clock.now()))
  }

  app.get<{ Params: { id: string } }>('/checkout/:id', (request, reply) =>
    renderSession(reply, checkout.find(request.params.id)),
  )

  app.post<{ Params: { id: string }; Body: Record<string, unknown> | undefined }>('/checkout/:id', (request, reply) => {
    const { id } = request.params
    const { body = {} } = request
    if (body['action'] === 'cancel') return reply.redirect(returnAddress(checkout.cancel(id)), 303)
    try {
      const result = pay(id, body)
      // Redirects, so that reloading the page does not submit the card again.
      if (result.status === 'challenge') return reply.redirect(`/checkout/${id}`, 303)
      if (result.status !== 'failed') return reply.redirect(result.returnUrl, 303)
      return renderSession(reply, checkout.find(id), { message: result.message })
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 404) throw error
      const message = error.fields.length > 0 ? '' : error.message
      const isSaveTicked = body['save_card'] === 'yes'
      return renderSession(reply.code(error.status), checkout.find(id), {
        message,
        problems: error.fields,
        isSaveTicked,
      })
    }
  })
}

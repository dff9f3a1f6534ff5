import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, throwFieldError } from '../server/api.ts'
import type { ApiFaultSettings } from '../control/api-faults.ts'
import { type Clock, readOffsetMs } from '../control/clock.ts'
import type { ControlTargets } from '../control/control-targets.ts'
import type { Liquidity } from '../market/liquidity.ts'
import { readLevels } from '../market/market-fields.ts'
import { type Market, walkingCodes } from '../market/market.ts'
import type { Rate } from '../server/currency.ts'
import { type Fields, readFields } from '../server/fields.ts'
import { requireSameOrigin } from '../server/same-origin.ts'
import type { WebhookFaultSettings } from '../server/webhook-faults.ts'
import type { Webhooks } from '../server/webhooks.ts'
import {
  apiForm,
  type Attempt,
  clockForms,
  liquidityForm,
  marketForms,
  noAttempt,
  webhookForm,
} from './control-forms.ts'
import { deliveryTable, liquidityTable, targetTable } from './control-tables.ts'
import { html, type Html } from './html.ts'
import { layout, sendPage } from './layout.ts'
import { readText } from './visit.ts'

interface Dependencies {
  clock: Clock
  market: Market
  liquidity: Liquidity
  targets: ControlTargets
  webhooks: Webhooks
  webhookFaults: WebhookFaultSettings
  apiFaults: ApiFaultSettings
  publicUrl: () => string
}

/** Success messages by the value of the query parameter `done`. */
const doneTexts: ReadonlyMap<unknown, string> = new Map([
  ['clock', 'The clock has been moved.'],
  ['market', 'The market goes on as you said.'],
  ['liquidity', 'Liquidity orders to come go on as you said.'],
  ['webhooks', 'Webhooks to come go wrong as you said.'],
  ['faults', 'Answers to come go wrong as you said.'],
  ['payments', 'The payment has gone on.'],
  ['debits', 'The debit has gone on.'],
  ['payouts', 'The payout has gone on.'],
  ['deliveries', 'The event is sent again.'],
])

const sections = ['clock', 'market', 'liquidity', 'webhooks', 'faults'] as const
type Section = (typeof sections)[number]

interface Banner {
  done?: unknown
  /** Error that belongs to no field. */
  refused?: string
  section?: Section
  attempt?: Attempt
}

function renderNotice({ done, refused, attempt }: Banner): Html | null {
  const failed = refused ?? (attempt ? 'Not saved. Look at the marked fields.' : undefined)
  if (failed !== undefined) return html`<p class="notice" role="alert">${failed}</p>`
  const text = doneTexts.get(done)
  return text === undefined ? null : html`<p class="told" role="status">${text}</p>`
}

function controlPage(parts: Dependencies, banner: Banner): string {
  const { clock, market, liquidity, targets, webhooks, webhookFaults, apiFaults } = parts
  const findAttempt = (section: Section): Attempt => (banner.section === section && banner.attempt) || noAttempt
  const body = html`<main class="page control">
    <h1>Control</h1>
    <p class="lead">Moves time and market, decides how payments go on, and makes things go wrong on purpose.</p>
    ${renderNotice(banner)} ${clockForms(clock.now(), clock.offsetMs(), findAttempt('clock'))}
    ${marketForms(market.get(), walkingCodes, findAttempt('market'))} ${targetTable('payments', targets.payments)}
    ${targetTable('debits', targets.debits)} ${targetTable('payouts', targets.payouts)}
    ${liquidityTable(liquidity.list(20))} ${liquidityForm(liquidity.get(), findAttempt('liquidity'))}
    ${deliveryTable(webhooks.list(30))} ${webhookForm(webhookFaults.get(), findAttempt('webhooks'))}
    ${apiForm(apiFaults.get(), findAttempt('faults'))}
  </main>`
  return layout({ title: 'Control · Tern Sandbox', menu: 'control', style: 'control.css', body })
}

/** Parses a number from a form; undefined if empty, the value itself if malformed. */
function parseNumber(value: unknown): unknown {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return /^\d{1,15}$/.test(value.trim()) ? Number.parseInt(value, 10) : value
}

/** Converts form fields to numbers and booleans, as in the API. */
const formFields = (body: Readonly<Record<string, unknown>>): Fields =>
  readFields(
    body['reset'] === 'yes'
      ? {}
      : {
          ...Object.fromEntries(Object.entries(body).map(([name, value]) => [name, parseNumber(value)])),
          shuffle: body['shuffle'] === 'yes',
        },
  )

const hourMs = 60 * 60 * 1000
const unitsMs: Readonly<Record<string, number>> = { hours: hourMs, days: 24 * hourMs }

function moveClock(clock: Clock, body: Readonly<Record<string, unknown>>): void {
  const { to, date } = body
  if (to === 'real') return clock.moveTo(0)
  if (to === 'date') return clock.moveTo(readOffsetMs(readFields({ now: `${String(date)}Z` })))
  const unitMs = unitsMs[String(to)]
  const fields = readFields({ amount: parseNumber(body['amount']) })
  const amount = fields.integer('amount', { max: 1_000_000 })
  if (amount === undefined || unitMs === undefined) fields.addProblem('amount', 'Enter how many hours or days.')
  fields.check()
  clock.moveTo(readOffsetMs(readFields({ offsetMs: clock.offsetMs() + (amount ?? 0) * (unitMs ?? 0) })))
}

/** Reads a decimal as an exact fraction. Throws ApiError 422. */
function readDecimal(name: string, value: unknown): Rate {
  const [, integerPart = '', decimals = ''] = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(readText(value)) ?? []
  const numerator = (integerPart + decimals).replace(/^0+/, '')
  if (numerator === '') throwFieldError(name, 'Enter a decimal number above zero, such as 1.08.')
  return { numerator, denominator: `1${'0'.repeat(decimals.length)}` }
}

/** Parses a percentage with optional sign; returns the value itself if malformed. */
const parsePercent = (value: unknown): unknown =>
  typeof value === 'string' && /^[+-]?\d{1,6}$/.test(value.trim()) ? Number.parseInt(value, 10) : value

function steerMarket(market: Market, body: Readonly<Record<string, unknown>>): void {
  const [action, code] = [body['do'], readText(body['code'])]
  if (action === 'reset') market.change(market.defaults)
  else if (action === 'jump') market.change({ jump: { [code]: parsePercent(body['percent']) } })
  else if (action === 'level')
    market.setLevels(readLevels({ usd_per_unit: { [code]: readDecimal('usd', body['usd']) } }))
  else {
    const [seed, volatility_percent] = [parseNumber(body['seed']), parseNumber(body['volatility_percent'])]
    const mode = body['walks'] === 'yes' ? 'walk' : 'still'
    market.change({ mode, seed, volatility_percent, silent: body['silent'] === 'yes' })
  }
}

/** Returns the form field for a field of the API. */
function pageField(field: string): string {
  const [name = ''] = field.split('.')
  return { now: 'date', offsetMs: 'amount', jump: 'percent', usd_per_unit: 'usd' }[name] ?? field
}

function changeSettings(parts: Dependencies, section: Section, body: Record<string, unknown>): void {
  if (section === 'clock') moveClock(parts.clock, body)
  else if (section === 'market') steerMarket(parts.market, body)
  else if (section === 'liquidity') parts.liquidity.change(formFields(body))
  else if (section === 'webhooks') parts.webhookFaults.change(formFields(body))
  else parts.apiFaults.change(formFields(body))
}

type Post = FastifyRequest<{ Body: Record<string, unknown> | undefined }>

/** Registers the control page. It requires no secret, so it accepts forms from its own origin only. */
export async function controlPages(app: FastifyInstance, parts: Dependencies): Promise<void> {
  await app.register(formbody, { bodyLimit: 10_000 })
  app.addHook('onRequest', requireSameOrigin(parts.publicUrl))

  const send = (reply: FastifyReply, banner: Banner): FastifyReply =>
    // The default policy, `no-referrer`, would hide the origin of forms.
    sendPage(
      reply.header('referrer-policy', 'same-origin').header('cache-control', 'no-store'),
      controlPage(parts, banner),
    )

  /** Executes a change, then redirects to its section or shows the error. */
  function finish(
    reply: FastifyReply,
    part: string,
    execute: () => unknown,
    refused: (error: ApiError) => Banner = ({ message }) => ({ refused: message }),
  ) {
    try {
      execute()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status === 404) throw error
      return send(reply.code(error.status), refused(error))
    }
    return reply.redirect(`/control?done=${part}#${part}`, 303)
  }

  app.get<{ Querystring: Record<string, unknown> }>('/control', ({ query }, reply) =>
    send(reply, { done: query['done'] }),
  )

  for (const section of sections) {
    app.post(`/control/${section}`, (request: Post, reply) => {
      const { body = {} } = request
      return finish(
        reply,
        section,
        () => changeSettings(parts, section, body),
        ({ fields }) => {
          const problems = fields.map((problem) => ({ ...problem, field: pageField(problem.field) }))
          return { section, attempt: { values: body, problems } }
        },
      )
    })
  }

  for (const [name, target] of Object.entries(parts.targets)) {
    app.post<{ Params: { id: string; action: string } }>(`/control/${name}/:id/:action`, ({ params }, reply) =>
      finish(reply, name, () => target.execute(params.id, params.action)),
    )
  }

  app.post<{ Params: { number: string } }>('/control/webhooks/:number/resend', ({ params }, reply) =>
    finish(reply, 'deliveries', () => parts.webhooks.resend(params.number)),
  )
}

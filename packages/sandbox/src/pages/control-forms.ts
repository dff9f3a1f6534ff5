import type { FieldProblem } from '../server/api.ts'
import type { ApiFaults } from '../control/api-faults.ts'
import type { LiquidityCourse } from '../market/liquidity.ts'
import type { MarketSettings } from '../market/market.ts'
import type { WebhookFaults } from '../server/webhook-faults.ts'
import { html, type Html } from './html.ts'
import { formatMoment } from './layout.ts'
import { fieldMarkup } from './visit.ts'

/** Submitted values and errors of a form that failed. */
export interface Attempt {
  values: Readonly<Record<string, unknown>>
  problems: readonly FieldProblem[]
}

export const noAttempt: Attempt = { values: {}, problems: [] }

interface FieldShape {
  form: string
  name: string
  label: string
  value: number | string
  type?: 'number' | 'datetime-local' | 'text'
  min?: number
  max?: number
}

function field(
  { form, name, label, value, type = 'number', min = 0, max }: FieldShape,
  { values, problems }: Attempt,
): Html {
  const typedValue = values[name]
  const attributes = html`type="${type}" value="${typeof typedValue === 'string' ? typedValue : value}"
  ${type === 'number' ? html`min="${min}" step="1" inputmode="numeric"` : null}
  ${max === undefined ? null : html`max="${max}"`}`
  const problem = problems.find((item) => item.field === name)?.message
  return fieldMarkup({ id: `${form}-${name}`, name, label, attributes, problem })
}

/** Formats a time for a datetime field: `2026-03-01T09:00`. */
const formatMinute = (at: Date): string => at.toISOString().slice(0, 16)

export const clockForms = (now: Date, offsetMs: number, attempt: Attempt): Html =>
  html`<section aria-labelledby="clock">
    <h2 id="clock">Clock</h2>
    <p>
      It is ${formatMoment(now.toISOString())}${offsetMs === 0 ? ', the real time' : ''}. Tern follows within seconds.
    </p>
    <form class="settings" method="post" action="/control/clock" novalidate>
      ${field({ form: 'clock', name: 'amount', label: 'Move ahead by', value: 1 }, attempt)}
      <div class="row-actions">
        <button class="secondary" type="submit" name="to" value="hours">Hours</button>
        <button class="secondary" type="submit" name="to" value="days">Days</button>
      </div>
    </form>
    <form class="settings" method="post" action="/control/clock" novalidate>
      ${field(
        { form: 'clock', name: 'date', label: 'Move to, in UTC', value: formatMinute(now), type: 'datetime-local' },
        attempt,
      )}
      <div class="row-actions">
        <button class="secondary" type="submit" name="to" value="date">Move</button>
        <button class="secondary" type="submit" name="to" value="real">Real time</button>
      </div>
    </form>
  </section>`

const saveButton = html`<div class="row-actions">
  <button class="primary" type="submit">Save</button>
  <button class="secondary" type="submit" name="reset" value="yes">Nothing goes wrong</button>
</div>`

/** Checkbox in its submitted state or, without a submitted form, in the current state. */
function check(id: string, name: string, label: string, isOn: boolean, { values }: Attempt): Html {
  const isTyped = Object.keys(values).length > 0
  const isTicked = isTyped ? values[name] === 'yes' : isOn
  return html`<label class="check" for="${id}">
    <input id="${id}" name="${name}" type="checkbox" value="yes" ${isTicked ? html`checked` : null} />
    <span>${label}</span>
  </label>`
}

export function webhookForm(faults: WebhookFaults, attempt: Attempt): Html {
  const form = 'webhooks'
  const shuffle = 'Shuffle: each waits another part of the delay, at least of a second'
  return html`<section aria-labelledby="webhooks">
    <h2 id="webhooks">What goes wrong with webhooks</h2>
    <p>For events to come. The same seed decides the same again.</p>
    <form class="settings" method="post" action="/control/webhooks" novalidate>
      ${field({ form, name: 'delay_ms', label: 'Delay, in milliseconds', value: faults.delay_ms }, attempt)}
      ${field({ form, name: 'double_percent', label: 'Doubled, %', value: faults.double_percent, max: 100 }, attempt)}
      ${field({ form, name: 'drop_percent', label: 'Dropped, %', value: faults.drop_percent, max: 100 }, attempt)}
      ${field({ form, name: 'seed', label: 'Seed', value: faults.seed }, attempt)}
      ${check('webhooks-shuffle', 'shuffle', shuffle, faults.shuffle, attempt)} ${saveButton}
    </form>
  </section>`
}

export function apiForm(faults: ApiFaults, attempt: Attempt): Html {
  const form = 'faults'
  const percent = (name: string, label: string, value: number) => field({ form, name, label, value, max: 100 }, attempt)
  return html`<section aria-labelledby="faults">
    <h2 id="faults">What goes wrong with answers</h2>
    <p>For Tern’s calls to come, except those that steer the sandbox. At most one thing befalls a call.</p>
    <form class="settings" method="post" action="/control/faults" novalidate>
      ${percent('error_percent', 'Fails before anything is done, %', faults.error_percent)}
      ${percent('lost_answer_percent', 'Done, but the answer is lost, %', faults.lost_answer_percent)}
      ${percent('timeout_percent', 'Done, but the answer is late, %', faults.timeout_percent)}
      ${field({ form, name: 'hang_ms', label: 'How late, in milliseconds', value: faults.hang_ms }, attempt)}
      ${field({ form, name: 'seed', label: 'Seed', value: faults.seed }, attempt)} ${saveButton}
    </form>
  </section>`
}

function currencyChoice(form: string, codes: readonly string[], { values }: Attempt): Html {
  const id = `${form}-code`
  return html`<div class="field">
    <label for="${id}">Currency</label>
    <select id="${id}" name="code">
      ${codes.map((code) => html`<option ${values['code'] === code ? html`selected` : null}>${code}</option>`)}
    </select>
  </div>`
}

const marketAction = (action: string, label: string, style: 'primary' | 'secondary' = 'secondary'): Html =>
  html`<button class="${style}" type="submit" name="do" value="${action}">${label}</button>`

export function marketForms(market: MarketSettings, codes: readonly string[], attempt: Attempt): Html {
  const findAttempt = (action: string): Attempt => (attempt.values['do'] === action ? attempt : noAttempt)
  const [saveAttempt, jumpAttempt, level] = [findAttempt('save'), findAttempt('jump'), findAttempt('level')]
  const form = 'market'
  return html`<section aria-labelledby="market">
    <h2 id="market">Market</h2>
    <p>
      Prices walk around a level of their own, or stand still on it. What was before stays as it was; the same seed
      walks the same way again.
    </p>
    <form class="settings" method="post" action="/control/market" novalidate>
      ${field(
        {
          form,
          name: 'volatility_percent',
          label: 'Volatility, % of the usual',
          value: market.volatility_percent,
          max: 1000,
        },
        saveAttempt,
      )}
      ${field({ form, name: 'seed', label: 'Seed', value: market.seed }, saveAttempt)}
      ${check('market-walks', 'walks', 'Prices walk', market.mode === 'walk', saveAttempt)}
      ${check('market-silent', 'silent', 'The feed is silent: it repeats what it said last', market.silent, saveAttempt)}
      <div class="row-actions">${marketAction('save', 'Save', 'primary')} ${marketAction('reset', 'As usual')}</div>
    </form>
    <form class="settings" method="post" action="/control/market" novalidate>
      ${currencyChoice('market-jump', codes, jumpAttempt)}
      ${field({ form, name: 'percent', label: 'Jump by, %', value: 5, min: -90, max: 900 }, jumpAttempt)}
      <div class="row-actions">${marketAction('jump', 'Jump')}</div>
    </form>
    <form class="settings" method="post" action="/control/market" novalidate>
      ${currencyChoice('market-level', codes, level)}
      ${field({ form, name: 'usd', label: 'Level: one unit in USD', value: '1.00', type: 'text' }, level)}
      <div class="row-actions">${marketAction('level', 'Set the level')}</div>
    </form>
  </section>`
}

export function liquidityForm(course: LiquidityCourse, attempt: Attempt): Html {
  const form = 'liquidity'
  return html`<section aria-labelledby="liquidity">
    <h2 id="liquidity">How liquidity orders go on</h2>
    <p>For orders to come. The delay is by the sandbox’s clock.</p>
    <form class="settings" method="post" action="/control/liquidity" novalidate>
      ${field({ form, name: 'delay_ms', label: 'Delay, in milliseconds', value: course.delay_ms }, attempt)}
      ${field(
        {
          form,
          name: 'slippage_parts_per_million',
          label: 'Slippage, parts per million',
          value: course.slippage_parts_per_million,
          max: 500_000,
        },
        attempt,
      )}
      ${field({ form, name: 'reject_percent', label: 'Rejected, %', value: course.reject_percent, max: 100 }, attempt)}
      ${field({ form, name: 'seed', label: 'Seed', value: course.seed }, attempt)} ${saveButton}
    </form>
  </section>`
}

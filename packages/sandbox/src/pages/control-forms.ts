import type { FieldProblem } from '../server/api.ts'
import type { ApiFaults } from '../control/api-faults.ts'
import type { WebhookFaults } from '../server/webhook-faults.ts'
import { html, type Html } from './html.ts'
import { moment } from './layout.ts'
import { fieldMarkup } from './visit.ts'

/** A failed form's input and errors. */
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
  type?: 'number' | 'datetime-local'
  max?: number
}

function field({ form, name, label, value, type = 'number', max }: FieldShape, { values, problems }: Attempt): Html {
  const typed = values[name]
  const attributes = html`type="${type}" value="${typeof typed === 'string' ? typed : value}"
  ${type === 'number' ? html`min="0" step="1" inputmode="numeric"` : null}
  ${max === undefined ? null : html`max="${max}"`}`
  const problem = problems.find((one) => one.field === name)?.message
  return fieldMarkup({ id: `${form}-${name}`, name, label, attributes, problem })
}

/** A value for a datetime field: `2026-03-01T09:00`. */
const minuteOf = (at: Date): string => at.toISOString().slice(0, 16)

export const clockForms = (now: Date, offsetMs: number, attempt: Attempt): Html =>
  html`<section aria-labelledby="clock">
    <h2 id="clock">Clock</h2>
    <p>It is ${moment(now.toISOString())}${offsetMs === 0 ? ', the real time' : ''}. Tern follows within seconds.</p>
    <form class="settings" method="post" action="/control/clock" novalidate>
      ${field({ form: 'clock', name: 'amount', label: 'Move ahead by', value: 1 }, attempt)}
      <div class="row-actions">
        <button class="secondary" type="submit" name="to" value="hours">Hours</button>
        <button class="secondary" type="submit" name="to" value="days">Days</button>
      </div>
    </form>
    <form class="settings" method="post" action="/control/clock" novalidate>
      ${field(
        { form: 'clock', name: 'date', label: 'Move to, in UTC', value: minuteOf(now), type: 'datetime-local' },
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

export function webhookForm(faults: WebhookFaults, attempt: Attempt): Html {
  const form = 'webhooks'
  const isTyped = Object.keys(attempt.values).length > 0
  const shuffles = isTyped ? attempt.values['shuffle'] === 'yes' : faults.shuffle
  return html`<section aria-labelledby="webhooks">
    <h2 id="webhooks">What goes wrong with webhooks</h2>
    <p>For events to come. The same seed decides the same again.</p>
    <form class="settings" method="post" action="/control/webhooks" novalidate>
      ${field({ form, name: 'delay_ms', label: 'Delay, in milliseconds', value: faults.delay_ms }, attempt)}
      ${field({ form, name: 'double_percent', label: 'Doubled, %', value: faults.double_percent, max: 100 }, attempt)}
      ${field({ form, name: 'drop_percent', label: 'Dropped, %', value: faults.drop_percent, max: 100 }, attempt)}
      ${field({ form, name: 'seed', label: 'Seed', value: faults.seed }, attempt)}
      <label class="check" for="webhooks-shuffle">
        <input id="webhooks-shuffle" name="shuffle" type="checkbox" value="yes" ${shuffles ? html`checked` : null} />
        <span>Shuffle: each waits another part of the delay, at least of a second</span>
      </label>
      ${saveButton}
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

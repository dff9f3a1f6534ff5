// Progressive enhancement of the checkout form: shows errors and progress without a page load.

const form = document.querySelector('form.card')
const payButton = form.querySelector('[value=pay]')
const cancelButton = form.querySelector('[value=cancel]')
const payLabel = payButton.querySelector('[data-label]')
const notice = form.querySelector('.notice')
const status = form.querySelector('[role=status]')
const consent = form.querySelector('[name=save_card]')
const hint = document.querySelector('.hint')
const payText = payLabel.textContent
const { session, merchant } = form.dataset
const fields = [...form.querySelectorAll('[data-field]')].map((box) => ({
  name: box.dataset.field,
  input: box.querySelector('input'),
  error: box.querySelector('.error'),
}))

const timeoutMs = 20_000
let busy = false

const groupNumber = (text) =>
  text
    .replace(/\D/g, '')
    .slice(0, 19)
    .replace(/\d{4}(?=\d)/g, '$& ')

function groupExpiry(text) {
  const [month, ...year] = text.split('/')
  if (year.length > 0 && /^\d$/.test(month.trim())) return groupExpiry(`0${month.trim()}/${year.join('')}`)
  const digits = text
    .replace(/\D/g, '')
    .replace(/^([2-9])/, '0$1')
    .replace(/^(\d\d)20(\d\d)$/, '$1$2')
    .slice(0, 6)
  return digits.length > 2 ? `${digits.slice(0, 2)}/${digits.slice(2)}` : digits
}

const groupings = { card_number: groupNumber, expiry: groupExpiry, cvc: (text) => text.replace(/\D/g, '').slice(0, 4) }

/** Formats input, keeping the caret at the same digit. */
function regroup(input, grouping) {
  const caret = input.selectionStart ?? input.value.length
  const atEnd = caret === input.value.length
  const digitsBefore = input.value.slice(0, caret).replace(/\D/g, '').length
  const next = grouping(input.value)
  if (next === input.value) return
  input.value = next
  if (atEnd) return
  let position = 0
  for (let seen = 0; position < next.length && seen < digitsBefore; position += 1) {
    if (/\d/.test(next[position])) seen += 1
  }
  input.setSelectionRange(position, position)
}

function showError({ input, error }, message) {
  error.querySelector('span').textContent = message
  error.hidden = message === ''
  if (message) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
}

function showNotice(message) {
  notice.querySelector('span').textContent = message
  notice.hidden = message === ''
}

function clearMessages() {
  for (const field of fields) showError(field, '')
  showNotice('')
}

function setBusy(label) {
  busy = label !== ''
  for (const button of [payButton, cancelButton, ...hint.querySelectorAll('button')]) {
    button.toggleAttribute('aria-disabled', busy)
    if (busy) button.setAttribute('aria-disabled', 'true')
  }
  payButton.toggleAttribute('aria-busy', false)
  if (busy) payButton.setAttribute('aria-busy', 'true')
  for (const { input } of fields) input.readOnly = busy
  payLabel.textContent = label || payText
  status.textContent = label
}

const unreachable =
  'We could not reach the card network, so nothing is certain yet. Try again: you will not be charged twice.'

/** Returns the response body, or a message if the response is unusable. */
async function call(action, body) {
  try {
    const response = await fetch(`/api/checkout/${session}/${action}`, {
      method: 'POST',
      headers: body ? { 'content-type': 'application/json' } : {},
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(timeoutMs),
    })
    return response.status >= 500 ? { error: { message: unreachable } } : await response.json()
  } catch {
    return { error: { message: unreachable } }
  }
}

function leave(address, label) {
  setBusy(label)
  window.location.assign(address)
}

function explain({ code, message, fields: problems = [] }) {
  setBusy('')
  const wrong = fields.filter((field) => {
    const problem = problems.find(({ field: name }) => name === field.name)
    showError(field, problem ? problem.message : '')
    return problem
  })
  if (wrong.length > 0) wrong[0].input.focus()
  else showNotice(message)
  if (code === 'session_expired' || code === 'session_ended') window.location.reload()
}

async function pay() {
  clearMessages()
  setBusy('Paying…')
  const values = Object.fromEntries(fields.map(({ name, input }) => [name, input.value]))
  const answer = await call('pay', consent ? { ...values, save_card: consent.checked } : values)
  if (answer.error) return explain(answer.error)
  if (answer.status === 'paid' || answer.status === 'authorized')
    return leave(answer.return_url, `Paid. Returning to ${merchant}…`)
  if (answer.status === 'challenge') return leave(window.location.href, 'Your bank wants to ask you something…')
  if (answer.return_url) return leave(answer.return_url, `Returning to ${merchant}…`)
  setBusy('')
  showNotice(answer.message ?? unreachable)
}

async function cancel() {
  clearMessages()
  setBusy('Canceling…')
  const answer = await call('cancel')
  if (answer.error) return explain(answer.error)
  leave(answer.return_url, `Returning to ${merchant}…`)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (busy) return
  if (event.submitter === cancelButton) void cancel()
  else void pay()
})

for (const field of fields) {
  field.input.addEventListener('input', () => {
    regroup(field.input, groupings[field.name])
    showError(field, '')
  })
}

for (const button of hint.querySelectorAll('[data-card]')) {
  button.hidden = false
  button.addEventListener('click', () => {
    if (busy) return
    const values = { card_number: groupNumber(button.dataset.card), expiry: hint.dataset.expiry, cvc: '123' }
    clearMessages()
    for (const { name, input } of fields) input.value = values[name]
    payButton.focus()
  })
}

// A page restored by the back button must not still show progress.
window.addEventListener('pageshow', (event) => {
  if (event.persisted) window.location.reload()
})

/** The script of the landing page. The page is whole without it: it sets the price check free to answer with live rates. */
import { type FiatCode, scaleOf } from '@tern/money/currency'
import { priceCheck } from '#messages/site/price-check.ts'
import { caretIn, limitPlaces, takeInput, type TypedAmount } from '../../../ui/forms/amount-text.ts'
import { formatMoney, formatWithCode } from '../../../ui/format/format.ts'
import { textLocale } from '../../../ui/format/locale.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { example, priceOf } from '../price.ts'
import { revealLines } from './reveal.ts'
import { takeWaitlist } from './waitlist.ts'

const rateAgeMs = 60_000

const field = (id: string) => document.getElementById(id) as HTMLInputElement
const list = (id: string) => document.getElementById(id) as HTMLSelectElement

function write(id: string, text: string): void {
  const element = document.getElementById(id)
  if (element && element.textContent !== text) element.textContent = text
}

interface Rate {
  readonly rate: string
  readonly asOf: string | undefined
  readonly loadedAt: number
}

const rates = new Map<string, Rate>([
  [`${example.source}/${example.target}`, { rate: example.rate, asOf: undefined, loadedAt: 0 }],
])

/** The pair's rate, asked of the server when it is older than a minute; the one we have when it does not answer. */
async function loadRate(source: FiatCode, target: FiatCode): Promise<Rate | undefined> {
  const pair = `${source}/${target}`
  if (source === target) return { rate: '1', asOf: undefined, loadedAt: Date.now() }
  const known = rates.get(pair)
  if (known && Date.now() - known.loadedAt < rateAgeMs) return known
  try {
    const response = await fetch(`/api/currency/rate/${pair}/`, { headers: { accept: 'application/json' } })
    if (!response.ok) return known
    const { rate, as_of: asOf } = (await response.json()) as { rate: string; as_of: string }
    const loaded = { rate, asOf, loadedAt: Date.now() }
    rates.set(pair, loaded)
    return loaded
  } catch {
    return known
  }
}

let side: 'source' | 'target' = 'source'
let amount: string = example.amount

async function answer(): Promise<void> {
  const source = list('sent-currency').value as FiatCode
  const target = list('received-currency').value as FiatCode
  const rate = await loadRate(source, target)
  if (source !== list('sent-currency').value || target !== list('received-currency').value) return
  if (!rate) return write('rate-origin', priceCheck.noRate)
  const places = scaleOf(side === 'source' ? source : target)
  const price = priceOf({ source, target, side, amount: limitPlaces(amount, places), rate: rate.rate })
  if (side === 'source') field('received').value = formatMoney(price.received, target, { unit: 'none' })
  else field('sent').value = formatMoney(price.sent, source, { unit: 'none' })
  write('fee-name', priceCheck.fee(price.feePercent))
  write('fee', formatWithCode(price.fee, source))
  write('rate', formatRateLine(rate.rate, source, target))
  write('total', formatWithCode(price.total, source))
  write('cost-title', priceCheck.costOf(formatWithCode(price.sent, source)))
  write('own-cost', formatWithCode(price.fee, source))
  write('bank-cost', formatWithCode(price.bankFee ?? '0', source))
  field('comparison').hidden = price.bankFee === undefined
  const moment =
    rate.asOf &&
    new Date(rate.asOf).toLocaleString(textLocale(), { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
  if (moment) write('rate-origin', priceCheck.liveRate(moment))
}

function takeAmount(id: string, ofSide: 'source' | 'target'): void {
  const input = field(id)
  const currency = list(`${id}-currency`)
  input.readOnly = false
  currency.disabled = false
  currency.addEventListener('change', () => void answer())
  let typed: TypedAmount | undefined
  input.addEventListener('input', (event) => {
    const { value: text, selectionStart } = input
    typed = takeInput(text, event, typed, scaleOf(currency.value as FiatCode))
    input.value = typed.shown
    const caret = caretIn(typed.shown, text, selectionStart ?? text.length)
    input.setSelectionRange(caret, caret)
    side = ofSide
    amount = typed.amount
    void answer()
  })
  input.addEventListener('blur', () => {
    typed = undefined
    if (side === ofSide) input.value = formatMoney(amount || '0', currency.value, { unit: 'none' })
  })
}

takeWaitlist()
revealLines()
const form = document.getElementById('price-check')
if (form) {
  form.addEventListener('submit', (event) => event.preventDefault())
  takeAmount('sent', 'source')
  takeAmount('received', 'target')
  void answer()
}

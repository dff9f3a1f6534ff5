/** Makes the price check editable, with live rates. */
import { type FiatCode, scaleOf } from '@tern/money/currency'
import { priceCheck } from '#messages/site/prices/price-check.ts'
import { caretIn, limitPlaces, type TypedAmount } from '../../../ui/forms/amount-text.ts'
import { applyText } from '../../../ui/forms/pasted-amount.ts'
import { formatDateTime, formatMoney } from '../../../ui/format/format.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { type CountryCode, currencies } from '../globe/countries.ts'
import { type Price, computePrice } from '../price.ts'
import { storeExampleRate, loadRate } from './rates.ts'

const field = (id: string) => document.getElementById(id) as HTMLInputElement
export const chosenCountry = (id: 'sent' | 'received') => field(`${id}-country`).value as CountryCode
const currencyAt = (id: 'sent' | 'received') => currencies[chosenCountry(id)]

function write(id: string, text: string): void {
  const element = document.getElementById(id)
  if (element && element.textContent !== text) element.textContent = text
}

function show(id: string, isShown: boolean): void {
  const element = document.getElementById(id)
  if (element) element.hidden = !isShown
}

let side: 'source' | 'target' = 'source'
let amount = ''

const figures = (value: string, currency: FiatCode) =>
  amount === '' ? '' : formatMoney(value, currency, { unit: 'none' })

const describeWay = (from: CountryCode, to: CountryCode): string =>
  from === to ? priceCheck.within(countryName(from)) : priceCheck.way(countryName(from), countryName(to))

function writeUnknown(): void {
  field(side === 'source' ? 'received' : 'sent').value = ''
  for (const id of ['fee', 'rate', 'total']) write(id, priceCheck.notKnown)
  write('rate-origin', priceCheck.noRate)
  show('comparison', false)
  show('same-currency', false)
}

/** Price behind the bars of /prices while no amount is entered. */
const barExample = { source: 'USD', side: 'source', amount: '200', rate: '1' } as const

/** Both costs: one shared bar on the landing page, two bars on /prices, where Tern's is always drawn. */
function writeCosts(source: FiatCode, target: FiatCode, price: Price): void {
  const isSame = source === target
  const isEmpty = !/[1-9]/.test(amount)
  const bars = document.getElementById('bars')
  const isExample = bars !== null && isEmpty
  const displayed = isExample ? computePrice({ ...barExample, target: isSame ? 'USD' : 'EUR' }) : price
  const currency = isExample ? barExample.source : source
  write('own-cost', formatMoney(displayed.fee, currency))
  write('bank-cost', formatMoney(displayed.bankFee ?? '0', currency))
  show('same-currency', isSame && (bars !== null || !isEmpty))
  if (bars === null) return show('comparison', !isEmpty && !isSame)
  show('comparison', true)
  show('bank-bar', !isSame)
  bars.dataset.bars = isSame ? 'same' : ''
  write('bars-title', priceCheck.costOfSending(formatMoney(displayed.sent, currency)))
  write('own-name', priceCheck.tern(displayed.feePercent))
}

function writePrice(source: FiatCode, target: FiatCode, rate: string): void {
  const isSame = source === target
  const decimals = scaleOf(side === 'source' ? source : target)
  const price = computePrice({ source, target, side, amount: limitPlaces(amount, decimals), rate })
  if (side === 'source') field('received').value = figures(price.received, target)
  else field('sent').value = figures(price.sent, source)
  write('fee-name', priceCheck.fee(price.feePercent))
  write('fee', formatMoney(price.fee, source))
  write('rate-name', isSame ? priceCheck.sameRate : priceCheck.rate)
  write('rate', isSame ? priceCheck.nothingToConvert : formatRateLine(rate, source, target))
  write('total', formatMoney(price.total, source))
  writeCosts(source, target, price)
}

async function answer(): Promise<void> {
  const from = chosenCountry('sent')
  const to = chosenCountry('received')
  const source = currencyAt('sent')
  const target = currencyAt('received')
  write('way', describeWay(from, to))
  write('sent-currency', source)
  write('received-currency', target)
  const rate = await loadRate(source, target)
  if (from !== chosenCountry('sent') || to !== chosenCountry('received')) return
  if (!rate) return writeUnknown()
  writePrice(source, target, rate.rate)
  if (source === target) write('rate-origin', '')
  else if (rate.asOf !== undefined) write('rate-origin', priceCheck.liveRate(formatDateTime(rate.asOf)))
}

/** Shows the reason for refusing an input below its field, or clears it. */
function refuse(id: string, words = ''): void {
  field(id).ariaInvalid = words && 'true'
  field(`${id}-refused`).hidden = words === ''
  write(`${id}-refused`, words)
}

function takeAmount(id: 'sent' | 'received', ofSide: 'source' | 'target'): void {
  const input = field(id)
  input.readOnly = false
  let typed: TypedAmount | undefined
  let typedText = input.value
  input.addEventListener('beforeinput', () => {
    typedText = input.value
  })
  input.addEventListener('input', (event) => {
    const { value: text, selectionStart } = input
    const currency = currencyAt(id)
    const format = { currency, scale: scaleOf(currency) }
    const taken = applyText(text, event, { shown: typedText, typed }, format)
    if ('refused' in taken) {
      typed = taken.kept
      input.value = typed?.shown ?? typedText
      return refuse(id, taken.refused)
    }
    refuse('sent')
    refuse('received')
    typed = taken
    input.value = typed.shown
    const caret = caretIn(typed.shown, text, selectionStart ?? text.length)
    input.setSelectionRange(caret, caret)
    side = ofSide
    amount = typed.amount
    void answer()
  })
  input.addEventListener('blur', () => {
    typed = undefined
    if (side === ofSide) input.value = figures(limitPlaces(amount, scaleOf(currencyAt(id))), currencyAt(id))
  })
}

/** Makes amounts and countries of the price check editable. */
export function takePriceCheck(): void {
  const form = document.getElementById('price-check')
  if (!form) return
  amount = form.dataset.amount ?? ''
  storeExampleRate(currencyAt('sent'), currencyAt('received'), form.dataset.rate ?? '')
  form.addEventListener('submit', (event) => event.preventDefault())
  takeAmount('sent', 'source')
  takeAmount('received', 'target')
  for (const id of ['sent', 'received']) {
    const list = field(`${id}-country`)
    list.disabled = false
    list.addEventListener('change', () => {
      if (side === (id === 'sent' ? 'source' : 'target')) field(id).dispatchEvent(new Event('blur'))
      void answer()
    })
  }
  // The page shows its example, so the live rate waits until the browser is idle. Safari has no requestIdleCallback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void answer(), { timeout: 2000 })
  else setTimeout(() => void answer())
}

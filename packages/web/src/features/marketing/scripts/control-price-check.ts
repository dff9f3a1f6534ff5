/** Makes the price check editable, with live rates. */
import { type FiatCode, scaleOf } from '@tern/money/currency'
import { priceCheck } from '#messages/site/prices/price-check.ts'
import { placeCaret, limitPlaces, type TypedAmount } from '../../../ui/forms/amount-text.ts'
import { applyText } from '../../../ui/forms/pasted-amount.ts'
import { formatDateTime, formatMoney } from '../../../ui/format/format.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { type CountryCode, currencies } from '../globe/countries.ts'
import { type Price, computePrice } from '../price.ts'
import { storeExampleRate, loadRate } from './rates.ts'

const findField = (id: string) => document.getElementById(id) as HTMLInputElement
export const readCountry = (id: 'sent' | 'received') => findField(`${id}-country`).value as CountryCode
const readCurrency = (id: 'sent' | 'received') => currencies[readCountry(id)]

function setText(id: string, text: string): void {
  const element = document.getElementById(id)
  if (element && element.textContent !== text) element.textContent = text
}

function toggleElement(id: string, isShown: boolean): void {
  const element = document.getElementById(id)
  if (element) element.hidden = !isShown
}

let side: 'source' | 'target' = 'source'
let amount = ''

const formatFigure = (value: string, currency: FiatCode) =>
  amount === '' ? '' : formatMoney(value, currency, { unit: 'none' })

const describeWay = (from: CountryCode, to: CountryCode): string =>
  from === to ? priceCheck.within(countryName(from)) : priceCheck.way(countryName(from), countryName(to))

function showUnknown(): void {
  findField(side === 'source' ? 'received' : 'sent').value = ''
  for (const id of ['fee', 'rate', 'total']) setText(id, priceCheck.notKnown)
  setText('rate-origin', priceCheck.noRate)
  toggleElement('comparison', false)
  toggleElement('same-currency', false)
}

/** Example whose costs the bars of /prices show while no amount is entered. */
const barExample = { source: 'USD', side: 'source', amount: '200', rate: '1' } as const

/** Both costs: one shared bar on the landing page, two bars on /prices, where Tern's is always drawn. */
function writeCosts(source: FiatCode, target: FiatCode, price: Price): void {
  const isSame = source === target
  const isEmpty = !/[1-9]/.test(amount)
  const bars = document.getElementById('bars')
  const isExample = bars !== null && isEmpty
  const displayedPrice = isExample ? computePrice({ ...barExample, target: isSame ? 'USD' : 'EUR' }) : price
  const currency = isExample ? barExample.source : source
  setText('own-cost', formatMoney(displayedPrice.fee, currency))
  setText('bank-cost', formatMoney(displayedPrice.bankFee ?? '0', currency))
  toggleElement('same-currency', isSame && (bars !== null || !isEmpty))
  if (bars === null) return toggleElement('comparison', !isEmpty && !isSame)
  toggleElement('comparison', true)
  toggleElement('bank-bar', !isSame)
  bars.dataset.bars = isSame ? 'same' : ''
  setText('bars-title', priceCheck.costOfSending(formatMoney(displayedPrice.sent, currency)))
  setText('own-name', priceCheck.tern(displayedPrice.feePercent))
}

function writePrice(source: FiatCode, target: FiatCode, rate: string): void {
  const isSame = source === target
  const decimals = scaleOf(side === 'source' ? source : target)
  const price = computePrice({ source, target, side, amount: limitPlaces(amount, decimals), rate })
  if (side === 'source') findField('received').value = formatFigure(price.received, target)
  else findField('sent').value = formatFigure(price.sent, source)
  setText('fee-name', priceCheck.fee(price.feePercent))
  setText('fee', formatMoney(price.fee, source))
  setText('rate-name', isSame ? priceCheck.sameRate : priceCheck.rate)
  setText('rate', isSame ? priceCheck.nothingToConvert : formatRateLine(rate, source, target))
  setText('total', formatMoney(price.total, source))
  writeCosts(source, target, price)
}

async function updatePrice(): Promise<void> {
  const from = readCountry('sent')
  const to = readCountry('received')
  const source = readCurrency('sent')
  const target = readCurrency('received')
  setText('way', describeWay(from, to))
  setText('sent-currency', source)
  setText('received-currency', target)
  const rate = await loadRate(source, target)
  if (from !== readCountry('sent') || to !== readCountry('received')) return
  if (!rate) return showUnknown()
  writePrice(source, target, rate.rate)
  if (source === target) setText('rate-origin', '')
  else if (rate.asOf !== undefined) setText('rate-origin', priceCheck.liveRate(formatDateTime(rate.asOf)))
}

/** Shows the reason for refusing an input below its field, or clears it. */
function showError(id: string, message = ''): void {
  findField(id).ariaInvalid = message && 'true'
  findField(`${id}-refused`).hidden = message === ''
  setText(`${id}-refused`, message)
}

function controlAmount(id: 'sent' | 'received', ownSide: 'source' | 'target'): void {
  const input = findField(id)
  input.readOnly = false
  let entry: TypedAmount | undefined
  let typedText = input.value
  input.addEventListener('beforeinput', () => {
    typedText = input.value
  })
  input.addEventListener('input', (event) => {
    const { value: text, selectionStart } = input
    const currency = readCurrency(id)
    const format = { currency, scale: scaleOf(currency) }
    const result = applyText(text, event, { shown: typedText, entry }, format)
    if ('refused' in result) {
      entry = result.keptAmount
      input.value = entry?.shown ?? typedText
      return showError(id, result.refused)
    }
    showError('sent')
    showError('received')
    entry = result
    input.value = entry.shown
    const caret = placeCaret(entry.shown, text, selectionStart ?? text.length)
    input.setSelectionRange(caret, caret)
    side = ownSide
    amount = entry.amount
    void updatePrice()
  })
  input.addEventListener('blur', () => {
    entry = undefined
    if (side === ownSide) input.value = formatFigure(limitPlaces(amount, scaleOf(readCurrency(id))), readCurrency(id))
  })
}

/** Makes amounts and countries of the price check editable. */
export function controlPriceCheck(): void {
  const form = document.getElementById('price-check')
  if (!form) return
  amount = form.dataset.amount ?? ''
  storeExampleRate(readCurrency('sent'), readCurrency('received'), form.dataset.rate ?? '')
  form.addEventListener('submit', (event) => event.preventDefault())
  controlAmount('sent', 'source')
  controlAmount('received', 'target')
  for (const id of ['sent', 'received']) {
    const list = findField(`${id}-country`)
    list.disabled = false
    list.addEventListener('change', () => {
      if (side === (id === 'sent' ? 'source' : 'target')) findField(id).dispatchEvent(new Event('blur'))
      void updatePrice()
    })
  }
  // The page shows its example, so the live rate waits until the browser is idle. Safari has no requestIdleCallback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void updatePrice(), { timeout: 2000 })
  else setTimeout(() => void updatePrice())
}

/** Sets the price check free: it answers with live rates, and its countries turn the globe. */
import { type FiatCode, scaleOf } from '@tern/money/currency'
import { priceCheck } from '#messages/site/price-check.ts'
import { caretIn, limitPlaces, type TypedAmount } from '../../../ui/forms/amount-text.ts'
import { takeText } from '../../../ui/forms/pasted-amount.ts'
import { formatMoney } from '../../../ui/format/format.ts'
import { countryName } from '../../../ui/format/country-name.ts'
import { textLocale } from '../../../ui/format/locale.ts'
import { formatRateLine } from '../../../ui/money/rates.ts'
import { type CountryCode, currencies } from '../globe/countries.ts'
import { example, priceOf } from '../price.ts'
import { loadRate } from './rates.ts'
import { type Atlas, takeGlobe } from './turn-globe.ts'

const field = (id: string) => document.getElementById(id) as HTMLInputElement
const country = (id: string) => field(`${id}-country`).value as CountryCode

function write(id: string, text: string): void {
  const element = document.getElementById(id)
  if (element && element.textContent !== text) element.textContent = text
}

let side: 'source' | 'target' = 'source'
let amount: string = example.amount

const figures = (value: string, currency: FiatCode) =>
  amount === '' ? '' : formatMoney(value, currency, { unit: 'none' })

const describeWay = (from: CountryCode, to: CountryCode): string =>
  from === to ? priceCheck.within(countryName(from)) : priceCheck.way(countryName(from), countryName(to))

function writeUnknown(): void {
  field(side === 'source' ? 'received' : 'sent').value = ''
  for (const id of ['fee', 'rate', 'total']) write(id, priceCheck.notKnown)
  write('rate-origin', priceCheck.noRate)
  field('comparison').hidden = true
  field('same-currency').hidden = true
}

function writePrice(source: FiatCode, target: FiatCode, rate: string): void {
  const isSame = source === target
  const places = scaleOf(side === 'source' ? source : target)
  const price = priceOf({ source, target, side, amount: limitPlaces(amount, places), rate })
  if (side === 'source') field('received').value = figures(price.received, target)
  else field('sent').value = figures(price.sent, source)
  write('fee-name', priceCheck.fee(price.feePercent))
  write('fee', formatMoney(price.fee, source))
  write('rate-name', isSame ? priceCheck.sameRate : priceCheck.rate)
  write('rate', isSame ? priceCheck.nothingToConvert : formatRateLine(rate, source, target))
  write('total', formatMoney(price.total, source))
  write('own-cost', formatMoney(price.fee, source))
  write('bank-cost', formatMoney(price.bankFee ?? '0', source))
  const isEmpty = !/[1-9]/.test(amount)
  field('comparison').hidden = isEmpty || isSame
  field('same-currency').hidden = isEmpty || !isSame
}

const momentOf = (asOf: string) =>
  new Date(asOf).toLocaleString(textLocale(), { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })

async function answer(): Promise<void> {
  const [from, to] = [country('sent'), country('received')]
  const [source, target] = [currencies[from], currencies[to]]
  write('way', describeWay(from, to))
  write('sent-currency', source)
  write('received-currency', target)
  const rate = await loadRate(source, target)
  if (from !== country('sent') || to !== country('received')) return
  if (!rate) return writeUnknown()
  writePrice(source, target, rate.rate)
  if (source === target) write('rate-origin', '')
  else if (rate.asOf !== undefined) write('rate-origin', priceCheck.liveRate(momentOf(rate.asOf)))
}

/** Says under a field why it does not take what was put into it; without words all is well again. */
function refuse(id: string, words = ''): void {
  field(id).ariaInvalid = words && 'true'
  field(`${id}-refused`).hidden = words === ''
  write(`${id}-refused`, words)
}

function takeAmount(id: string, ofSide: 'source' | 'target'): void {
  const input = field(id)
  const currency = () => currencies[country(id)]
  input.readOnly = false
  let typed: TypedAmount | undefined
  let shown = input.value
  input.addEventListener('beforeinput', () => {
    shown = input.value
  })
  input.addEventListener('input', (event) => {
    const { value: text, selectionStart } = input
    const format = { currency: currency(), scale: scaleOf(currency()) }
    const taken = takeText(text, event, { shown, typed }, format)
    if ('refused' in taken) {
      input.value = shown
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
    if (side === ofSide) input.value = figures(limitPlaces(amount, scaleOf(currency())), currency())
  })
}

/** Lets visitors change amounts and countries of the price check. */
export function takePriceCheck(): void {
  const form = document.getElementById('price-check')
  const globe = document.querySelector<SVGSVGElement>('#globe')
  const atlas = document.getElementById('land')?.dataset.atlas
  if (!form || !globe || atlas === undefined) return
  const turn = takeGlobe(globe, JSON.parse(atlas) as Atlas, [example.from, example.to])
  form.addEventListener('submit', (event) => event.preventDefault())
  takeAmount('sent', 'source')
  takeAmount('received', 'target')
  for (const id of ['sent', 'received']) {
    const list = field(`${id}-country`)
    list.disabled = false
    list.addEventListener('change', () => {
      turn(country('sent'), country('received'))
      if (side === (id === 'sent' ? 'source' : 'target')) field(id).dispatchEvent(new Event('blur'))
      void answer()
    })
  }
  // The page shows its example: the live rate waits until the browser is idle. Safari has no such callback.
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void answer(), { timeout: 2000 })
  else setTimeout(() => void answer())
}

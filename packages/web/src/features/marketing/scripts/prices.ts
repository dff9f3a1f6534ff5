/** The script of /prices: loads what people paid in a month, and draws it beside the World Bank's averages. */
import type { Corridor, feeIndex as endpoint } from '@tern/contract/prices/fee-index'
import type { Reply } from '@tern/contract/protocol/endpoint'
import { feeIndex as texts } from '#messages/site/fee-index.ts'
import { formatCount } from '../../../ui/format/format-count.ts'
import { textLocale } from '../../../ui/format/locale.ts'

type Index = Reply<typeof endpoint>
type Figures = NonNullable<Corridor['figures']>

const byId = (id: string) => document.getElementById(id) as HTMLElement
const write = (id: string, text: string) => (byId(id).textContent = text)
/** Writes a text in which these figures stand out. */
function writeWith(id: string, text: string, figures: readonly string[]): void {
  const parts = figures.reduce<string[]>(
    (rest, figure) =>
      rest.flatMap((part) => part.split(figure).flatMap((each, index) => (index ? [figure, each] : each))),
    [text],
  )
  byId(id).replaceChildren(...parts.map((part) => (figures.includes(part) ? element('b', '', part) : part)))
}
const show = (id: string, isShown: boolean) => (byId(id).hidden = !isShown)

const twoPlaces = new Intl.NumberFormat(textLocale(), { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const decimal = (text: string) => twoPlaces.format(text as `${number}`).replace('-', '−')
const percent = (text: string) => `${decimal(text)}%`
const monthName = (month: string) =>
  new Intl.DateTimeFormat(textLocale(), { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )
const momentText = (moment: string) =>
  new Date(moment).toLocaleString(textLocale(), {
    dateStyle: 'medium',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'UTC',
  })

/** A percentage, which comes with two places, as hundredths. */
const hundredths = (text: string): bigint => BigInt(text.replace('.', ''))
/** The other way round. */
function inFull(count: bigint): string {
  const digits = String(count < 0n ? -count : count).padStart(3, '0')
  return `${count < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
/** What a share of 200 dollars is, from hundredths of a percent. */
const ofTwoHundred = (share: bigint): string => inFull(share * 2n)

function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  content: string | readonly Node[] = '',
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  made.className = className
  if (typeof content === 'string') made.textContent = content
  else made.append(...content)
  return made
}

const cell = (text: string, className = '') => element('td', className, text)

/** On the scale of the plot, which ends at twelve percent. */
const onPlot = (share: number): string => `${Math.min(100, Math.max(0, share / 12))}%`

function plotOf({ mean }: Figures, { average, region }: Corridor['world_bank'], banks: string): HTMLElement {
  const mark = (className: string, share: number) => {
    const made = element('i', className)
    made.style.insetInlineStart = onPlot(share)
    return made
  }
  const [own, bank] = [Number(hundredths(mean)), Number(hundredths(average))]
  const kept = mark('plot-kept', Math.min(own, bank))
  kept.style.inlineSize = `calc(${onPlot(Math.max(own, bank))} - ${onPlot(Math.min(own, bank))})`
  const marks = [kept, mark(region === 'global' ? 'plot-global' : 'plot-region', bank)]
  const plot = element('div', 'plot', [...marks, mark('plot-banks', Number(hundredths(banks))), mark('plot-own', own)])
  plot.ariaHidden = 'true'
  return element('td', 'corridor-plot', [plot])
}

const nameOf = ({ source_currency: source, target_currency: target }: Corridor) => texts.corridor(source, target)

function rowOf(corridor: Corridor, figures: Figures, banks: string): HTMLTableRowElement {
  const { mean, median, fee, low, high, payments } = figures
  const { average, region } = corridor.world_bank
  const name = element('th', '', nameOf(corridor))
  name.scope = 'row'
  const bank = cell(percent(average), 'corridor-bank')
  bank.dataset.name = texts.averages[region]
  const rate = inFull(hundredths(mean) - hundredths(fee))
  return element('tr', '', [
    name,
    cell(formatCount(payments)),
    cell(percent(fee)),
    cell(percent(rate)),
    cell(percent(mean), 'corridor-mean'),
    cell(percent(median)),
    cell(`${decimal(low)}–${decimal(high)}`, 'corridor-wide'),
    plotOf(figures, corridor.world_bank, banks),
    bank,
    cell(decimal(ofTwoHundred(hundredths(average) - hundredths(mean)))),
  ])
}

function showOwnCost(mean: string | undefined, month: string): void {
  show('prices-own', mean !== undefined)
  write('prices-own-source', mean === undefined ? '' : texts.ownMonth(month))
  if (mean === undefined) return
  const [bar, figure] = byId('prices-own').querySelectorAll('dd')
  const cost = ofTwoHundred(hundredths(mean))
  const line = bar?.querySelector('i')
  if (line) line.style.inlineSize = `${Math.max(0, Math.min(100, Number(cost) * 4))}%`
  if (figure) figure.textContent = `${decimal(cost)} USD`
}

function showMonths({ months, month }: Index): void {
  show('prices-months', months.length > 1)
  const list = byId('prices-month') as HTMLSelectElement
  list.replaceChildren(...months.map((each) => new Option(monthName(each), each, false, each === month)))
}

function showIndex(index: Index): void {
  const { month, all, corridors, world_bank: bank, counted_at: countedAt } = index
  const shown = corridors.filter(({ figures }) => figures !== null)
  const hidden = corridors.filter(({ figures }) => figures === null).map(nameOf)
  show('prices-sandbox', index.is_sandbox && month !== null)
  showMonths(index)
  show('prices-file', month !== null)
  show('prices-table', shown.length > 0)
  const name = month === null ? '' : monthName(month)
  const [mean, global] = [all ? percent(all.mean) : '', percent(bank.global)]
  writeWith('prices-lead', all ? texts.counted(name, mean, global) : texts.lead, all ? [mean, global] : [])
  showOwnCost(all?.mean, name)
  write('prices-status', month === null ? texts.empty : shown.length === 0 ? texts.allTooFew : '')
  write('prices-caption', texts.caption(name))
  byId('prices-rows').replaceChildren(
    ...shown.flatMap((corridor) => (corridor.figures ? [rowOf(corridor, corridor.figures, bank.banks)] : [])),
  )
  const counted =
    all && countedAt ? texts.source(all.payments, formatCount(all.payments), name, `${momentText(countedAt)} UTC`) : ''
  write('prices-source', [counted, hidden.length > 0 ? texts.tooFew(hidden.join(', ')) : ''].filter(Boolean).join(' '))
}

async function load(month?: string): Promise<void> {
  const query = month === undefined ? '' : `?month=${month}`
  const file = byId('prices-file') as HTMLAnchorElement
  file.href = `/api/prices/index.csv${query}`
  try {
    const answer = await fetch(`/api/prices/index${query}`, { headers: { accept: 'application/json' } })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    showIndex((await answer.json()) as Index)
  } catch {
    write('prices-status', texts.failed)
  }
}

write('prices-status', byId('prices-status').dataset.loading ?? '')
byId('prices-month').addEventListener('change', ({ target }) => void load((target as HTMLSelectElement).value))
void load()

import type { Digits } from '@tern/contract/prices/digits'
import { findDifferences } from '@tern/contract/prices/verify-price'
import type { PriceFacts, Verdict } from '@tern/contract/prices/proof'
import type { ProofLine, PriceStep } from '@tern/contract/prices/recompute'
import type { Proof } from '../features/prices/prices.ts'
import type { Product } from '../product.ts'
import { alignedColumns, parse, type RunCommand, UsageError } from './terminal.ts'
import { withProduct } from './with-product.ts'

type CommandOrder = { readonly receipt: string } | { readonly since: Date | undefined }

/** Parses the parameters. Throws UsageError. */
function readOrder(parameters: readonly string[]): CommandOrder {
  const options = { all: { type: 'boolean' }, since: { type: 'string' } } as const
  const { values, positionals } = parse({ args: [...parameters], options, allowPositionals: true })
  const { all: isEveryReceipt = false, since } = values
  const [receipt, ...extraWords] = positionals
  if (!isEveryReceipt && receipt && extraWords.length === 0 && since === undefined) return { receipt }
  if (!isEveryReceipt || receipt !== undefined) throw new UsageError()
  if (since === undefined) return { since }
  const day = new Date(since)
  if (!/^\d{4}-\d\d-\d\d$/.test(since) || Number.isNaN(day.getTime())) throw new UsageError()
  return { since: day }
}

const stepNames = {
  quote: 'Quote',
  source_rate: 'Source rates',
  cross_rate: 'Cross rate',
  spread: 'Spread',
  amount: 'Amount',
  rounding: 'Rounding',
  fee: 'Fee',
  total_cost: 'Total cost',
} as const

const lineNames = {
  fix: '',
  formula: '',
  into_bridge: 'into the stablecoin',
  out_of_bridge: 'out of the stablecoin',
  residue: 'to the rounding account',
  total_paid: 'total paid',
  fee: 'fee',
  spread: 'spread',
  rounding: 'rounding',
  together: 'together, of',
  reference: 'against the ECB reference rate',
} as const

const reasons = {
  not_completed: 'it is not completed',
  terms_missing: 'it was paid without a quote, or its quote is not stored',
  fix_missing: 'a rate it was computed from is not stored',
} as const

const digitsText = ({ shownDigits, cutDigits, isEndless }: Digits): string =>
  `${shownDigits}${cutDigits === undefined ? '' : ` | ${cutDigits}`}${isEndless ? '…' : ''}`

const formatMinute = (moment: string): string => `${moment.slice(0, 16).replace('T', ' ')} UTC`

const lineText = ({ name, fix, formula, value, unit }: ProofLine): [string, string] => [
  fix
    ? `  1 ${fix.base} in ${fix.quote}, ${fix.source}, ${formatMinute(fix.as_of)}`
    : `  ${[lineNames[name], ...formula].filter(Boolean).join(' ')}`,
  `${digitsText(value)}${unit === undefined ? '' : ` ${unit}`}`,
]

function stepTexts({ step, lines, result }: PriceStep, index: number): string[] {
  const head = `${index + 1}. ${stepNames[step]}`
  const outcome = result ? [[head, `${digitsText(result.value)} ${result.unit}`]] : [[head, '']]
  return alignedColumns(
    [...outcome, ...lines.map(lineText)].map(([note = '', right = '']) => [note.padEnd(64), right]),
    1,
  )
}

const priceDifferenceText = ({ stated, recomputed }: Pick<Verdict, 'stated' | 'recomputed'>): string =>
  [
    ...(stated === null ? [] : [`states ${stated}`]),
    ...(recomputed === null ? [] : [`comes out as ${recomputed}`]),
  ].join(', ')

function verdictText(verdict: Verdict): string {
  const { step, stated_by: statedBy, reason } = verdict
  if (verdict.verdict === 'match') return 'Exact match: quote, receipt and ledger state this price.'
  if (reason !== null) return `Cannot be checked: ${reasons[reason]}.`
  return [
    `Does not match at "${step ? stepNames[step] : ''}": the ${statedBy ?? 'quote'}`,
    priceDifferenceText(verdict),
  ]
    .filter(Boolean)
    .join(' ')
}

function quoteLines({ terms }: PriceFacts): string[] {
  if (!terms) return []
  const { is_authentic: isAuthentic, made_at: madeAt, accepted_at: accepted, expires_at: expires } = terms
  const signature = isAuthentic ? 'valid' : 'NOT valid'
  return [`Quote: signature ${signature}; made ${madeAt}, accepted ${accepted}, held until ${expires}`]
}

function proofText({ facts, price, verdict }: Proof): string {
  const { reference, kind, source_currency: source, target_currency: target } = facts
  const differences = price && verdict.verdict === 'mismatch' ? findDifferences(facts, price).slice(1) : []
  return [
    `${reference}  ${kind}  ${source} to ${target}  ${formatMinute(facts.made_at)}`,
    ...quoteLines(facts),
    '',
    ...(price?.steps.flatMap(stepTexts) ?? []),
    ...(price ? [''] : []),
    verdictText(verdict),
    ...differences.map(({ step, statedBy, stated = null, recomputed = null }) =>
      `Also at "${stepNames[step]}": the ${statedBy} ${priceDifferenceText({ stated, recomputed })}`.trimEnd(),
    ),
  ].join('\n')
}

/** Returns the exit code for proofs: 1 if one does not match, 2 if none could be checked. */
const exitCode = (verdicts: readonly Verdict['verdict'][]): number =>
  verdicts.includes('mismatch') ? 1 : verdicts.includes('match') ? 0 : 2

async function repriceOne({ prices }: Product, receipt: string, print: (text: string) => void): Promise<number> {
  const proofs = await prices.proveForOperator(receipt)
  if (proofs.length === 0) print(`No such receipt: ${receipt}`)
  else print(proofs.map(proofText).join('\n\n'))
  return exitCode(proofs.map(({ verdict }) => verdict.verdict))
}

async function repriceAll(
  { prices }: Product,
  since: Date | undefined,
  print: (text: string) => void,
): Promise<number> {
  const counts = { match: 0, mismatch: 0, unchecked: 0 }
  for await (const { facts, verdict } of prices.proveAll(since)) {
    counts[verdict.verdict] += 1
    if (verdict.verdict !== 'match') print(`${facts.reference}  ${verdictText(verdict)}`)
  }
  print(`${counts.match} match, ${counts.mismatch} do not match, ${counts.unchecked} cannot be checked.`)
  return counts.mismatch > 0 ? 1 : 0
}

export const run: RunCommand = ({ environment, print }, parameters) => {
  const order = readOrder(parameters)
  return withProduct(environment, (product) =>
    'receipt' in order ? repriceOne(product, order.receipt, print) : repriceAll(product, order.since, print),
  )
}

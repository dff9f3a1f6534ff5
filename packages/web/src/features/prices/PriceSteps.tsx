import type { Digits } from '@tern/contract/prices/digits'
import type { PriceFacts, Verdict } from '@tern/contract/prices/proof'
import type { ProofLine, RecomputedPrice, PriceStep } from '@tern/contract/prices/recompute'
import { recomputing as texts } from '#messages/site/recompute.ts'
import { formatDate } from '../../ui/format/format.ts'
import { classNames } from '../../ui/icon/class-names.ts'
import { digitsText, formulaText, percentText } from './figures.ts'

interface PriceStepsProps {
  facts: PriceFacts
  price: RecomputedPrice
  verdict: Verdict
}

/**
 * Derivation of the price from published rates to the verdict: formulas at the start of each line, exact results at its
 * end.
 */
export function PriceSteps({ facts, price, verdict }: PriceStepsProps) {
  const isMatch = verdict.verdict === 'match'
  return (
    <ol className="ladder [counter-reset:rung]" aria-label={texts.ladder}>
      {price.steps.map((priceStep) => (
        <li key={priceStep.step} className={classNames(verdict.step === priceStep.step && 'ladder-wrong')}>
          <h2>{stepName(priceStep, price)}</h2>
          {priceStep.result && (
            <p className="text-base/7 font-medium tabular-nums text-end whitespace-nowrap max-md:text-[0.9375rem]">
              <Figures value={priceStep.result.value} unit={priceStep.result.unit} />
            </p>
          )}
          <p className="ladder-text col-[2/-1] text-small max-w-[60ch] text-pretty text-ink-2">
            {explainStep(priceStep, facts)}
          </p>
          {priceStep.lines.map((line, index) => (
            // The order of a step's lines is fixed.
            // oxlint-disable-next-line react/no-array-index-key
            <Line key={index} line={line} facts={facts} />
          ))}
        </li>
      ))}
      <li className="ladder-end pb-0">
        <h2>{texts.verdicts[verdict.verdict]}</h2>
        <p className="ladder-text col-[2/-1] text-small max-w-[60ch] text-pretty text-ink-2">
          {isMatch ? texts.matchText : describeMismatch(verdict)}
        </p>
      </li>
    </ol>
  )
}

export function describeMismatch({ step, stated_by: statedBy, stated, recomputed, reason }: Verdict): string {
  if (reason) return texts.reasons[reason]
  if (!step || !statedBy) return ''
  const witnessName = texts.witnesses[statedBy]
  if (step === 'quote') return texts.differs(witnessName, texts.atQuote)
  const place = texts.atStep(Object.keys(texts.steps).indexOf(step) + 1, texts.steps[step])
  return stated !== null && recomputed !== null
    ? texts.offBy(witnessName, place, stated, recomputed)
    : texts.differs(witnessName, place)
}

function stepName({ step }: PriceStep, price: RecomputedPrice): string {
  if (step === 'spread') return texts.spreadOf(percentText(price.spreadPartsPerMillion))
  if (step === 'fee') return texts.feeOf(percentText(price.feeBasisPoints * 100n))
  return texts.steps[step]
}

function explainStep(
  { step }: PriceStep,
  { terms, source_currency: source, target_currency: target }: PriceFacts,
): string {
  const { explained } = texts
  switch (step) {
    case 'cross_rate':
      return explained.cross_rate(target, source)
    case 'spread':
      return explained.spread(source, target)
    case 'amount':
      return terms?.route === 'stablecoin_bridge' ? explained.amountBridged : explained.amount
    case 'rounding':
      return terms?.side === 'target' ? explained.roundingUp : explained.roundingDown
    case 'source_rate':
    case 'fee':
    case 'total_cost':
      return explained[step]
  }
}

function Figures({ value, unit }: { value: Digits; unit?: string | undefined }) {
  const { significantDigits, cutDigits } = digitsText(value)
  const isPercent = unit === '%'
  return (
    <>
      {significantDigits}
      {cutDigits !== undefined && (
        <span className="border-s-[2px] border-s-beak-ink font-normal ms-0.5 ps-0.5 text-ink-3">{cutDigits}</span>
      )}
      {isPercent ? '%' : unit === undefined ? '' : ` ${unit}`}
    </>
  )
}

/** Term at the start of a line. */
function describeTerm(
  { name, fix, formula }: ProofLine,
  { reference_rate: reference, source_currency: source }: PriceFacts,
) {
  const { lines } = texts
  const figures = formulaText(formula)
  if (fix) return lines.fix(fix.base, fix.quote)
  if (name === 'together') return lines.together(`${figures} ${source}`)
  if (name === 'reference') return lines.reference(reference ? formatDate(reference.as_of) : '')
  if (name === 'formula' || name === 'fix') return figures
  return figures === '' ? lines[name] : `${lines[name]}, ${figures}`
}

function Line({ line, facts }: { line: ProofLine; facts: PriceFacts }) {
  const { fix } = line
  return (
    <p className="ladder-line col-[2/-1] border-b tabular-nums text-control flex flex-wrap gap-x-5 gap-y-1 justify-between py-2.5 [&>span:first-child]:text-ink-2 [&_b]:font-medium [&_b]:ms-auto [&_b]:wrap-anywhere">
      <span>
        {describeTerm(line, facts)}
        {fix && (
          <span className="text-[13px] block text-ink-3">
            {texts.sources[fix.source] ?? fix.source}, {formatDate(fix.as_of)}
          </span>
        )}
      </span>
      <b>
        <Figures value={line.value} unit={line.fix ? undefined : line.unit} />
      </b>
    </p>
  )
}

import type { ProtectionRule } from '@tern/contract/orders/protection-rules'
import type { Wallet } from '@tern/contract/wallets'
import { type Money, money, parseDecimal, toDecimal } from '@tern/money/money'
import type { CSSProperties, ReactNode } from 'react'
import { protection as texts } from '#messages/exchange/protection.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'
import { findAvailable, formatShare } from './rules.ts'

const gauge = 'text-tiny relative pt-0.25 mt-5 mb-4 tabular-nums text-ink-2 whitespace-nowrap'
const gaugeBar =
  'block relative h-2.5 mt-6.5 border border-ink bg-[linear-gradient(90deg,var(--ink)_var(--now),transparent_0)]'
const gaugeBand =
  'absolute -inset-y-0.25 start-[calc(var(--target)-var(--tolerance))] w-[calc(var(--tolerance)*2)] ' +
  'bg-[repeating-linear-gradient(135deg,var(--sea)_0_1px,transparent_1px_4px)]'
const gaugeTick = 'absolute -inset-y-2 start-[calc(var(--target)-1px)] border-s-[2px] border-s-sea'
const gaugeTarget =
  'block absolute top-0 start-(--target) [translate:-50%] font-medium text-sea data-[at=start]:start-0 ' +
  'data-[at=start]:translate-none data-[at=end]:start-auto data-[at=end]:end-0 ' +
  'data-[at=end]:translate-none'
const gaugeNow = 'absolute start-(--now) [translate:-100%] text-ink data-[at=start]:translate-none'

interface GaugeProps {
  label: string
  /** In percent of the whole: current value, target and permitted deviation. */
  now: number
  target: number
  tolerance?: number | undefined
  targetText: string
  start: string
  nowText?: string | undefined
  end: string
}

/** Gauge with a bar for the current value, a tick for the target and a band for the tolerance. */
function Gauge({ label, now, target, tolerance = 0, targetText, start, nowText, end }: GaugeProps): ReactNode {
  return (
    <div
      className={gauge}
      role="img"
      aria-label={label}
      style={{ '--now': `${now}%`, '--target': `${target}%`, '--tolerance': `${tolerance}%` } as CSSProperties}
    >
      <span className={gaugeBar}>
        {tolerance > 0 && <i className={gaugeBand} />}
        <i className={gaugeTick} />
      </span>
      <span className={gaugeTarget} data-at={target < 20 ? 'start' : target > 80 ? 'end' : undefined}>
        {targetText}
      </span>
      <span className="flex relative justify-between pt-1.5">
        <span>{start}</span>
        {nowText !== undefined && (
          <span className={gaugeNow} data-at={now < 30 ? 'start' : undefined}>
            {nowText}
          </span>
        )}
        <span>{end}</span>
      </span>
    </div>
  )
}

/** Share of the balance held in the rule's currency. */
export function ShareGauge({ rule }: { rule: ProtectionRule }) {
  const { share_percent: share, tolerance_percent: tolerance, share_now_percent: now, currency } = rule
  if (share === null || tolerance === null) return null
  const shareText = formatShare(now ?? 0)
  const [low, high] = [formatShare(Math.max(0, share - tolerance)), formatShare(Math.min(100, share + tolerance))]
  return (
    <Gauge
      label={now === null ? texts.shareUnknown : texts.shareGauge(shareText, currency, formatShare(share), low, high)}
      now={Number(now ?? 0)} // not money: a percentage
      target={share}
      tolerance={Math.min(tolerance, share, 100 - share)}
      targetText={texts.target(formatShare(share), tolerance)}
      start="0%"
      nowText={now === null ? undefined : texts.now(shareText)}
      end="100%"
    />
  )
}

/** Current balance against the amount that the rule keeps. */
export function ThresholdGauge({ rule, wallet }: { rule: ProtectionRule; wallet: Wallet }) {
  const { base_currency: base, threshold } = rule
  const keptAmount = parseDecimal(base, threshold ?? '0')
  const balance = parseDecimal(base, findAvailable(wallet, base))
  const total = money(
    base,
    [balance.minor, keptAmount.minor * 2n].reduce((a, b) => (a > b ? a : b)),
  )
  const formatAmount = (amount: Money) => formatExact(toDecimal(amount), base)
  return (
    <Gauge
      label={texts.thresholdGauge(formatAmount(balance), formatAmount(keptAmount))}
      now={computeShare(balance, total)}
      target={computeShare(keptAmount, total)}
      targetText={texts.stays(formatAmount(keptAmount))}
      start={formatAmount(money(base, 0n))}
      nowText={texts.now(formatAmount(balance))}
      end={formatAmount(total)}
    />
  )
}

/** Position on the gauge in percent. */
const computeShare = (part: Money, total: Money): number =>
  total.minor === 0n ? 0 : Number((part.minor * 10_000n) / total.minor) / 100 // not money: a place on the drawing

import { editProtectionRule, type ProtectionRule, protectionRules } from '@tern/contract/orders/protection-rules'
import type { Wallet } from '@tern/contract/wallets'
import { protection as texts } from '#messages/exchange/protection.ts'
import { buildQuery } from '../../../app/session/query.ts'
import { callApi } from '../../../app/session/session.ts'
import { personLocale } from '../../../ui/format/locale.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'

/** Clickable values in a rule's sentence. */
export type Part = 'value' | 'currency'

/** Subject of the dialog: a rule and its clicked value, or a new rule. */
export interface RuleEdit {
  readonly rule?: ProtectionRule
  readonly part?: Part
}

const refreshMs = 60_000

/** The user's rules, kept current by the event stream; refetched also because shares change with the rates. */
export const rulesQuery = (userId: number) => ({
  ...buildQuery(['protection', userId], protectionRules, {}),
  refetchInterval: refreshMs,
})

/** Current terms of a rule, as the body of a request that changes some of them. */
export const toTerms = ({ currency, share_percent: share, threshold, on }: ProtectionRule) => ({
  ...{ currency, on },
  ...(share === null ? {} : { share_percent: share }),
  ...(threshold === null ? {} : { threshold }),
})

export const switchRule = (rule: ProtectionRule, on: boolean) =>
  callApi(editProtectionRule, { params: { id: rule.id }, body: { ...toTerms(rule), on } })

/** Formats a percentage: "28.98%" or "30%". */
export const formatShare = (percent: string | number): string =>
  new Intl.NumberFormat(personLocale(), {
    numberingSystem: 'latn',
    style: 'percent',
    maximumFractionDigits: 2,
  }).format(`${percent}e-2` as Intl.StringNumericLiteral)

/** Value in the rule's sentence: the share or the amount to keep. */
export const formatValue = ({ share_percent: share, threshold, base_currency: base }: ProtectionRule): string =>
  share === null ? formatExact(threshold ?? '0', base) : formatShare(share)

export function describeRule(rule: ProtectionRule): string {
  const { before, between, after } = texts[rule.kind === 'keep_share' ? 'keep' : 'convert']
  return before + formatValue(rule) + between + rule.currency + after
}

export const findAvailable = ({ assets }: Wallet, code: string): string =>
  assets.find(({ currency }) => currency === code)?.available ?? '0'

import { editProtectionRule, type ProtectionRule, protectionRules } from '@tern/contract/orders/protection-rules'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Wallet } from '@tern/contract/wallets'
import { protection as texts } from '#messages/exchange/protection.ts'
import { callApi } from '../../../app/session/session.ts'
import { personLocale } from '../../../ui/format/locale.ts'
import { formatExact } from '../../../ui/money/exact-amount.ts'

/** The values of a rule's sentence. */
export type Part = 'value' | 'currency'

/** What the dialog is about: a rule and which of its values was pressed, or a new one. */
export interface Edited {
  readonly rule?: ProtectionRule
  readonly part?: Part
}

const refreshMs = 60_000

/** The person's rules. The event stream keeps them current; shares move with the rates too. */
export const rulesQuery = (userId: number) =>
  queryOptions({
    queryKey: ['protection', userId],
    queryFn: ({ signal }) => callApi(protectionRules, {}, signal),
    refetchInterval: refreshMs,
  })

export const refreshRules = (queryClient: QueryClient, userId: number): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['protection', userId] })

/** What the server is told of a rule as it stands, with something changed. */
export const termsOf = ({ currency, share_percent: share, threshold, on }: ProtectionRule) => ({
  ...{ currency, on },
  ...(share === null ? {} : { share_percent: share }),
  ...(threshold === null ? {} : { threshold }),
})

export const switchRule = (rule: ProtectionRule, on: boolean) =>
  callApi(editProtectionRule, { params: { id: rule.id }, body: { ...termsOf(rule), on } })

/** "28.98%" or "30%" from a percentage. */
export const formatShare = (percent: string | number): string =>
  new Intl.NumberFormat(personLocale(), {
    numberingSystem: 'latn',
    style: 'percent',
    maximumFractionDigits: 2,
  }).format(`${percent}e-2` as Intl.StringNumericLiteral)

/** The value of the rule that stands in its sentence: a share, or what stays. */
export const valueOf = ({ share_percent: share, threshold, base_currency: base }: ProtectionRule): string =>
  share === null ? formatExact(threshold ?? '0', base) : formatShare(share)

/** The rule in one sentence. */
export function sentenceOf(rule: ProtectionRule): string {
  const { before, between, after } = texts[rule.kind === 'keep_share' ? 'keep' : 'convert']
  return before + valueOf(rule) + between + rule.currency + after
}

export const availableOf = ({ assets }: Wallet, code: string): string =>
  assets.find(({ currency }) => currency === code)?.available ?? '0'

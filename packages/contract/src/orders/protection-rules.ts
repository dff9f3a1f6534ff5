import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, baseCurrency, currency, decimal, moment, noContent, uuid } from '../protocol/wire.ts'

/** `keep_share`: hold a share of the balance in a currency. `convert_incoming`: exchange what comes in above an amount. */
export const protectionKind = z.enum(['keep_share', 'convert_incoming'])
export type ProtectionKind = z.output<typeof protectionKind>

/** A whole percentage that leaves something on both sides. */
const sharePercent = z.int().check(z.minimum(1), z.maximum(99))

export const protectionRuleShape = z.object({
  id: uuid,
  kind: protectionKind,
  on: z.boolean(),
  /** The currency that is kept, or into which is exchanged. */
  currency,
  /** The balance it exchanges from, and of `keep_share` back into. */
  base_currency: baseCurrency,
  /** Of `keep_share`: how much of the balance is kept, and by how many percentage points it may differ. */
  share_percent: z.nullable(z.int()),
  tolerance_percent: z.nullable(z.int()),
  /** Of `keep_share`: how much it is now; null while rates are not known or the balance is empty. */
  share_now_percent: z.nullable(decimal),
  /** Of `convert_incoming`: how much stays in the base currency. */
  threshold: z.nullable(decimal),
  /** Of `keep_share`: when it may act next; null when it may at any time. */
  acts_from: z.nullable(moment),
  /** What it did last. */
  last_action: z.nullable(
    z.object({
      at: moment,
      source_currency: currency,
      source_amount: decimal,
      target_currency: currency,
      target_amount: decimal,
      /** In the source currency, on top. */
      fee: decimal,
      transaction_id: uuid,
      /** Of `convert_incoming`: what came in. `name` is null when it was not from a person. */
      incoming: z.nullable(z.object({ transaction_id: uuid, amount: decimal, name: z.nullable(z.string()) })),
    }),
  ),
  /** Why it could not act when it last should have; null once it has acted again. */
  waiting: z.nullable(
    z.object({
      /** The code of a refusal, such as `limit_exceeded`. */
      reason: z.string(),
      /** The same in a sentence. */
      reason_text: z.string(),
      since: moment,
    }),
  ),
  created_at: moment,
})
export type ProtectionRule = z.output<typeof protectionRuleShape>

export const protectionRules = endpoint({
  method: 'GET',
  path: '/protection-rules',
  summary: "The caller's protection rules, the oldest first.",
  access: 'session',
  reply: z.object({
    rules: z.array(protectionRuleShape),
    /** How many rules one person can have. */
    most: z.int(),
  }),
})

const terms = {
  currency,
  /** Only of `keep_share`, and needed there. */
  share_percent: z.optional(sharePercent),
  /** Only of `convert_incoming`, and needed there; in the base currency of the wallet. */
  threshold: z.optional(amountInput),
  /** On unless given. */
  on: z.optional(z.boolean()),
}

export const newProtectionRule = z.object({ kind: protectionKind, ...terms })
export type NewProtectionRule = z.output<typeof newProtectionRule>

export const changedProtectionRule = z.object(terms)
export type ChangedProtectionRule = z.output<typeof changedProtectionRule>

const ruleRefusals = ['verification_required', 'currency_not_held', 'rate_limited'] as const

export const createProtectionRule = endpoint({
  method: 'POST',
  path: '/protection-rules',
  summary: 'Let money be exchanged by a rule, at the normal price.',
  access: 'session',
  body: newProtectionRule,
  idempotencyKey: 'required',
  status: 201,
  reply: protectionRuleShape,
  refusals: ['too_many_protection_rules', ...ruleRefusals],
})

const ruleParams = z.object({ id: uuid })

export const editProtectionRule = endpoint({
  method: 'PUT',
  path: '/protection-rules/:id',
  summary: 'Change a protection rule, or switch it on or off. What came in before it was switched on stays as it is.',
  access: 'session',
  params: ruleParams,
  body: changedProtectionRule,
  reply: protectionRuleShape,
  refusals: ['not_found', ...ruleRefusals],
})

export const removeProtectionRule = endpoint({
  method: 'DELETE',
  path: '/protection-rules/:id',
  summary: 'Remove a protection rule. What it did stays done. Answers the same when there is none.',
  access: 'session',
  params: ruleParams,
  ...noContent,
  refusals: ['rate_limited'],
})

import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { amountInput, baseCurrency, currency, decimal, moment, noContent, uuid } from '../protocol/wire.ts'

/**
 * `keep_share`: keeps a share of the balance in a currency. `convert_incoming`: exchanges incoming money above a
 * threshold.
 */
export const protectionKind = z.enum(['keep_share', 'convert_incoming'])
export type ProtectionKind = z.output<typeof protectionKind>

/** Whole percentage that leaves a balance in both currencies. */
const sharePercent = z.int().check(z.minimum(1), z.maximum(99))

export const protectionRuleShape = z.object({
  id: uuid,
  kind: protectionKind,
  on: z.boolean(),
  /** Currency to keep, or to exchange into. */
  currency,
  /** Currency to exchange from; `keep_share` also exchanges back into it. */
  base_currency: baseCurrency,
  /** Only for `keep_share`: target share of the balance, and its tolerance in percentage points. */
  share_percent: z.nullable(z.int()),
  tolerance_percent: z.nullable(z.int()),
  /** Only for `keep_share`: current share; null while rates are unknown, or if the balance is empty. */
  share_now_percent: z.nullable(decimal),
  /** Only for `convert_incoming`: amount that stays in the base currency. */
  threshold: z.nullable(decimal),
  /** Only for `keep_share`: earliest time of the next action; null if it may act at any time. */
  acts_from: z.nullable(moment),
  last_action: z.nullable(
    z.object({
      at: moment,
      source_currency: currency,
      source_amount: decimal,
      target_currency: currency,
      target_amount: decimal,
      /** Fee on top, in the source currency. */
      fee: decimal,
      transaction_id: uuid,
      /** Only for `convert_incoming`: the incoming payment. `name` is null if it is not from a person. */
      incoming: z.nullable(z.object({ transaction_id: uuid, amount: decimal, name: z.nullable(z.string()) })),
    }),
  ),
  /** Obstacle to the last due exchange; null once the rule has exchanged again. */
  waiting: z.nullable(
    z.object({
      /** Refusal code such as `limit_exceeded`. */
      reason: z.string(),
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
  summary: "The caller's protection rules, oldest first.",
  access: 'session',
  reply: z.object({
    rules: z.array(protectionRuleShape),
    most: z.int(),
  }),
})

const ruleTermFields = {
  currency,
  /** Required for `keep_share`; refused otherwise. */
  share_percent: z.optional(sharePercent),
  /** Required for `convert_incoming`, in the wallet's base currency; refused otherwise. */
  threshold: z.optional(amountInput),
  /** True by default. */
  on: z.optional(z.boolean()),
}

export const newProtectionRule = z.object({ kind: protectionKind, ...ruleTermFields })
export type NewProtectionRule = z.output<typeof newProtectionRule>

export const protectionRuleEdit = z.object(ruleTermFields)
export type ProtectionRuleEdit = z.output<typeof protectionRuleEdit>

const ruleRefusals = ['verification_required', 'currency_not_held', 'rate_limited'] as const

export const createProtectionRule = endpoint({
  method: 'POST',
  path: '/protection-rules',
  summary: 'Create a rule that exchanges money automatically, at the normal price.',
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
  summary:
    'Change a protection rule, or switch it on or off. Money received before it was switched on is not exchanged.',
  access: 'session',
  params: ruleParams,
  body: protectionRuleEdit,
  reply: protectionRuleShape,
  refusals: ['not_found', ...ruleRefusals],
})

export const removeProtectionRule = endpoint({
  method: 'DELETE',
  path: '/protection-rules/:id',
  summary: 'Remove a protection rule. Completed exchanges are unaffected. Idempotent.',
  access: 'session',
  params: ruleParams,
  ...noContent,
  refusals: ['rate_limited'],
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  ProtectionKind: protectionKind,
  ProtectionRule: protectionRuleShape,
}

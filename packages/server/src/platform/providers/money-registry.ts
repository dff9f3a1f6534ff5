import type { MoneyProvider } from '@tern/providers/money'
import {
  createRegistry,
  type ProviderChoice,
  type ProviderRegistry,
  type ProviderRule,
  ProviderRuleError,
} from './provider-registry.ts'

export interface MoneyRegistry extends ProviderRegistry<MoneyProvider> {
  /**
   * Returns the provider for payouts by the payout rules; undefined if the provider that linked the bank account must
   * pay.
   */
  choosePayout(choice: Omit<ProviderChoice, 'method'>): MoneyProvider | undefined
}

/** Capability needed by a provider for new payments of a method; a bank account must be linked before it is debited. */
const needs = {
  card: { capability: 'collect', isMet: ({ collect }: MoneyProvider) => collect?.card !== undefined },
  bank: { capability: 'link', isMet: ({ link }: MoneyProvider) => link !== undefined },
} as const

type Method = keyof typeof needs
const methods: readonly Method[] = ['card', 'bank']

const findRequiredCapability = (method: string | undefined) =>
  method === 'card' || method === 'bank' ? needs[method] : undefined

export const canSaveCards = ({ collect }: MoneyProvider): boolean => collect?.card?.savesNoCards !== true

interface MoneyRules {
  /** Rules for card payments and bank-account links; by default the first capable provider. */
  readonly rules?: readonly ProviderRule[] | undefined
  readonly payoutRules?: readonly ProviderRule[] | undefined
}

/**
 * Creates the registry. Throws ProviderRuleError for a rule whose provider is not configured or lacks a capability that
 * the rule needs.
 */
export function createMoneyRegistry(
  all: readonly MoneyProvider[],
  { rules, payoutRules = [] }: MoneyRules = {},
): MoneyRegistry {
  const registry = createRegistry(
    all,
    rules,
    (provider, { method, savesCard }) =>
      (findRequiredCapability(method)?.isMet(provider) ?? true) && !(savesCard === true && !canSaveCards(provider)),
  )
  for (const rule of rules ?? []) requireMethods(rule, registry.find(rule.provider))
  for (const { provider } of payoutRules) {
    const moneyProvider = registry.find(provider)
    if (moneyProvider && !moneyProvider.payout)
      throw new ProviderRuleError(`A rule names ${provider}, which lacks the capability payout.`)
    if (moneyProvider?.payout?.needsPayee && !all.some(({ link }) => link?.readPayee)) {
      const problem = 'and no provider that links bank accounts discloses them'
      throw new ProviderRuleError(`A rule names ${provider}, which pays to account numbers, ${problem}.`)
    }
  }
  return { ...registry, choosePayout: createRegistry(all, payoutRules).choose }
}

function requireMethods(
  { provider, method: ruleMethods = methods }: ProviderRule,
  moneyProvider: MoneyProvider | undefined,
): void {
  for (const method of ruleMethods) {
    const need = findRequiredCapability(method)
    if (!moneyProvider || !need || need.isMet(moneyProvider)) continue
    const otherMethods = methods.filter((candidate) => candidate !== method && needs[candidate].isMet(moneyProvider))
    const remedy = otherMethods.length === 0 ? 'remove the rule' : `limit the rule to method=${otherMethods.join(',')}`
    const problem = `lacks the capability ${need.capability} for method=${method}`
    throw new ProviderRuleError(`A rule names ${provider}, which ${problem}: ${remedy}.`)
  }
}
